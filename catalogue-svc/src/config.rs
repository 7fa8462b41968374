//! Settings of catalogue-svc.

use std::time::Duration;

use clap::Args;
use kit::config::{Common, seconds};
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
    /// Base address of the public pages; that of a city is this and /cities/SLUG
    #[arg(long, value_parser = kit::public_url::parse)]
    pub public_url: String,
    /// Milliseconds that a call waits at most for a change that it must see
    #[arg(long, default_value = "300", value_parser = milliseconds)]
    pub patience: Duration,
    /// Seconds that listings-svc has to say whose a staff token is
    #[arg(long, default_value = "2", value_parser = seconds)]
    pub upstream_deadline: Duration,
}

impl kit::config::Settings for Settings {
    const SERVICE: &'static str = "catalogue-svc";
    const PREFIX: &'static str = "CATALOGUE";
    const ABOUT: &'static str = "Answers every read of the directory, from memory";

    fn common(&self) -> &Common {
        &self.common
    }
}

fn milliseconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .map(Duration::from_millis)
        .ok()
        .ok_or_else(|| "a whole number of milliseconds is wanted".to_owned())
}
