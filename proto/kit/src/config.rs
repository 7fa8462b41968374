//! Settings: one clap struct per service, read once at start from flags, environment variables and an optional TOML file.
//!
//! The structs do not name environment variables. A setting with id `database_url` of the service with prefix `LISTINGS` is the flag
//! `--database-url`, the variable `LISTINGS_DATABASE_URL` and the TOML key `database_url`; flags override the environment,
//! the environment overrides the file, and the file overrides the default. One message reports every problem.
//!
//! Without a command the process is the service. `migrate` and `check-config` read the same settings, do their work and end.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use sqlx::postgres::PgConnectOptions;
use subtle::{Choice, ConstantTimeEq as _};

use crate::{grpc_address, shared_settings};

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
    #[arg(long, default_value = "127.0.0.1:9000")]
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

impl Common {
    /// The problem of a gRPC port that would serve other machines without TLS.
    pub fn port_without_tls(&self, setting: &str, address: SocketAddr) -> Option<String> {
        let is_local = self.profile == Profile::Local || address.ip().is_loopback();
        let is_exposed = !is_local && self.tls.files().is_none();
        is_exposed.then(|| {
            format!("{setting}: {address} serves other machines without TLS: set tls_certificate, tls_key and tls_ca")
        })
    }
}

/// One that waits for notifications for ever, one for a follower, one for a job, and one for calls.
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

/// The tokens of the internal port.
#[derive(Debug, Clone, Args)]
pub struct Identity {
    /// The tokens of services of the fleet, up to 8 of 32 characters or more, separated by commas: all are accepted, the first is sent
    #[arg(long, hide_env_values = true, value_parser = tokens)]
    pub fleet_token: Tokens,
    /// The tokens of staff calls, up to 8 of 32 characters or more, separated by commas: all are accepted
    #[arg(long, hide_env_values = true, value_parser = tokens)]
    pub staff_token: Tokens,
}

/// TLS between the services: PEM files, all three or none. They are read again when they change.
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
    #[arg(long, default_value = "info")]
    pub log: String,
    /// The format of log lines
    #[arg(long, value_enum, default_value = "json")]
    pub log_format: LogFormat,
    /// The OpenTelemetry collector (OTLP over gRPC), for example `http://127.0.0.1:4317`; without one, no traces are sent
    #[arg(long)]
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

/// A value that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The value itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for Secret {
    fn from(value: String) -> Self {
        Self(value)
    }
}

impl std::str::FromStr for Secret {
    type Err = std::convert::Infallible;

    fn from_str(value: &str) -> Result<Self, Self::Err> {
        Ok(Self(value.to_owned()))
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

/// The tokens of one purpose. There are several while one replaces another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokens {
    /// The token that calls carry.
    pub first: Secret,
    /// The other tokens that are accepted.
    pub others: Vec<Secret>,
}

impl Tokens {
    /// All of them, the first one first.
    pub fn all(&self) -> impl Iterator<Item = &Secret> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// Whether a caller sent one of them. The time does not depend on which.
    pub fn accepts(&self, sent: &[u8]) -> bool {
        let found = self.all().fold(Choice::from(0), |found, token| {
            found | token.expose().as_bytes().ct_eq(sent)
        });
        found.into()
    }
}

impl From<Secret> for Tokens {
    fn from(first: Secret) -> Self {
        let others = Vec::new();
        Self { first, others }
    }
}

/// Comparing a sent token takes time for each of them.
const MAX_TOKENS: usize = 8;

fn tokens(value: &str) -> Result<Tokens, String> {
    let mut tokens = value.split(',').map(|text| token(text.trim()));
    let first = tokens.next().unwrap_or_else(|| token(""))?;
    let others: Vec<Secret> = tokens.collect::<Result<_, _>>()?;
    if others.len() >= MAX_TOKENS {
        return Err(format!("it must have {MAX_TOKENS} tokens or fewer"));
    }
    Ok(Tokens { first, others })
}

fn postgres_url(value: &str) -> Result<Secret, String> {
    let parsed = value.parse::<PgConnectOptions>();
    parsed.map(|_| Secret(value.to_owned())).map_err(|_error| {
        "it must be a URL such as postgres://user:password@host:5432/database".to_owned()
    })
}

fn token(value: &str) -> Result<Secret, String> {
    if value.chars().count() < 32 {
        return Err("each token must have 32 characters or more".to_owned());
    }
    if !value.bytes().all(|b| b.is_ascii_graphic()) {
        return Err("each token must have only visible ASCII characters".to_owned());
    }
    Ok(Secret(value.to_owned()))
}

fn share(value: &str) -> Result<f64, String> {
    match value.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("it must be a number from 0 to 1".to_owned()),
    }
}

