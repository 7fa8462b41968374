//! Settings.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use kit::config::{self, Common, Secret, seconds};
use kit::rpc::client::Addresses;

use crate::domain::address::{Proxies, ProxyHeader};
use crate::domain::plan::Plans;
use crate::domain::plan_table;
use crate::lookup::Bounds;
use crate::upstream;

/// What the gateway needs to know at start.
#[derive(Debug, Clone, Args)]
pub struct Settings {
    #[command(flatten)]
    #[expect(missing_docs, reason = "see the type")]
    pub common: Common,
    #[command(flatten)]
    #[expect(missing_docs, reason = "see the type")]
    pub port: Port,
    /// Redis 6.2 or newer, as redis://host:port, redis+cluster://host:port,host:port, or rediss:// for TLS
    #[arg(long, hide_env_values = true)]
    pub redis_url: Secret,
    /// Milliseconds after which Redis counts as away, and calls are counted by this process alone
    #[arg(long, default_value = "50", value_parser = milliseconds)]
    pub redis_patience: Duration,
    /// Milliseconds between two writings of the month's use to the database: so much may be forgotten with Redis
    #[arg(long, default_value = "1000", value_parser = milliseconds)]
    pub month_flush: Duration,
    /// catalogue-svc: `http://a:1,http://b:2`, or `file:/path` with an address a line, or `dns:http://name:port`
    #[arg(long)]
    pub catalogue_addresses: Addresses,
    /// listings-svc, written likewise
    #[arg(long)]
    pub listings_addresses: Addresses,
    /// economy-svc, written likewise
    #[arg(long)]
    pub economy_addresses: Addresses,
    #[command(flatten)]
    #[expect(missing_docs, reason = "see the type")]
    pub upstream: Upstream,
    /// What every key begins with
    #[arg(long, default_value = "svc_")]
    pub key_prefix: String,
    /// Page that explains errors; a code is an anchor in it
    #[arg(long, default_value = "https://docs.mchezo.example/errors")]
    pub docs_url: String,
    /// A TOML file with another table of plans, see the README
    #[arg(long)]
    pub plans: Option<PathBuf>,
    /// Tips of one player to one game in a minute
    #[arg(long, default_value = "30", value_parser = clap::value_parser!(u32).range(1..))]
    pub player_calls: u32,
    /// Seconds that a key works on after it was rotated
    #[arg(long, default_value = "86400", value_parser = seconds)]
    pub grace: Duration,
    #[command(flatten)]
    #[expect(missing_docs, reason = "see the type")]
    pub lookup: Lookup,
}

/// Looking keys up.
#[derive(Debug, Clone, Args)]
pub struct Lookup {
    /// Seconds that a key in memory is believed while changes of keys cannot be read from PostgreSQL, a day or `grace` at most
    #[arg(long, default_value = "3600", value_parser = a_day_or_less)]
    pub keys_outage: Duration,
    /// Seconds that PostgreSQL has to say whose key it is
    #[arg(long, default_value = "2", value_parser = a_second_or_more)]
    pub keys_deadline: Duration,
    /// Unknown keys that are looked up in a minute for an IPv4 address or an IPv6 network (/64)
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    pub unknown_keys: u32,
    /// Balancers and proxies in front, whose header about callers is believed: `192.0.2.1,10.0.0.0/8`
    #[arg(long, default_value = "", hide_default_value = true)]
    pub trusted_proxies: Proxies,
    /// The header that they write
    #[arg(long, value_enum, default_value = "x-forwarded-for")]
    pub proxy_header: ProxyHeader,
}

