//! The settings of economy-svc.

use kit::config::Common;
use kit::rpc::client::Addresses;

/// What economy-svc needs to know at start.
#[derive(Debug, clap::Args)]
pub struct Settings {
    #[command(flatten)]
    common: Common,
    /// Where listings-svc is: `http://host:port,…`, `file:/path` or `dns:http://host:port`
    #[arg(long)]
    pub(crate) listings_addresses: Addresses,
}

impl kit::config::Settings for Settings {
    const SERVICE: &'static str = "economy-svc";
    const PREFIX: &'static str = "ECONOMY";
    const ABOUT: &'static str =
        "The economy of Mchezo: knows the games whose currencies are compared";

    fn common(&self) -> &Common {
        &self.common
    }
}