/// Parses whole seconds, up to a million, which is less than PostgreSQL's longest timeout and can be added to any time.
pub fn seconds(value: &str) -> Result<Duration, String> {
    let seconds = value.parse().ok().filter(|seconds| *seconds <= 1_000_000);
    seconds
        .map(Duration::from_secs)
        .ok_or_else(|| "it must be a whole number of seconds, 1000000 or less".to_owned())
}

/// Parses whole milliseconds, from 1 to a minute.
pub fn milliseconds(value: &str) -> Result<Duration, String> {
    let milliseconds = value.parse().ok();
    milliseconds
        .filter(|milliseconds| (1..=60_000).contains(milliseconds))
        .map(Duration::from_millis)
        .ok_or_else(|| "it must be a whole number of milliseconds from 1 to 60000".to_owned())
}

/// Parses how many may be in use at once, from 1 to a million.
pub fn count(value: &str) -> Result<usize, String> {
    let count = value.parse().ok();
    count
        .filter(|count| (1..=1_000_000).contains(count))
        .ok_or_else(|| "it must be a whole number from 1 to 1000000".to_owned())
}

/// Parses whole seconds, one or more.
pub fn a_second_or_more(value: &str) -> Result<Duration, String> {
    seconds(value).and_then(|time| match time {
        Duration::ZERO => Err("it must be 1 second or more".to_owned()),
        time => Ok(time),
    })
}

/// What a process does instead of the work of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Task {
    /// Bring the schema up to date as its owner, and end
    Migrate,
    /// Check the settings and those that other services must have alike, name every problem, and end
    CheckConfig,
}

/// What the arguments ask for, with its settings.
#[derive(Debug)]
pub(crate) enum Request<S> {
    /// To be the service.
    Serve(S),
    /// To bring the schema up to date.
    Migrate(Migration, Telemetry),
    /// To check the settings, which are good.
    CheckConfig,
}

/// Loads the settings of a service from the arguments and the environment of this process.
///
/// # Errors
/// A message for the user that names every problem, or the output of `--help`.
pub(crate) fn load<S: Settings>() -> Result<Request<S>, clap::Error> {
    load_from(std::env::args_os())
}

fn load_from<S: Settings>(
    args: impl IntoIterator<Item = OsString>,
) -> Result<Request<S>, clap::Error> {
    let args: Vec<OsString> = args.into_iter().collect();
    let mut problems = Vec::new();
    let mut command = with_file(command::<S>(), &args, &mut problems);
    if without_errors(&command, &args).and_then(|it| task(&it)) == Some(Task::Migrate) {
        command = command.mut_args(|arg| arg.required(false));
    }

    let matches = loop {
        match command.clone().try_get_matches_from(&args) {
            Ok(matches) => break matches,
            Err(error) => match problem_of(&command, &error) {
                // Records the problem, accepts any value for this setting, and looks for the next problem.
                Some((id, problem)) => {
                    problems.push(problem);
                    command = command.mut_arg(id, |arg| {
                        arg.required(false)
                            .env(clap::builder::Resettable::Reset)
                            .default_value(clap::builder::Resettable::Reset)
                            .value_parser(clap::builder::ValueParser::os_string())
                    });
                }
                None => return Err(error),
            },
        }
    };
    if task(&matches) == Some(Task::CheckConfig) {
        problems.extend(shared_settings::differences(|name| {
            std::env::var_os(name)?.into_string().ok()
        }));
    }
    if problems.is_empty() && task(&matches) == Some(Task::Migrate) {
        if let Some(migration) = migration(&matches) {
            let telemetry = Telemetry::from_arg_matches(&matches)?;
            return Ok(Request::Migrate(migration, telemetry));
        }
        problems.push(format!("{}_DATABASE_OWNER_URL is not set", S::PREFIX));
    }
    if problems.is_empty() {
        let settings = S::from_arg_matches(&matches)?;
        problems.extend(cross_check(settings.common()));
        problems.extend(refused_addresses(&command, &matches, settings.common()));
        if settings.common().profile == Profile::Production {
            problems.extend(placeholders(&command, &matches));
        }
        problems.extend(settings.problems());
        if problems.is_empty() {
            return Ok(match task(&matches) {
                Some(_) => Request::CheckConfig,
                None => Request::Serve(settings),
            });
        }
    }
    let list = problems.join("\n  - ");
    Err(command.error(
        ErrorKind::ValueValidation,
        format!(
            "{} cannot start with these settings:\n  - {list}\n",
            S::SERVICE
        ),
    ))
}

