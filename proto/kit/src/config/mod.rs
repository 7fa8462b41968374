//! Settings: one clap struct per service, read once at start from flags and environment variables.
//!
//! The structs do not name environment variables. A setting with id `database_url` of the service with prefix `LISTINGS` is the flag
//! `--database-url` and the variable `LISTINGS_DATABASE_URL`; flags override the environment. One message reports every problem.
//!
//! Without a command the process is the service. `migrate` and `check-config` read the same settings, do their work and end.

mod arguments;
mod check;
mod values;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, FromArgMatches, ValueEnum};

use crate::secret::tokens;
use values::{collector_url, log_filter, postgres_url, share};

pub use crate::secret::{Secret, Tokens};
pub(crate) use arguments::{Request, load};
pub use values::{a_second_or_more, count, milliseconds, seconds};

/// The settings of a service.
pub trait Settings: Args + FromArgMatches + Send + 'static {
    /// The name of the service and of its binary, for example `listings-svc`.
    const SERVICE: &'static str;
    /// The prefix of its environment variables, for example `LISTINGS`.
    const PREFIX: &'static str;
    /// One sentence for `--help`.
    const ABOUT: &'static str;

    /// The settings that every service has.
    fn common(&self) -> &Common;

    /// Problems that depend on more than one setting.
    fn problems(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Settings of every service.
#[derive(Debug, Clone, Args)]
pub struct Common {
    /// `local` allows features for a developer's machine, such as a clock that can be moved
    #[arg(long, value_enum, default_value = "production")]
    pub profile: Profile,
    /// Address of the internal gRPC port
    #[arg(long, default_value = "127.0.0.1:7000")]
    pub grpc_listen: SocketAddr,
    /// Address of /healthz, /readyz and /metrics
    #[arg(long, default_value = crate::healthcheck::ADMIN)]
    pub admin_listen: SocketAddr,
    #[command(flatten)]
    #[expect(missing_docs, reason = "see the type")]
    pub database: Database,
    #[command(flatten)]
    #[expect(missing_docs, reason = "see the type")]
    pub identity: Identity,
    #[command(flatten)]
    #[expect(missing_docs, reason = "see the type")]
    pub tls: Tls,
    /// Hosts of PostgreSQL and Redis, separated by commas, that production may reach without TLS: nobody else reads the network between
    #[arg(long, default_value = "", hide_default_value = true)]
    pub plaintext_hosts: String,
    #[command(flatten)]
    #[expect(missing_docs, reason = "see the type")]
    pub telemetry: Telemetry,
    /// A file whose content, in seconds such as +3600, moves this process's clock (local profile only)
    #[arg(long)]
    pub clock_file: Option<PathBuf>,
    /// Seconds for which the process accepts after SIGTERM, although it is not ready: longer than balancers take to notice
    #[arg(long, default_value = "5", value_parser = seconds)]
    pub shutdown_delay: Duration,
    /// Seconds that running calls have left at shutdown
    #[arg(long, default_value = "10", value_parser = seconds)]
    pub drain: Duration,
}

/// A connection for notifications, which are awaited for ever; one for a follower; one for a job; and one for calls.
const LEAST_CONNECTIONS: i64 = 4;

/// The environment of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Profile {
    /// A developer's machine or a test.
    Local,
    /// Anywhere else.
    Production,
}

