//! The settings of economy-svc.

use std::time::Duration;

use kit::config::{Common, seconds};
use kit::rpc::client::Addresses;

use crate::write::Rules;

/// What economy-svc needs to know at start.
#[derive(Debug, clap::Args)]
pub struct Settings {
    #[command(flatten)]
    common: Common,
    /// Where listings-svc is: `http://host:port,…`, `file:/path` or `dns:http://host:port`
    #[arg(long)]
    pub(crate) listings_addresses: Addresses,
    /// Seconds that listings-svc has to say whose a staff token is
    #[arg(long, default_value = "2", value_parser = seconds)]
    pub(crate) upstream_deadline: Duration,
    /// Minutes between two stored reports of a game, at least
    #[arg(long, default_value = "60", value_parser = clap::value_parser!(u32).range(0..))]
    report_interval: u32,
    /// By how many percent the cost of a basket moves at most, for a report to count without a review
    #[arg(long, default_value = "50", value_parser = clap::value_parser!(u32).range(1..))]
    most_jump: u32,
    /// Days after which a currency without a counted report is late
    #[arg(long, default_value = "7", value_parser = clap::value_parser!(u32).range(1..3_650))]
    late_after: u32,
}

impl Settings {
    /// What commands are held to.
    pub(crate) fn rules(&self) -> Rules {
        Rules {
            report_interval: time::Duration::minutes(self.report_interval.into()),
            most_jump_percent: self.most_jump,
        }
    }

    /// How long a currency may be silent.
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
}