/// The clap command of a service, each setting with its environment variable.
fn command<S: Settings>() -> Command {
    let config = Arg::new("config")
        .long("config")
        .value_name("FILE")
        .value_parser(clap::value_parser!(PathBuf))
        .help("A TOML file with settings");
    let task = Arg::new("task")
        .value_name("COMMAND")
        .value_parser(clap::value_parser!(Task))
        .help("Do this instead of the work of the service");
    let owner = Arg::new("database_owner_url")
        .long("database-owner-url")
        .hide_env_values(true)
        .value_parser(postgres_url)
        .help("PostgreSQL as the owner of the schema, for `migrate` [default: `database_url`]");
    let command = Command::new(S::SERVICE).args([task, config, owner]);
    let command = S::augment_args(command).mut_args(|arg| {
        let id = arg.get_id().as_str();
        if matches!(id, "help" | "version" | "task") {
            return arg;
        }
        let variable = format!("{}_{}", S::PREFIX, id.to_uppercase());
        arg.env(variable)
    });
    // After the arguments, which would set the doc comment of their struct.
    command
        .about(S::ABOUT)
        .long_about(None)
        .version(env!("CARGO_PKG_VERSION"))
}

/// The arguments that could be read; `None` for `--help`.
fn without_errors(command: &Command, args: &[OsString]) -> Option<ArgMatches> {
    let command = command.clone().ignore_errors(true);
    command.try_get_matches_from(args).ok()
}

fn task(matches: &ArgMatches) -> Option<Task> {
    matches.get_one::<Task>("task").copied()
}

/// The settings of `migrate`; `None` without a URL.
fn migration(matches: &ArgMatches) -> Option<Migration> {
    let url = |name| matches.get_one::<Secret>(name).cloned();
    let duration = |name| matches.get_one::<Duration>(name).copied();
    Some(Migration {
        url: url("database_owner_url").or_else(|| url("database_url"))?,
        deadline: duration("database_deadline")?,
        lock_timeout: duration("database_lock_timeout")?,
    })
}

/// Uses the values of the TOML file in `--config` as defaults.
fn with_file(command: Command, args: &[OsString], problems: &mut Vec<String>) -> Command {
    let matches = without_errors(&command, args);
    let Some(path) = matches.and_then(|m| m.get_one::<PathBuf>("config").cloned()) else {
        return command;
    };
    match read(&path) {
        Ok(table) => table.into_iter().fold(command, |command, (key, value)| {
            if matches!(key.as_str(), "config" | "task")
                || !command
                    .get_arguments()
                    .any(|arg| arg.get_id() == key.as_str())
            {
                problems.push(format!(
                    "`{key}` in {} is not a setting; --help lists them",
                    path.display()
                ));
                return command;
            }
            let text = match value {
                toml::Value::String(text) => text,
                other => other.to_string(),
            };
            command.mut_arg(key, |arg| arg.required(false).default_value(text))
        }),
        Err(problem) => {
            problems.push(problem);
            command
        }
    }
}

