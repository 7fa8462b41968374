//! The settings of webhook-svc.

use kit::config::Common;
use kit::rpc::client::Addresses;

/// What webhook-svc needs to know at start.
#[derive(Debug, clap::Args)]
pub struct Settings {
    #[command(flatten)]
    common: Common,
    /// Where listings-svc is: `http://host:port,…`, `file:/path` or `dns:http://host:port`
    #[arg(long)]
    pub(crate) listings_addresses: Addresses,
    /// Where the gateway's internal port is, in the same form
    #[arg(long)]
    pub(crate) gateway_addresses: Addresses,
}

impl kit::config::Settings for Settings {
    const SERVICE: &'static str = "webhook-svc";
    const PREFIX: &'static str = "WEBHOOK";
    const ABOUT: &'static str =
        "The webhooks of Mchezo: knows the listings and accounts that messages are about";

    fn common(&self) -> &Common {
        &self.common
    }
}
