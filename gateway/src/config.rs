//! Settings of the gateway.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use contracts::public::{ApiPlan, ApiSettings};
use kit::config::{self, Common, Secret, a_second_or_more, count, milliseconds, seconds};
use kit::http_server::PortLimits;
use kit::public_url;
use kit::rpc::client::Addresses;

use crate::domain::plan::Plans;
use crate::domain::plan_table;
use crate::lookup::Options;
use crate::upstream;
use kit::client_address::{ProxyHeader, TrustedProxies};

#[derive(Debug, Clone, Args)]
pub struct Settings {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub port: Port,
    /// Redis 6.2 or newer: redis://host:port, redis+cluster://host:port,host:port, or rediss:// for TLS
    #[arg(long, hide_env_values = true, value_parser = kit::redis::url)]
    pub redis_url: Secret,
    /// Milliseconds after which Redis counts as unavailable; each gateway then counts calls alone
    #[arg(long, default_value = "50", value_parser = milliseconds)]
    pub redis_patience: Duration,
    /// Calls of an account that its log in Redis holds, a tenth of them with public keys or keys that no longer work; 0 for no log
    #[arg(long, default_value = "1000", value_parser = clap::value_parser!(u32).range(..=100_000))]
    pub call_log: u32,
    /// Milliseconds between writes of month use to PostgreSQL: the most that is lost with Redis
    #[arg(long, default_value = "10000", value_parser = milliseconds)]
    pub month_flush: Duration,
    /// Addresses of catalogue-svc: `https://a:1,https://b:2`, `file:/path` with one address per line, or `dns:https://name:port`
    #[arg(long)]
    pub catalogue_addresses: Addresses,
    /// Addresses of listings-svc, in the same form
    #[arg(long)]
    pub listings_addresses: Addresses,
    /// Addresses of economy-svc, in the same form
    #[arg(long)]
    pub economy_addresses: Addresses,
    /// Addresses of webhook-svc, in the same form
    #[arg(long)]
    pub webhook_addresses: Addresses,
    #[command(flatten)]
    pub upstream: UpstreamSettings,
    /// Prefix of all API keys
    #[arg(long, default_value = "svc_")]
    pub key_prefix: String,
    /// Page that explains error codes, each at an anchor
    #[arg(long)]
    pub docs_url: String,
    /// Base address of the API with its version, for its OpenAPI document
    #[arg(long, value_parser = public_url::parse)]
    pub api_url: String,
    /// TOML file with a table of plans, in the form of `proto/src/plans.toml`, whose `version`
    /// every change raises
    #[arg(long)]
    pub plans: Option<PathBuf>,
    /// Tips of one player to one game per minute
    #[arg(long, default_value = "30", value_parser = clap::value_parser!(u32).range(1..))]
    pub player_calls: u32,
    /// Percent of an account's calls per month that its public keys may make together
    #[arg(long, default_value = "50", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub public_share: u8,
    #[command(flatten)]
    pub lookup: LookupSettings,
}

/// Lookups of keys.
#[derive(Debug, Clone, Args)]
pub struct LookupSettings {
    /// Seconds that a cached key is accepted while changes cannot be read from PostgreSQL, at most a day
    #[arg(long, default_value = "3600", value_parser = a_day_or_less)]
    pub keys_outage: Duration,
    /// Seconds that a lookup of a key or of a month's use in PostgreSQL may take
    #[arg(long, default_value = "2", value_parser = a_second_or_more)]
    pub keys_deadline: Duration,
    /// Refused calls (401, 403) per minute, for each IPv4 address or IPv6 /64; five times as many for each IPv6 /48
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    pub refused_calls: u32,
    /// Proxies whose header about clients is trusted: `192.0.2.1,10.0.0.0/8`
    #[arg(long, default_value = "", hide_default_value = true)]
    pub trusted_proxies: TrustedProxies,
    /// Header in which the proxies name the client
    #[arg(long, value_enum, default_value = "x-forwarded-for")]
    pub proxy_header: ProxyHeader,
}

#[derive(Debug, Clone, Args)]
pub struct Port {
    /// Address of the public HTTP port
    #[arg(long, default_value = "127.0.0.1:8080")]
    pub http_listen: SocketAddr,
    #[command(flatten)]
    pub limits: PortLimits,
    /// Seconds for the body of a request
    #[arg(long, default_value = "10", value_parser = a_second_or_more)]
    pub http_body: Duration,
    /// Concurrent requests; up to 4,096 more wait, and further ones get 503
    #[arg(long, default_value = "256", value_parser = count)]
    pub http_calls: usize,
}

/// Calls to the services behind the gateway.
#[derive(Debug, Clone, Copy, Args)]
#[expect(clippy::struct_field_names, reason = "the settings have these names")]
pub struct UpstreamSettings {
    /// Deadline of a read from a service, in seconds
    #[arg(long, default_value = "2", value_parser = a_second_or_more)]
    pub upstream_deadline: Duration,
    /// Deadline of a write to a service, in seconds
    #[arg(long, default_value = "10", value_parser = a_second_or_more)]
    pub upstream_write_deadline: Duration,
    /// Concurrent calls to a service; further ones wait
    #[arg(long, default_value = "128", value_parser = count)]
    pub upstream_calls: usize,
    /// Milliseconds that a call waits for a permit before it gets 503
    #[arg(long, default_value = "500", value_parser = milliseconds)]
    pub upstream_patience: Duration,
}

impl UpstreamSettings {
    pub fn limits(&self) -> upstream::CallLimits {
        upstream::CallLimits {
            deadline: self.upstream_deadline,
            write_deadline: self.upstream_write_deadline,
            calls: self.upstream_calls,
            queue_timeout: self.upstream_patience,
        }
    }
}