fn read(path: &Path) -> Result<toml::Table, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    text.parse()
        .map_err(|error| format!("{} is not valid TOML: {error}", path.display()))
}

/// The setting of a clap error, and the problem in one line; `None` when the error is not about the value of a setting.
fn problem_of(command: &Command, error: &clap::Error) -> Option<(String, String)> {
    let named = match error.get(ContextKind::InvalidArg)? {
        ContextValue::String(name) => name,
        ContextValue::Strings(names) => names.first()?,
        _ => return None,
    };
    let flag = named.split_whitespace().next()?.trim_start_matches("--");
    let arg = command
        .get_arguments()
        .find(|arg| arg.get_long() == Some(flag))?;
    let variable = arg.get_env()?.to_string_lossy();
    let reason = match error.kind() {
        ErrorKind::MissingRequiredArgument => "is not set".to_owned(),
        ErrorKind::InvalidValue => {
            let allowed = match error.get(ContextKind::ValidValue) {
                Some(ContextValue::Strings(values)) => values.join(" or "),
                _ => "another value".to_owned(),
            };
            format!("must be {allowed}")
        }
        // The message does not repeat the value, which may be a secret.
        ErrorKind::ValueValidation => std::error::Error::source(error).map_or_else(
            || "is not valid".to_owned(),
            |source| format!("is not valid: {source}"),
        ),
        _ => return None,
    };
    Some((
        arg.get_id().to_string(),
        format!("{variable} (--{flag}) {reason}"),
    ))
}

fn cross_check(common: &Common) -> Vec<String> {
    let mut problems = Vec::new();
    if common.profile == Profile::Production && common.clock_file.is_some() {
        problems.push("clock_file: it is allowed only in the local profile".to_owned());
    }
    let Identity {
        fleet_token,
        staff_token,
    } = &common.identity;
    if staff_token
        .all()
        .any(|token| fleet_token.accepts(token.expose().as_bytes()))
    {
        problems.push(
            "staff_token: must differ from fleet_token; otherwise every service could act as staff"
                .to_owned(),
        );
    }
    let has_tls = common.tls.files().is_some();
    if !has_tls && !common.tls.is_empty() {
        problems.push("tls_certificate, tls_key and tls_ca: set all three or none".to_owned());
    }
    problems.extend(common.port_without_tls("grpc_listen", common.grpc_listen));
    problems
}

/// Settings with addresses of services that would not be called. Addresses in a file are checked when they are read.
fn refused_addresses(command: &Command, matches: &ArgMatches, common: &Common) -> Vec<String> {
    let settings = command.get_arguments().filter_map(|arg| {
        let id = arg.get_id().as_str();
        let is_list = id.ends_with("_addresses");
        let mut values = is_list.then(|| matches.get_raw(id)).flatten()?;
        Some((arg, values.next()?.to_string_lossy()))
    });
    settings
        .filter_map(|(arg, value)| {
            let list = value.strip_prefix("dns:").unwrap_or(&value).split(',');
            let mut addresses = list.filter_map(|text| grpc_address::parse(text.trim()).ok());
            let problem = addresses.find_map(|address| refusal(&address, common))?;
            let (variable, flag) = (arg.get_env()?.to_string_lossy(), arg.get_long()?);
            Some(format!("{variable} (--{flag}): {problem}"))
        })
        .collect()
}

fn refusal(address: &http::Uri, common: &Common) -> Option<String> {
    if grpc_address::has_tls(address) {
        let is_missing = common.tls.files().is_none();
        return is_missing.then(|| {
            format!("{address} is reached by TLS: set tls_certificate, tls_key and tls_ca")
        });
    }
    let is_refused = common.profile == Profile::Production && grpc_address::is_exposed(address);
    is_refused.then(|| format!("{address} is called without TLS: use an https:// address"))
}

