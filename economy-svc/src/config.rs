//! The settings of economy-svc.

use kit::config::Common;
use kit::rpc::client::Addresses;

use crate::domain::report_policy::ReportPolicy;

#[derive(Debug, clap::Args)]
pub struct Settings {
    #[command(flatten)]
    common: Common,
    /// Where listings-svc is: `https://host:port,…`, `file:/path` or `dns:https://host:port`
    #[arg(long)]
    pub(crate) listings_addresses: Addresses,
    /// Minimum minutes between two reports of a game
    #[arg(long, default_value = "60", value_parser = clap::value_parser!(u32).range(..=525_600))]
    report_interval: u32,
    /// Largest change of a basket's cost, in percent, with which a report counts without a review
    #[arg(long, default_value = "50", value_parser = clap::value_parser!(u32).range(1..))]
    most_jump: u32,
    /// Days after which a currency without a counted report is late
    #[arg(long, default_value = "7", value_parser = clap::value_parser!(u32).range(1..3_650))]
    late_after: u32,
}

impl Settings {
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
}