/// The public port.
#[derive(Debug, Clone, Args)]
pub struct Port {
    /// Address of the public HTTP port
    #[arg(long, default_value = "127.0.0.1:8080")]
    pub http_listen: SocketAddr,
    /// Connections to it at once; others wait in the kernel's backlog
    #[arg(long, default_value_t = 4_096, value_parser = clap::value_parser!(u32).range(1..))]
    pub http_connections: u32,
    /// Threads that serve it [default: one for each core]
    #[arg(long, value_parser = threads)]
    pub http_threads: Option<usize>,
    /// Calls that each thread runs at once; up to 4,096 others wait, and a call beyond is answered 503
    #[arg(long, default_value = "512", value_parser = calls)]
    pub http_calls: usize,
    #[command(flatten)]
    #[expect(missing_docs, reason = "see the type")]
    pub timeouts: Timeouts,
}

/// Calls to the services behind.
#[derive(Debug, Clone, Copy, Args)]
#[expect(clippy::struct_field_names, reason = "the settings have these names")]
pub struct Upstream {
    /// Seconds that a service has to answer
    #[arg(long, default_value = "2", value_parser = seconds)]
    pub upstream_deadline: Duration,
    /// Seconds that a service has to change something
    #[arg(long, default_value = "10", value_parser = seconds)]
    pub upstream_write_deadline: Duration,
    /// Calls that a service has at once, for each thread; further ones wait
    #[arg(long, default_value = "64", value_parser = calls)]
    pub upstream_calls: usize,
    /// Milliseconds that such a call waits before it is answered 503
    #[arg(long, default_value = "500", value_parser = milliseconds)]
    pub upstream_patience: Duration,
}

impl Upstream {
    /// As calls are held to it.
    pub fn bounds(&self) -> upstream::Bounds {
        upstream::Bounds {
            deadline: self.upstream_deadline,
            write_deadline: self.upstream_write_deadline,
            calls: self.upstream_calls,
            patience: self.upstream_patience,
        }
    }
}

/// How long a caller is waited for before its connection is closed.
#[derive(Debug, Clone, Copy, Args)]
#[expect(clippy::struct_field_names, reason = "the settings have these names")]
pub struct Timeouts {
    /// Seconds that the head of a request may take; the first one begins with the connection
    #[arg(long, default_value = "10", value_parser = a_second_or_more)]
    pub http_head: Duration,
    /// Seconds that the body of a request may take
    #[arg(long, default_value = "10", value_parser = a_second_or_more)]
    pub http_body: Duration,
    /// Seconds that a connection may be without a call
    #[arg(long, default_value = "30", value_parser = a_second_or_more)]
    pub http_idle: Duration,
    /// Seconds that an answer may wait to be taken
    #[arg(long, default_value = "30", value_parser = a_second_or_more)]
    pub http_write: Duration,
}

impl Settings {
    /// What look-ups of keys are held to. A gateway that has not seen a rotation may not believe the old key beyond its `grace`; without
    /// a grace every gateway learns of a rotation as of a revocation.
    pub fn lookup_bounds(&self) -> Bounds {
        let outage = if self.grace.is_zero() {
            self.lookup.keys_outage
        } else {
            self.lookup.keys_outage.min(self.grace)
        };
        Bounds {
            outage,
            deadline: self.lookup.keys_deadline,
            unknown_a_minute: self.lookup.unknown_keys,
        }
    }

    /// The table of plans.
    ///
    /// # Errors
    /// Every problem in it.
    pub fn plan_table(&self) -> Result<Plans, Vec<String>> {
        let Some(path) = &self.plans else {
            return plan_table::parse(plan_table::BUILT_IN);
        };
        let problem = |text: String| format!("plans: {}: {text}", path.display());
        let text = std::fs::read_to_string(path)
            .map_err(|error| vec![problem(format!("it cannot be read: {error}"))])?;
        plan_table::parse(&text).map_err(|list| list.into_iter().map(problem).collect())
    }
}

impl config::Settings for Settings {
    const SERVICE: &'static str = "gateway";
    const PREFIX: &'static str = "GATEWAY";
    const ABOUT: &'static str =
        "The public interface: keys, plans, quotas, and the way to the services behind";