impl Settings {
    pub fn lookup_options(&self) -> Options {
        Options { outage: self.lookup.keys_outage, deadline: self.lookup.keys_deadline }
    }

    /// What callers notice of the settings, for the OpenAPI document.
    pub fn for_callers(&self, plans: &Plans) -> ApiSettings {
        let limits = &self.port.limits;
        ApiSettings {
            key_prefix: self.key_prefix.clone(),
            public_share_percent: self.public_share,
            tips_per_minute: self.player_calls,
            refused_calls_per_minute: self.lookup.refused_calls,
            head_seconds: limits.http_head.as_secs(),
            body_seconds: self.port.http_body.as_secs(),
            idle_seconds: limits.http_idle.as_secs(),
            plans: plans.iter().map(ApiPlan::from).collect(),
        }
    }

    /// The table of plans.
    ///
    /// # Errors
    /// The file cannot be read, or a problem in it.
    pub fn plan_table(&self) -> Result<Plans, String> {
        let Some(path) = &self.plans else {
            return plan_table::parse(plan_table::BUILT_IN);
        };
        let text = std::fs::read_to_string(path);
        text.map_err(|error| format!("cannot read the file: {error}"))
            .and_then(|text| plan_table::parse(&text))
            .map_err(|problem| format!("plans: {}: {problem}", path.display()))
    }
}

impl config::Settings for Settings {
    const SERVICE: &'static str = "gateway";
    const PREFIX: &'static str = "GATEWAY";
    const ABOUT: &'static str =
        "The public API: authentication, plans, quotas, and calls to the services";

    fn common(&self) -> &Common {
        &self.common
    }

    fn problems(&self) -> Vec<String> {
        let mut problems: Vec<String> = self.plan_table().err().into_iter().collect();
        if !is_prefix(&self.key_prefix) {
            problems.push(
                "key_prefix: must be 1 to 16 lower-case letters or digits, followed by _, such as svc_"
                    .to_owned(),
            );
        }
        let docs = self.docs_url.parse::<http::Uri>().ok();
        if docs.is_none_or(|url| url.scheme().is_none() || url.host().is_none()) {
            problems.push(
                "docs_url: must be an address such as https://docs.example/errors".to_owned(),
            );
        }
        problems
    }
}

fn is_prefix(text: &str) -> bool {
    text.strip_suffix('_').is_some_and(|name| {
        (1..=16).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

/// Tombstones in Redis last for a day, so a revoked key must not be cached for longer.
fn a_day_or_less(value: &str) -> Result<Duration, String> {
    let time = seconds(value)?;
    if time > Duration::from_hours(24) {
        return Err("must be 86400 seconds (a day) or less".to_owned());
    }
    Ok(time)
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches as _;
    use kit::config::Settings as _;

    use super::*;

    fn settings(more: &[&str]) -> Settings {
        let given = [
            "gateway",
            "--database-url=postgres://h/d",
            "--fleet-token=fleet-token-fleet-token-fleet-token",
            "--staff-token=staff-token-staff-token-staff-token",
            "--redis-url=redis://127.0.0.1:1",
            "--catalogue-addresses=http://127.0.0.1:1",
            "--listings-addresses=http://127.0.0.1:2",
            "--economy-addresses=http://127.0.0.1:3",
            "--webhook-addresses=http://127.0.0.1:4",
            "--docs-url=https://docs.mchezo.example/errors",
            "--api-url=https://api.mchezo.example/v1",
        ];
        let command = clap::Command::new("gateway").args_override_self(true);
        let command = Settings::augment_args(command);
        let matches = command.get_matches_from(given.iter().chain(more));
        Settings::from_arg_matches(&matches).unwrap()
    }

    #[test]
    fn the_defaults_are_valid() {
        let settings = settings(&[]);
        assert_eq!(settings.problems(), [""; 0]);
        assert_eq!(settings.lookup.keys_outage, Duration::from_hours(1));
        assert_eq!(settings.lookup.trusted_proxies, TrustedProxies::default());
        assert!(!format!("{settings:?}").contains("fleet-token-fleet"));
    }

    #[test]
    fn keys_outage_is_at_most_a_day() {
        assert!(a_day_or_less("86400").is_ok());
        assert!(a_day_or_less("86401").is_err());
    }

    #[test]
    fn settings_for_callers_follow_the_flags() {
        let of = |more: &[&str]| {
            let settings = settings(more);
            settings.for_callers(&settings.plan_table().unwrap())
        };
        let usual = of(&[]);
        assert_eq!(usual.key_prefix, "svc_");
        assert_eq!(usual.plans[0].calls_per_month, Some(50_000));
        assert_eq!(usual.plan_of_new_accounts(), usual.plans.first());
        let changed = of(&[
            "--key-prefix=mz_",
            "--public-share=10",
            "--player-calls=5",
            "--refused-calls=7",
            "--http-head=3",
            "--http-body=4",
            "--http-idle=90",
        ]);
        let expected = ApiSettings {
            key_prefix: "mz_".to_owned(),
            public_share_percent: 10,
            tips_per_minute: 5,
            refused_calls_per_minute: 7,
            head_seconds: 3,
            body_seconds: 4,
            idle_seconds: 90,
            plans: usual.plans,
        };
        assert_eq!(changed, expected);
    }

    #[test]
    fn every_problem_is_reported() {
        let problems =
            settings(&["--plans=/nowhere/plans.toml", "--key-prefix=SVC", "--docs-url=docs"])
                .problems()
                .join("\n");
        for name in ["plans: /nowhere/plans.toml", "key_prefix:", "docs_url:"] {
            assert!(problems.contains(name), "{name} is missing in {problems}");
        }
    }
}
