//! The settings of the outgoing side.

use std::path::PathBuf;
use std::time::Duration;

use kit::config::{Profile, seconds};

use super::resolver::Overrides;
use crate::domain::address::AllowList;

/// How endpoints are called.
#[derive(Debug, Clone, clap::Args)]
pub struct Settings {
    /// Seconds in which an endpoint has to answer, from the look-up of its name to the end of the answer's head
    #[arg(long, default_value = "8", value_parser = seconds)]
    pub answer_timeout: Duration,
    /// Seconds in which the beginning of an answer's body is read
    #[arg(long, default_value = "1", value_parser = seconds)]
    pub excerpt_timeout: Duration,
    /// Idle connections that are kept for each host
    #[arg(long, default_value_t = 64)]
    pub idle_connections: usize,
    /// Certificate authorities to trust besides the public ones: a PEM file
    #[arg(long)]
    pub ca_file: Option<PathBuf>,
    /// Endpoints that need not be public, as `host:port,http://host:port` (local profile only)
    #[arg(long, default_value = "")]
    pub allow: AllowList,
    /// Names with fixed addresses, as `name=address:port,…` (local profile only)
    #[arg(long, default_value = "")]
    pub resolve: Overrides,
}

impl Settings {
    /// What `profile` does not allow.
    pub fn problems(&self, profile: Profile) -> Vec<String> {
        let given = [
            ("allow", !self.allow.is_empty()),
            ("resolve", !self.resolve.is_empty()),
        ];
        given
            .into_iter()
            .filter(|(_, given)| *given && profile == Profile::Production)
            .map(|(name, _)| {
                format!("`{name}` is for the local profile only: endpoints are public ones")
            })
            .collect()
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            answer_timeout: Duration::from_secs(8),
            excerpt_timeout: Duration::from_secs(1),
            idle_connections: 64,
            ca_file: None,
            allow: AllowList::default(),
            resolve: Overrides::default(),
        }
    }
}
