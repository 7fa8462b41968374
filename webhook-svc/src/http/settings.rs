//! The settings of the HTTP client.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser as _;
use kit::config::{Profile, a_second_or_more};

use crate::domain::address::AllowList;

#[derive(Debug, Clone, clap::Parser)]
pub struct Settings {
    /// Seconds until an endpoint must have answered, from the look-up of its name to the end of the response's head
    #[arg(long, default_value = "8", value_parser = a_second_or_more)]
    pub answer_timeout: Duration,
    /// Seconds for reading the beginning of a response's body
    #[arg(long, default_value = "1", value_parser = a_second_or_more)]
    pub excerpt_timeout: Duration,
    /// Seconds for the HEAD request to an address that is entered
    #[arg(long, default_value = "2", value_parser = a_second_or_more)]
    pub address_check_timeout: Duration,
    /// Maximum idle connections per host
    #[arg(long, default_value_t = 64)]
    pub idle_connections: usize,
    /// A PEM file with certificate authorities to trust in addition to the public ones
    #[arg(long)]
    pub ca_file: Option<PathBuf>,
    /// Endpoints that need not be public, as `host:port,http://host:port` (local profile only)
    #[arg(long, default_value = "")]
    pub allow: AllowList,
}

impl Settings {
    /// Settings that `profile` does not allow.
    pub fn problems(&self, profile: Profile) -> Vec<String> {
        if self.allow.is_empty() || profile != Profile::Production {
            return Vec::new();
        }
        vec![
            "`allow` is for the local profile only: in production all endpoints are public"
                .to_owned(),
        ]
    }
}

impl Default for Settings {
    /// The settings without any argument, for tests.
    fn default() -> Self {
        Self::parse_from(["webhook-svc"])
    }
}