    fn common(&self) -> &Common {
        &self.common
    }

    fn problems(&self) -> Vec<String> {
        let mut problems = self.plan_table().err().unwrap_or_default();
        if !is_prefix(&self.key_prefix) {
            problems.push(
                "key_prefix: takes up to 16 lower-case letters or digits and then _, such as svc_"
                    .to_owned(),
            );
        }
        let docs = self.docs_url.parse::<http::Uri>().ok();
        if docs.is_none_or(|url| url.scheme().is_none() || url.host().is_none()) {
            problems
                .push("docs_url: is not an address such as https://docs.example/errors".to_owned());
        }
        problems
    }
}

fn is_prefix(text: &str) -> bool {
    text.strip_suffix('_').is_some_and(|name| {
        (1..=16).contains(&name.len())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

fn a_second_or_more(value: &str) -> Result<Duration, String> {
    let time = seconds(value)?;
    if time.is_zero() {
        return Err("1 second or more is wanted".to_owned());
    }
    Ok(time)
}

fn threads(value: &str) -> Result<usize, String> {
    let threads = value.parse().ok();
    threads
        .filter(|threads| (1..=1_024).contains(threads))
        .ok_or_else(|| "a whole number from 1 to 1024 is wanted".to_owned())
}

/// A revocation leaves its mark in Redis for a day: nobody may go on believing a key for longer.
fn a_day_or_less(value: &str) -> Result<Duration, String> {
    let time = seconds(value)?;
    if time > Duration::from_hours(24) {
        return Err("86400 seconds, a day, or less is wanted".to_owned());
    }
    Ok(time)
}

fn calls(value: &str) -> Result<usize, String> {
    let calls = value.parse().ok().filter(|calls| *calls > 0);
    calls.ok_or_else(|| "a whole number of calls, 1 or more, is wanted".to_owned())
}

fn milliseconds(value: &str) -> Result<Duration, String> {
    value
        .parse()
        .ok()
        .filter(|milliseconds| *milliseconds > 0)
        .map(Duration::from_millis)
        .ok_or_else(|| "a whole number of milliseconds, 1 or more, is wanted".to_owned())
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
        ];
        let command = Settings::augment_args(clap::Command::new("gateway"));
        let matches = command.get_matches_from(given.iter().chain(more));
        Settings::from_arg_matches(&matches).unwrap()
    }

    #[test]
    fn the_defaults_are_good() {
        let settings = settings(&[]);
        assert_eq!(settings.problems(), [""; 0]);
        assert_eq!(settings.grace, Duration::from_hours(24));
        assert_eq!(settings.lookup.keys_outage, Duration::from_hours(1));
        assert_eq!(settings.lookup.trusted_proxies, Proxies::default());
        assert!(!format!("{settings:?}").contains("fleet-token-fleet"));
    }

    #[test]
    fn nobody_believes_a_key_for_longer_than_its_revocation_is_marked() {
        assert!(a_day_or_less("86400").is_ok());
        assert!(a_day_or_less("86401").is_err());
    }

    #[test]
    fn nobody_believes_a_key_for_longer_than_its_grace() {
        let outage = |more: &[&str]| settings(more).lookup_bounds().outage;
        assert_eq!(outage(&["--grace=600"]), Duration::from_mins(10));
        let both = ["--grace=600", "--keys-outage=60"];
        assert_eq!(outage(&both), Duration::from_mins(1));
        assert_eq!(outage(&["--grace=0"]), Duration::from_hours(1));
    }

    #[test]
    fn every_problem_is_found() {
        let problems = settings(&[
            "--plans=/nowhere/plans.toml",
            "--key-prefix=SVC",
            "--docs-url=docs",
        ])
        .problems()
        .join("\n");
        for name in ["plans: /nowhere/plans.toml", "key_prefix:", "docs_url:"] {
            assert!(problems.contains(name), "{name} is missing in {problems}");
        }
    }
}
