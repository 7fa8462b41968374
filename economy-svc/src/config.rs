//! The settings of economy-svc.

use std::net::SocketAddr;
use std::time::Duration;

use kit::config::{Common, a_second_or_more};
use kit::descriptor_limit;
use kit::rpc::ConnectionLimits;
use kit::rpc::client::Addresses;

use crate::domain::report_policy::ReportPolicy;

#[derive(Debug, clap::Args)]
pub struct Settings {
    #[command(flatten)]
    common: Common,
    /// Address of the gRPC port for exchanges
    #[arg(long, default_value = "127.0.0.1:7001")]
    pub(crate) exchange_listen: SocketAddr,
    /// Concurrent connections to the port for exchanges; further ones are closed
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    exchange_connections: u32,
    /// Concurrent connections to it from an IPv4 address or IPv6 network (/64); further ones are closed
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    exchange_client_connections: u32,
    /// Where listings-svc is: `https://host:port,…`, `file:/path` or `dns:https://host:port`
    #[arg(long)]
    pub(crate) listings_addresses: Addresses,
    /// Seconds that listings-svc has to authenticate a staff token
    #[arg(long, default_value = "2", value_parser = a_second_or_more)]
    pub(crate) upstream_deadline: Duration,
    /// Minimum minutes between two reports of a game
    #[arg(long, default_value = "60", value_parser = clap::value_parser!(u32).range(..=525_600))]
    report_interval: u32,
    /// Largest change of a basket's cost, in percent, with which a report counts without a review
    #[arg(long, default_value = "50", value_parser = clap::value_parser!(u32).range(1..))]
    most_jump: u32,
    /// Days after which a currency without a counted report is late
    #[arg(long, default_value = "7", value_parser = clap::value_parser!(u32).range(1..3_650))]
    late_after: u32,
    /// Past moments (`at=`) beyond the cached one whose rates a replica has in memory at once; a call for another one gets `rate_limited`
    #[arg(long, default_value = "1")]
    pub(crate) past_rates: usize,
}

impl Settings {
    /// The limits of the port for exchanges.
    pub(crate) fn exchange_limits(&self) -> ConnectionLimits {
        ConnectionLimits {
            total: descriptor_limit::allowed("exchange_connections", self.exchange_connections, 1),
            per_client: self.exchange_client_connections,
        }
    }

    pub(crate) fn report_policy(&self) -> ReportPolicy {
        ReportPolicy {
            report_interval: time::Duration::minutes(self.report_interval.into()),
            most_jump_percent: self.most_jump,
        }
    }

    pub(crate) fn late_after(&self) -> time::Duration {
        time::Duration::days(self.late_after.into())
    }
}

impl kit::config::Settings for Settings {
    const SERVICE: &'static str = "economy-svc";
    const PREFIX: &'static str = "ECONOMY";
    const ABOUT: &'static str = "The economy of Mchezo: reports, rates, swaps and tips";

    fn common(&self) -> &Common {
        &self.common
    }

    fn problems(&self) -> Vec<String> {
        let port = self.exchange_listen;
        let problem = self.common.port_without_tls("exchange_listen", port);
        problem.into_iter().collect()
    }
}
