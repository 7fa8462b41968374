//! Reads the settings from arguments and environment variables, and names every problem.

use std::ffi::OsString;
use std::time::Duration;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgMatches, Command, FromArgMatches as _, ValueEnum};

use super::check::{cross_check, plaintext_servers, refused_addresses};
use super::values::postgres_url;
use super::{Migration, Secret, Settings, Telemetry};
use crate::healthcheck;

/// What a process does instead of the work of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Task {
    /// Bring the schema up to date as its owner, and end
    Migrate,
    /// Check the settings, name every problem, and end
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

pub(super) fn load_from<S: Settings>(
    args: impl IntoIterator<Item = OsString>,
) -> Result<Request<S>, clap::Error> {
    let args: Vec<OsString> = args.into_iter().collect();
    let mut problems = Vec::new();
    let mut command = command::<S>();
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
    if problems.is_empty() && task(&matches) == Some(Task::Migrate) {
        problems.extend(plaintext_servers(&command, &matches));
        match migration(&matches) {
            Some(migration) if problems.is_empty() => {
                let telemetry = Telemetry::from_arg_matches(&matches)?;
                return Ok(Request::Migrate(migration, telemetry));
            }
            Some(_) => {}
            None => problems.push(format!("{}_DATABASE_OWNER_URL is not set", S::PREFIX)),
        }
    }
    if problems.is_empty() {
        let settings = S::from_arg_matches(&matches)?;
        problems.extend(cross_check(settings.common()));
        problems.extend(refused_addresses(&command, &matches, settings.common()));
        problems.extend(plaintext_servers(&command, &matches));
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
        format!("{} cannot start with these settings:\n  - {list}\n", S::SERVICE),
    ))
}

/// The clap command of a service, each setting with its environment variable.
fn command<S: Settings>() -> Command {
    let task = Arg::new("task")
        .value_name("COMMAND")
        .value_parser(clap::value_parser!(Task))
        .help("Do this instead of the work of the service");
    let owner = Arg::new("database_owner_url")
        .long("database-owner-url")
        .hide_env_values(true)
        .value_parser(postgres_url)
        .help("PostgreSQL as the owner of the schema, for `migrate` [default: `database_url`]");
    let command = Command::new(S::SERVICE).args([task, owner]);
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
        .after_help(format!(
            "`{} {} [IP:PORT]` asks the admin port of a running service, by default {}, whether it is ready",
            S::SERVICE,
            healthcheck::COMMAND,
            healthcheck::ADMIN
        ))
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

/// The setting of a clap error, and the problem in one line; `None` when the error is not about the value of a setting.
fn problem_of(command: &Command, error: &clap::Error) -> Option<(String, String)> {
    let named = match error.get(ContextKind::InvalidArg)? {
        ContextValue::String(name) => name,
        ContextValue::Strings(names) => names.first()?,
        _ => return None,
    };
    let flag = named.split_whitespace().next()?.trim_start_matches("--");
    let arg = command.get_arguments().find(|arg| arg.get_long() == Some(flag))?;
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
        ErrorKind::ValueValidation => std::error::Error::source(error)
            .map_or_else(|| "is not valid".to_owned(), |source| format!("is not valid: {source}")),
        _ => return None,
    };
    Some((arg.get_id().to_string(), format!("{variable} (--{flag}) {reason}")))
}