/// Settings with an address of the documentation, which leads nowhere. The mailer checks its own (`mail`). A value may be a secret, so it
/// is not named.
fn placeholders(command: &Command, matches: &ArgMatches) -> Vec<String> {
    let is_placeholder = |arg: &&Arg| {
        let id = arg.get_id().as_str();
        let known = !matches!(id, "config" | "help" | "version") && !id.starts_with("mail");
        let values = known.then(|| matches.get_raw(id)).flatten();
        (values.into_iter().flatten()).any(|value| names_placeholder(&value.to_string_lossy()))
    };
    let settings = command.get_arguments().filter(is_placeholder);
    settings
        .filter_map(|arg| {
            let (variable, flag) = (arg.get_env()?.to_string_lossy(), arg.get_long()?);
            Some(format!(
                "{variable} (--{flag}) has an address of the documentation (`.example`, `example.com`): give the real one"
            ))
        })
        .collect()
}

/// Whether a text has a host name that RFC 2606 reserves for examples.
fn names_placeholder(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    text.to_ascii_lowercase()
        .split(|c: char| !is_part(c))
        .map(|name| name.trim_end_matches('.'))
        .any(|name| {
            let mut labels = name.rsplit('.');
            let (last, before) = (labels.next(), labels.next());
            match last {
                Some("example") => before.is_some(),
                Some("com" | "net" | "org") => before == Some("example"),
                _ => false,
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Args)]
    struct Example {
        #[command(flatten)]
        common: Common,
        /// How many
        #[arg(long, default_value_t = 3)]
        size: u32,
        /// Where the documentation is
        #[arg(long, default_value = "https://docs.mchezo.example/errors")]
        docs: String,
        /// Where the pages are
        #[arg(long, default_value = "https://mchezo.africa")]
        pages: String,
        /// Where another service is
        #[arg(long, default_value = "http://127.0.0.1:1")]
        other_addresses: String,
    }

    impl Settings for Example {
        const SERVICE: &'static str = "example-svc";
        const PREFIX: &'static str = "EXAMPLE_TEST";
        const ABOUT: &'static str = "An example";
        fn common(&self) -> &Common {
            &self.common
        }
    }

    const FLEET: &str = "fleet-token-fleet-token-fleet-token";
    const STAFF: &str = "staff-token-staff-token-staff-token";

    fn request(args: &[&str]) -> Result<Request<Example>, clap::Error> {
        load_from(
            std::iter::once("example-svc")
                .chain(args.iter().copied())
                .map(OsString::from),
        )
    }

    fn load(args: &[&str]) -> Result<Example, clap::Error> {
        match request(args)? {
            Request::Serve(settings) => Ok(settings),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_problem_is_named_without_secrets() {
        let text = load(&[
            "--size=many",
            "--fleet-token=short-secret",
            "--profile=moon",
        ])
        .unwrap_err()
        .to_string();
        for part in [
            "EXAMPLE_TEST_SIZE",
            "EXAMPLE_TEST_FLEET_TOKEN",
            "EXAMPLE_TEST_STAFF_TOKEN",
            "EXAMPLE_TEST_DATABASE_URL",
            "EXAMPLE_TEST_PROFILE",
        ] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
        assert!(!text.contains("short-secret"), "{text}");
    }

    #[test]
    fn tokens_are_a_list_of_which_the_first_is_sent() {
        let new = "new-token-new-token-new-token-new-token";
        let list = tokens(&format!("{FLEET}, {new}")).unwrap();
        assert_eq!(list.first.expose(), FLEET);
        for token in [FLEET, new] {
            assert!(list.accepts(token.as_bytes()));
            assert_eq!(tokens(token), Ok(Tokens::from(Secret(token.to_owned()))));
        }
        for other in ["", STAFF, &FLEET[1..], &format!("{FLEET},{new}")] {
            assert!(!list.accepts(other.as_bytes()), "{other}");
        }
        assert!(tokens(&[FLEET; MAX_TOKENS].join(",")).is_ok());
        for bad in [
            "",
            "short",
            &format!("{FLEET},"),
            &format!(",{FLEET}"),
            &format!("{FLEET},short"),
            &format!("{FLEET},{new} {new}"),
            &[FLEET; MAX_TOKENS + 1].join(","),
        ] {
            assert!(tokens(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn no_token_is_both_of_the_fleet_and_of_staff() {
        let load = |staff: &str| {
            let tokens = [
                format!("--fleet-token={FLEET}-1,{FLEET}-2"),
                format!("--staff-token={staff}"),
            ];
            let database = "--database-url=postgres://h/d";
            load(&["--profile=local", database, &tokens[0], &tokens[1]])
        };
        assert!(load(&format!("{STAFF}-1,{STAFF}-2")).is_ok());
        let text = load(&format!("{STAFF},{FLEET}-2")).unwrap_err().to_string();
        assert!(text.contains("staff_token"), "{text}");
        assert!(!text.contains(FLEET), "{text}");
    }

    #[test]
    fn flags_override_the_file() {
        let file = std::env::temp_dir().join(crate::ids::row_id().to_string());
        std::fs::write(&file, "size = 5\nlog = \"warn\"\n").unwrap();
        let config = format!("--config={}", file.display());
        let args = [
            &config,
            "--database-url=postgres://h/d",
            &format!("--fleet-token={FLEET}"),
            &format!("--staff-token={STAFF}"),
            "--profile=local",
        ];
        let settings = load(&args).unwrap();
        assert_eq!(
            (settings.size, settings.common.telemetry.log.as_str()),
            (5, "warn")
        );
        let flagged = load(&[&args[..], &["--size=9"]].concat()).unwrap();
        assert_eq!(flagged.size, 9);

        std::fs::write(&file, "sise = 5\n").unwrap();
        let text = load(&args).unwrap_err().to_string();
        assert!(text.contains("`sise`"), "{text}");
        std::fs::remove_file(&file).unwrap();
    }

    #[test]
    fn settings_are_cross_checked() {
        let text = load(&[
            "--database-url=postgres://h/d",
            &format!("--fleet-token={FLEET}"),
            &format!("--staff-token={FLEET}"),
            "--clock-file=/tmp/clock",
        ])
        .unwrap_err()
        .to_string();
        assert!(
            text.contains("clock_file") && text.contains("staff_token"),
            "{text}"
        );
    }

    /// Valid settings, and more.
    fn load_with(more: &[&str]) -> Result<Example, String> {
        let tokens = [
            format!("--fleet-token={FLEET}"),
            format!("--staff-token={STAFF}"),
        ];
        let given = ["--database-url=postgres://h/d", &tokens[0], &tokens[1]];
        load(&[&given[..], more].concat()).map_err(|error| error.to_string())
    }

    #[test]
    fn production_refuses_addresses_of_the_documentation() {
        let secret = "--database-url=postgres://u:hush-hush@db.example.com./d";
        let tokens = [
            format!("--fleet-token={FLEET}"),
            format!("--staff-token={STAFF}"),
        ];
        let text = load(&[secret, &tokens[0], &tokens[1]])
            .unwrap_err()
            .to_string();
        for name in ["EXAMPLE_TEST_DOCS", "EXAMPLE_TEST_DATABASE_URL"] {
            assert!(text.contains(name), "{name} is missing in {text}");
        }
        assert!(!text.contains("EXAMPLE_TEST_PAGES"), "{text}");
        assert!(!text.contains("hush-hush"), "{text}");
        assert!(load_with(&["--profile=local"]).is_ok());
        assert!(load_with(&["--docs=https://docs.mchezo.africa/errors"]).is_ok());

        for name in [
            "a@Mchezo.Example",
            "http://x.example:80/a",
            "b,https://example.org",
        ] {
            assert!(names_placeholder(name), "{name}");
        }
        for name in [
            "https://mchezo.africa/example",
            "example",
            "https://example.com.gh",
            "my-example.com",
        ] {
            assert!(!names_placeholder(name), "{name}");
        }
    }

    #[test]
    fn production_refuses_ports_and_addresses_without_tls_off_loopback() {
        // Other problems are those of addresses of the documentation.
        let load =
            |more: &[&str]| load_with(&[&["--docs=https://mchezo.africa"][..], more].concat());
        let tls = ["--tls-certificate=a", "--tls-key=b", "--tls-ca=c"];
        for plain in [
            "--grpc-listen=0.0.0.0:7000",
            "--other-addresses=http://127.0.0.1:1, http://10.0.0.5:7000",
            "--other-addresses=dns:http://other:7000",
        ] {
            let text = load(&[plain]).unwrap_err();
            let flag = plain.split('=').next().unwrap().trim_start_matches("--");
            let id = flag.replace('-', "_");
            assert!(text.contains(flag) || text.contains(&id), "{plain}: {text}");
            assert!(load(&["--profile=local", plain]).is_ok(), "{plain}");
        }
        let listen = "--grpc-listen=0.0.0.0:7000";
        assert!(load(&[&tls[..], &[listen]].concat()).is_ok());
        assert!(load(&["--other-addresses=file:/run/other"]).is_ok());

        let https = "--other-addresses=https://10.0.0.5:7000";
        assert!(load(&[&tls[..], &[https]].concat()).is_ok());
        let text = load(&["--profile=local", https]).unwrap_err();
        assert!(text.contains("tls_certificate"), "{text}");
        let text = load(&["--profile=local", tls[0]]).unwrap_err();
        assert!(text.contains("all three or none"), "{text}");
    }

    #[test]
    fn migrations_need_no_setting_but_a_database() {
        let url = |args: &[&str]| match request(args) {
            Ok(Request::Migrate(migration, _)) => migration.url.expose().to_owned(),
            other => panic!("{other:?}"),
        };
        let (own, owner) = (
            "--database-url=postgres://runtime@h/d",
            "--database-owner-url=postgres://owner@h/d",
        );
        assert_eq!(url(&["migrate", own]), "postgres://runtime@h/d");
        assert_eq!(url(&["migrate", own, owner]), "postgres://owner@h/d");
        let text = request(&["migrate"]).unwrap_err().to_string();
        assert!(
            text.contains("EXAMPLE_TEST_DATABASE_OWNER_URL is not set"),
            "{text}"
        );
        let text = request(&["migrate", "--database-url=a-secret"]);
        let text = text.unwrap_err().to_string();
        assert!(text.contains("EXAMPLE_TEST_DATABASE_URL") && !text.contains("a-secret"));
    }

    #[test]
    fn a_check_finds_what_a_start_would_find() {
        let bad = ["check-config", "--size=many"];
        let text = request(&bad).unwrap_err().to_string();
        for name in ["EXAMPLE_TEST_SIZE", "EXAMPLE_TEST_FLEET_TOKEN"] {
            assert!(text.contains(name), "{name} is missing in {text}");
        }
        let tokens = [
            format!("--fleet-token={FLEET}"),
            format!("--staff-token={STAFF}"),
        ];
        let given = ["check-config", "--database-url=postgres://h/d"];
        let given = [&given[..], &[&tokens[0], &tokens[1]]].concat();
        let text = request(&given).unwrap_err().to_string();
        assert!(text.contains("EXAMPLE_TEST_DOCS"), "{text}");
        let good = request(&[&given[..], &["--profile=local"]].concat());
        assert!(matches!(good, Ok(Request::CheckConfig)), "{good:?}");
    }

    #[test]
    fn numbers_with_which_a_service_would_not_work_are_refused() {
        for bad in [
            "--database-connections=0",
            "--database-connections=3",
            "--database-connections=4294967295",
            "--database-deadline=0",
            "--database-statement-timeout=0",
            "--database-statement-timeout=2147484",
            "--database-lock-timeout=0",
            "--database-idle-in-transaction-timeout=0",
            "--drain=18446744073709551615",
            "--shutdown-delay=-1",
        ] {
            let text = load_with(&["--profile=local", bad]).unwrap_err();
            let flag = bad.split('=').next().unwrap();
            assert!(text.contains(flag), "{bad}: {text}");
        }
        let least = ["--profile=local", "--database-connections=4", "--drain=0"];
        assert!(load_with(&least).is_ok());
    }
}