/// The service's own database.
#[derive(Debug, Clone, Args)]
#[expect(clippy::struct_field_names, reason = "the settings have these names")]
pub struct Database {
    /// PostgreSQL, as `postgres://user:password@host:port/database`; the user need not change the schema
    #[arg(long, hide_env_values = true, value_parser = postgres_url)]
    pub database_url: Secret,
    /// The most connections to PostgreSQL, 4 or more: one waits for notifications; jobs, followers and calls share the others
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(LEAST_CONNECTIONS..=10_000))]
    pub database_connections: u32,
    /// Seconds that PostgreSQL may take for a connection or a write
    #[arg(long, default_value = "5", value_parser = a_second_or_more)]
    pub database_deadline: Duration,
    /// Seconds that a statement may take; jobs that need longer say so themselves
    #[arg(long, default_value = "30", value_parser = a_second_or_more)]
    pub database_statement_timeout: Duration,
    /// Seconds that a statement waits for a lock
    #[arg(long, default_value = "5", value_parser = a_second_or_more)]
    pub database_lock_timeout: Duration,
    /// Seconds that a transaction may stand idle: PostgreSQL ends the session of a process that hangs, which frees its locks
    #[arg(long, default_value = "10", value_parser = a_second_or_more)]
    pub database_idle_in_transaction_timeout: Duration,
}

/// The settings of `migrate`.
#[derive(Debug, Clone)]
pub struct Migration {
    /// PostgreSQL, as the owner of the schema.
    pub url: Secret,
    /// How long PostgreSQL may take for a connection.
    pub deadline: Duration,
    /// How long a migration in a transaction waits for a lock before it lets others pass.
    pub lock_timeout: Duration,
}

/// Who may call the internal port.
#[derive(Debug, Clone, Args)]
pub struct Identity {
    /// The tokens of services of the fleet, up to 8 of 32 characters or more, separated by commas: all are accepted, the first is sent
    #[arg(long, hide_env_values = true, value_parser = tokens)]
    pub fleet_token: Tokens,
    /// The tokens of staff calls, up to 8 of 32 characters or more, separated by commas: all are accepted
    #[arg(long, hide_env_values = true, value_parser = tokens)]
    pub staff_token: Tokens,
    /// A file of the members of staff: a line has a name, a role, the SHA-256 of a token and its last day. It is read again when it changes
    #[arg(long)]
    pub staff_members: Option<PathBuf>,
}

/// TLS between the services: PEM files, all three or none, which are read at the start.
#[derive(Debug, Clone, Args)]
#[expect(clippy::struct_field_names, reason = "the settings have these names")]
pub struct Tls {
    /// The certificate with which this process serves and calls, and its chain (PEM): one of its DNS names is the name of the service
    #[arg(long)]
    pub tls_certificate: Option<PathBuf>,
    /// The private key of the certificate (PEM)
    #[arg(long)]
    pub tls_key: Option<PathBuf>,
    /// The authorities that sign the certificates of the services, one or more (PEM)
    #[arg(long)]
    pub tls_ca: Option<PathBuf>,
}

/// The files of [`Tls`].
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "see `Tls`")]
pub struct TlsFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
    pub ca: PathBuf,
}

impl Tls {
    /// The files; `None` without TLS.
    pub fn files(&self) -> Option<TlsFiles> {
        Some(TlsFiles {
            certificate: self.tls_certificate.clone()?,
            key: self.tls_key.clone()?,
            ca: self.tls_ca.clone()?,
        })
    }

    fn is_empty(&self) -> bool {
        self.tls_certificate.is_none() && self.tls_key.is_none() && self.tls_ca.is_none()
    }
}

/// Logs and traces.
#[derive(Debug, Clone, Args)]
pub struct Telemetry {
    /// The log filter: a level, or filters such as `info,sqlx=warn`
    #[arg(long, default_value = "info", value_parser = log_filter)]
    pub log: String,
    /// The format of log lines
    #[arg(long, value_enum, default_value = "json")]
    pub log_format: LogFormat,
    /// The OpenTelemetry collector (OTLP over gRPC, without TLS), for example `http://127.0.0.1:4317`; without one, no traces are sent
    #[arg(long, value_parser = collector_url)]
    pub otlp_endpoint: Option<String>,
    /// The share of requests that are traced, 0 to 1
    #[arg(long, default_value = "0.01", value_parser = share)]
    pub trace_sample: f64,
}

/// The format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// One JSON object per line, for machines.
    Json,
    /// Text, for people.
    Text,
}

#[cfg(test)]
mod tests;
