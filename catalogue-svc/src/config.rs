//! Settings of catalogue-svc.

use clap::Args;
use kit::config::Common;
use kit::rpc::client::Addresses;

/// What catalogue-svc is told at start.
#[derive(Debug, Args)]
pub struct Settings {
    #[command(flatten)]
    #[expect(missing_docs, reason = "see the type")]
    pub common: Common,
    /// Where listings-svc is: addresses such as `http://host:port` with commas between, `file:/path`, or `dns:http://name:port`
    #[arg(long)]
    pub listings_addresses: Addresses,
}

impl kit::config::Settings for Settings {
    const SERVICE: &'static str = "catalogue-svc";
    const PREFIX: &'static str = "CATALOGUE";
    const ABOUT: &'static str = "Answers every read of the directory, from memory";

    fn common(&self) -> &Common {
        &self.common
    }
}
