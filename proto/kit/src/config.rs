//! Settings: one clap struct a service, read once at start from flags, environment variables and an optional TOML file.
//!
//! Structs carry no environment names. A setting with id `database_url` of the service with prefix `LISTINGS` is the flag
//! `--database-url`, the variable `LISTINGS_DATABASE_URL` and the TOML key `database_url`; flags win over the environment, the
//! environment over the file, the file over the default. Every problem is reported at once.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, ValueEnum};

/// What a service needs to know at start.
pub trait Settings: Args + FromArgMatches + Send + 'static {
    /// Name of the service and its binary, for example `listings-svc`.
    const SERVICE: &'static str;
    /// What its environment variables begin with, for example `LISTINGS`.
    const PREFIX: &'static str;
    /// One sentence for `--help`.
    const ABOUT: &'static str;

    /// The settings that every service has.
    fn common(&self) -> &Common;

    /// Problems that only show when settings are held against each other.
    fn problems(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Settings of every service.
#[derive(Debug, Clone, Args)]
pub struct Common {
    /// `production` refuses what only a developer's machine may have: a clock that can be moved
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
    pub telemetry: Telemetry,
    /// A file whose content, in seconds such as +3600, moves this process's clock (local profile only)
    #[arg(long)]
    pub clock_file: Option<PathBuf>,
    /// Seconds that calls under way are given to finish at shutdown
    #[arg(long, default_value = "10", value_parser = seconds)]
    pub drain: Duration,
}

/// Where a process runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Profile {
    /// A developer's machine, or a test.
    Local,
    /// Anywhere else.
    Production,
}

/// The service's own database.
#[derive(Debug, Clone, Args)]
pub struct Database {
    /// PostgreSQL, as `postgres://user:password@host:port/database`
    #[arg(long, hide_env_values = true)]
    pub database_url: Secret,
    /// Connections to PostgreSQL at most
    #[arg(long, default_value_t = 10)]
    pub database_connections: u32,
}

/// Who may call the internal port.
#[derive(Debug, Clone, Args)]
pub struct Identity {
    /// The secret by which services of the fleet know each other, 32 characters or more
    #[arg(long, hide_env_values = true, value_parser = token)]
    pub fleet_token: Secret,
    /// The secret that staff calls carry, 32 characters or more
    #[arg(long, hide_env_values = true, value_parser = token)]
    pub staff_token: Secret,
}

/// Logs and traces.
#[derive(Debug, Clone, Args)]
pub struct Telemetry {
    /// What is logged: a level, or filters such as `info,sqlx=warn`
    #[arg(long, default_value = "info")]
    pub log: String,
    /// How log lines are written
    #[arg(long, value_enum, default_value = "json")]
    pub log_format: LogFormat,
    /// OpenTelemetry collector (OTLP over gRPC), for example `http://127.0.0.1:4317`; none: no traces leave the process
    #[arg(long)]
    pub otlp_endpoint: Option<String>,
    /// Share of requests that are traced, 0 to 1
    #[arg(long, default_value = "0.01", value_parser = share)]
    pub trace_sample: f64,
}

/// How log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// One JSON object a line, for machines.
    Json,
    /// For people.
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

fn token(value: &str) -> Result<Secret, String> {
    if value.chars().count() < 32 {
        return Err("a token has 32 characters or more".to_owned());
    }
    if !value.bytes().all(|b| b.is_ascii_graphic()) {
        return Err("a token has visible ASCII characters only".to_owned());
    }
    Ok(Secret(value.to_owned()))
}

fn share(value: &str) -> Result<f64, String> {
    match value.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a share is a number from 0 to 1".to_owned()),
    }
}

/// Parses whole seconds.
pub fn seconds(value: &str) -> Result<Duration, String> {
    value
        .parse()
        .map(Duration::from_secs)
        .ok()
        .ok_or_else(|| "a whole number of seconds is wanted".to_owned())
}

/// Reads the settings of a service from this process's arguments and environment.
///
/// # Errors
/// A text for the user that names every problem, or the answer to `--help`.
pub fn load<S: Settings>() -> Result<S, clap::Error> {
    load_from(std::env::args_os())
}

fn load_from<S: Settings>(args: impl IntoIterator<Item = OsString>) -> Result<S, clap::Error> {
    let args: Vec<OsString> = args.into_iter().collect();
    let mut problems = Vec::new();
    let mut command = with_file(command::<S>(), &args, &mut problems);

    let matches = loop {
        match command.clone().try_get_matches_from(&args) {
            Ok(matches) => break matches,
            Err(error) => match culprit(&command, &error) {
                // Note the problem, let this one setting be, and look for the next problem.
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
    if problems.is_empty() {
        let settings = S::from_arg_matches(&matches)?;
        problems.extend(cross_check(settings.common()));
        problems.extend(settings.problems());
        if problems.is_empty() {
            return Ok(settings);
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
    let command = S::augment_args(Command::new(S::SERVICE).arg(config)).mut_args(|arg| {
        let id = arg.get_id().as_str();
        if matches!(id, "help" | "version") {
            return arg;
        }
        let variable = format!("{}_{}", S::PREFIX, id.to_uppercase());
        arg.env(variable)
    });
    // After the arguments, which bring the comment of their struct along.
    command
        .about(S::ABOUT)
        .long_about(None)
        .version(env!("CARGO_PKG_VERSION"))
}

/// Makes the values of the TOML file, if one is named, the defaults.
fn with_file(command: Command, args: &[OsString], problems: &mut Vec<String>) -> Command {
    let named: Option<ArgMatches> = command
        .clone()
        .ignore_errors(true)
        .try_get_matches_from(args)
        .ok();
    let Some(path) = named.and_then(|m| m.get_one::<PathBuf>("config").cloned()) else {
        return command;
    };
    match read(&path) {
        Ok(table) => table.into_iter().fold(command, |command, (key, value)| {
            if key == "config"
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
        .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    text.parse()
        .map_err(|error| format!("{} is not TOML: {error}", path.display()))
}

/// Which setting a clap error is about, and the problem in one line. `None`: not about one setting's value.
fn culprit(command: &Command, error: &clap::Error) -> Option<(String, String)> {
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
                _ => "something else".to_owned(),
            };
            format!("takes {allowed}")
        }
        // The value itself is not repeated: it may be a secret.
        ErrorKind::ValueValidation => std::error::Error::source(error).map_or_else(
            || "is not acceptable".to_owned(),
            |source| format!("is not acceptable: {source}"),
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
        problems.push("clock_file: the clock can be moved in the local profile only".to_owned());
    }
    if common.identity.fleet_token == common.identity.staff_token {
        problems.push(
            "staff_token: must differ from fleet_token, or every service could act as staff"
                .to_owned(),
        );
    }
    problems
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

    fn load(args: &[&str]) -> Result<Example, clap::Error> {
        load_from(
            std::iter::once("example-svc")
                .chain(args.iter().copied())
                .map(OsString::from),
        )
    }

    #[test]
    fn every_problem_is_named_at_once_and_no_secret_shown() {
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
    fn a_file_gives_defaults_and_flags_win() {
        let file = std::env::temp_dir().join(crate::ids::row_id().to_string());
        std::fs::write(&file, "size = 5\nlog = \"warn\"\n").unwrap();
        let config = format!("--config={}", file.display());
        let args = [
            &config,
            "--database-url=postgres://h/d",
            &format!("--fleet-token={FLEET}"),
            &format!("--staff-token={STAFF}"),
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
    fn settings_are_held_against_each_other() {
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
}
