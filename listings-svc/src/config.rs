//! Settings of listings-svc.

use clap::Args;
use kit::config::{Common, Secret};

/// Settings of listings-svc.
#[derive(Debug, Clone, Args)]
pub struct Settings {
    /// See the type.
    #[command(flatten)]
    pub common: Common,
    /// Base address of the public pages; that of a game is this and /games/SLUG
    #[arg(long, value_parser = kit::public_url::parse)]
    pub public_url: String,
    /// Submissions of one account that may wait for their review
    #[arg(long, default_value = "10", value_parser = clap::value_parser!(i64).range(0..))]
    pub most_waiting: i64,
    /// Redis 6.2 or newer, as redis://host:port
    #[arg(long, hide_env_values = true)]
    pub redis_url: Secret,
}

impl kit::config::Settings for Settings {
    const SERVICE: &'static str = "listings-svc";
    const PREFIX: &'static str = "LISTINGS";
    const ABOUT: &'static str = "Owns the listings: creators, games, events and what they refer to";

    fn common(&self) -> &Common {
        &self.common
    }
}
