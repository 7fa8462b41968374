//! Tests anybody's receiver: see the library.
#![expect(clippy::print_stderr, reason = "a command-line tool")]

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use http::Uri;
use receiver::check::{self, Probe};
use receiver::client::Client;
use receiver::signature::Secret;

/// Holds a receiver of Mchezo's webhooks to the six rules of the contract
///
/// It sends signed and tampered messages about a game that does not exist, so let it talk to a receiver that is there for testing. A rule that
/// cannot be seen from outside is reported as `not checked`. The status is 0 when no rule was found broken, 1 when one was, 2 when nothing
/// could be checked.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// The receiver, such as `http://127.0.0.1:9400/`
    url: Uri,
    /// Its signing secret
    #[arg(long, env = "SERVICE_WEBHOOK_SECRET", hide_env_values = true)]
    secret: Secret,
    /// A command that restarts the receiver, and returns
    #[arg(long, value_name = "COMMAND")]
    restart: Option<String>,
    /// A command that prints how often the work of the message `$WEBHOOK_ID` was done
    #[arg(long, value_name = "COMMAND")]
    handled: Option<String>,
    /// An event for which the receiver does work
    #[arg(long, default_value = "listing.published")]
    event: String,
    /// Seconds after which an answer is not one at once
    #[arg(long, default_value_t = 2.0)]
    at_once: f64,
    /// Seconds that it has to do its work, and to come back after a restart
    #[arg(long, default_value_t = 60.0)]
    patience: f64,
    /// Authorities to trust besides the public ones: a PEM file
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Options::parse()).await {
        Ok(has_failed) => ExitCode::from(u8::from(has_failed)),
        Err(error) => {
            eprintln!("webhook-check: {error:#}");
            ExitCode::from(2)
        }
    }
}

async fn run(options: Options) -> anyhow::Result<bool> {
    let probe = Probe {
        client: Client::new(options.ca_file.as_deref())?,
        url: options.url,
        secret: options.secret,
        restart: options.restart,
        handled: options.handled,
        event: options.event,
        at_once: Duration::try_from_secs_f64(options.at_once)?,
        patience: Duration::try_from_secs_f64(options.patience)?,
    };
    let found = probe
        .client
        .post(&probe.url, http::HeaderMap::new(), bytes::Bytes::new());
    if let Err(problem) = found.await {
        anyhow::bail!(
            "{} is not there: {problem}. Start the receiver first",
            probe.url
        );
    }
    let report = check::run(&probe).await;
    // Whoever reads may hang up.
    write!(io::stdout(), "{report}").ok();
    Ok(report.has_failed())
}
