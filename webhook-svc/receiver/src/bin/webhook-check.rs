//! Tests a receiver: see the library.
#![expect(clippy::print_stderr, reason = "a command-line tool")]

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use http::Uri;
use receiver::check::{self, Target};
use receiver::client::Client;
use receiver::signature::Secrets;

/// Test whether a receiver of Mchezo's webhooks conforms to the six rules of the contract
///
/// It sends signed and tampered messages about a game that does not exist: use a test deployment of the receiver. A rule that a client cannot
/// see is reported as `not checked`. The exit status is 0 when no check failed, 1 when one failed, 2 when nothing could be checked.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// The receiver, such as `http://127.0.0.1:9400/`
    url: Uri,
    /// Its signing secret; or two with a space between them, which it accepts both while its secret is rotated
    #[arg(long, env = "SERVICE_WEBHOOK_SECRET", hide_env_values = true)]
    secret: Secrets,
    /// A command that restarts the receiver and returns
    #[arg(long, value_name = "COMMAND")]
    restart: Option<String>,
    /// A command that prints how often the message `$WEBHOOK_ID` was processed
    #[arg(long, value_name = "COMMAND")]
    handled: Option<String>,
    /// An event that the receiver processes
    #[arg(long, default_value = "listing.published")]
    event: String,
    /// Maximum seconds of an immediate response; the service itself waits for 8
    #[arg(long, default_value_t = 2.0)]
    at_once: f64,
    /// Timeout in seconds of processing a message, and of a restart
    #[arg(long, default_value_t = 60.0)]
    patience: f64,
    /// A PEM file with certificate authorities to trust in addition to the public ones
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
    let prompt_answer = Duration::try_from_secs_f64(options.at_once)?;
    let target = Target {
        client: Client::new(options.ca_file.as_deref())?.with_timeout_of_at_least(prompt_answer),
        url: options.url,
        secret: options.secret.current,
        other_secrets: options.secret.others,
        restart: options.restart,
        handled: options.handled,
        event: options.event,
        prompt_answer,
        timeout: Duration::try_from_secs_f64(options.patience)?,
    };
    let found = target
        .client
        .post(&target.url, http::HeaderMap::new(), bytes::Bytes::new());
    if let Err(problem) = found.await {
        anyhow::bail!(
            "{} does not respond: {problem}. Start the receiver first",
            target.url
        );
    }
    let report = check::run(&target).await;
    // A closed pipe is not an error.
    write!(io::stdout(), "{report}").ok();
    Ok(report.has_failed())
}
