//! The settings of webhook-svc.

use std::time::Duration;

use kit::config::{Common, a_second_or_more, count, seconds};
use kit::key_ring::KeyRing;
use kit::rpc::client::Addresses;

use crate::deliver::Limits;
use crate::domain::health::DisablePolicy;
use crate::domain::schedule::Schedule;
use crate::http;

/// PostgreSQL itself ends a statement that takes too long; without an answer after this time more, it has vanished.
const STATEMENT_MARGIN: Duration = Duration::from_secs(5);

#[derive(Debug, clap::Args)]
// clap would name the group after the type, as it does with those of `http`.
#[group(skip)]
// A private setting is read through a method below.
pub struct Settings {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    pub(crate) http: http::Settings,
    /// Where listings-svc is: `https://host:port,…`, `file:/path` or `dns:https://host:port`
    #[arg(long)]
    pub(crate) listings_addresses: Addresses,
    /// Where economy-svc is, in the same form
    #[arg(long)]
    pub(crate) economy_addresses: Addresses,
    /// Where catalogue-svc is, in the same form
    #[arg(long)]
    pub(crate) catalogue_addresses: Addresses,
    /// Where the gateway's internal port is, in the same form
    #[arg(long)]
    pub(crate) gateway_addresses: Addresses,
    /// Keys that encrypt signing secrets, as `id:base64,…` with 32 bytes each: the first encrypts, all decrypt. To replace one, add the new key behind the old one everywhere, then put it first
    #[arg(long, hide_env_values = true)]
    pub(crate) secret_keys: KeyRing,
    /// Base URL of the public pages, for links in messages, such as `https://mchezo.example`
    #[arg(long, value_parser = kit::public_url::parse)]
    pub(crate) public_url: String,
    /// Delays in seconds before each further attempt of a delivery
    #[arg(long, value_delimiter = ',', value_parser = seconds, default_value = "60,300,1800,7200,43200")]
    waits: Vec<Duration>,
    /// Hour (UTC) of the daily sweep of due deliveries
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(0..24))]
    pub(crate) sweep_hour: u8,
    /// Hours for which the old secret signs after a rotation
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(..=8_760))]
    rotation: u32,
    /// Failed deliveries in a row after which an endpoint is switched off
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(i32).range(1..))]
    off_after: i32,
    /// Minimum days between the first and the last of them
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(..=3_650))]
    off_after_days: u32,
    /// Days after which deliveries are removed, and messages can no longer be pulled
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(2..=3_650))]
    retention: u32,
    /// Maximum deliveries in flight to one endpoint
    #[arg(long, default_value = "64", value_parser = count)]
    in_flight_per_endpoint: usize,
    /// Maximum deliveries in flight of a replica
    #[arg(long, default_value = "4096", value_parser = count)]
    in_flight: usize,
    /// Maximum endpoints that a replica delivers to at once
    #[arg(long, default_value = "2048", value_parser = count)]
    endpoints_at_once: usize,
    /// Seconds after which the endpoints of a replica that has died or hangs are delivered to by another
    #[arg(long, default_value = "10", value_parser = a_second_or_more)]
    lease: Duration,
}

impl Settings {
    pub(crate) fn schedule(&self) -> Schedule {
        Schedule::new(self.waits.clone())
    }

    pub(crate) fn disable_policy(&self) -> DisablePolicy {
        DisablePolicy {
            failures: self.off_after,
            span: time::Duration::days(self.off_after_days.into()),
        }
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits {
            in_flight: self.in_flight,
            per_endpoint: self.in_flight_per_endpoint,
            endpoints: self.endpoints_at_once,
            lease: self.lease,
            statement_timeout: self.common.database.database_statement_timeout + STATEMENT_MARGIN,
        }
    }

    pub(crate) fn rotation(&self) -> time::Duration {
        time::Duration::hours(self.rotation.into())
    }

    pub(crate) fn retention(&self) -> time::Duration {
        time::Duration::days(self.retention.into())
    }
}

impl kit::config::Settings for Settings {
    const SERVICE: &'static str = "webhook-svc";
    const PREFIX: &'static str = "WEBHOOK";
    const ABOUT: &'static str =
        "The webhooks of Mchezo: signed deliveries of events to customers' endpoints";

    fn common(&self) -> &Common {
        &self.common
    }

    fn problems(&self) -> Vec<String> {
        self.http.problems(self.common.profile)
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, FromArgMatches as _};

    use super::*;

    #[test]
    fn the_default_settings_equal_the_default_policies() {
        let command = Settings::augment_args(clap::Command::new("webhook-svc"));
        let addresses = ["listings", "economy", "catalogue", "gateway"];
        let addresses = addresses.map(|name| format!("--{name}-addresses=http://127.0.0.1:1"));
        let token = "0123456789abcdef0123456789abcdef";
        let given = [
            "webhook-svc".to_owned(),
            "--database-url=postgres://127.0.0.1/none".to_owned(),
            format!("--fleet-token={token}"),
            format!("--staff-token={token}0"),
            "--public-url=https://mchezo.example".to_owned(),
            "--secret-keys=a:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=".to_owned(),
        ];
        let matches = command.try_get_matches_from(given.into_iter().chain(addresses));
        let settings = Settings::from_arg_matches(&matches.unwrap()).unwrap();
        assert_eq!(settings.schedule(), Schedule::default());
        assert_eq!(settings.disable_policy(), DisablePolicy::default());
        assert_eq!(settings.rotation(), time::Duration::DAY);
        assert_eq!(kit::config::Settings::problems(&settings), [""; 0]);
    }
}
