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
    #[arg(long, value_parser = base)]
    pub public_url: String,
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

fn base(text: &str) -> Result<String, String> {
    match url::Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
            if url.query().is_some() || url.fragment().is_some() {
                return Err("it has no query and no fragment".to_owned());
            }
            Ok(text.trim_end_matches('/').to_owned())
        }
        _ => Err("it is an address such as https://mchezo.example".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_address_ends_without_a_slash() {
        assert_eq!(
            base("http://127.0.0.1:8080/"),
            Ok("http://127.0.0.1:8080".to_owned())
        );
        for bad in [
            "mchezo.example",
            "ftp://x.example",
            "https://x.example/?a",
            "",
        ] {
            assert!(base(bad).is_err(), "{bad}");
        }
    }
}
