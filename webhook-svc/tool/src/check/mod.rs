//! `webhook check`: tests whether a receiver conforms to the six rules of the contract, as far as a client can see.

mod message;
mod report;
mod rules;
mod table;
mod tampering;
mod target;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use http::Uri;

use self::report::{Finding, Report, Verdict};
use self::target::Target;
use crate::client::Client;
use crate::print;
use crate::signature::Secrets;

/// Test whether a receiver of Mchezo's webhooks conforms to the six rules of the contract
///
/// It sends signed and tampered messages about a game that does not exist: use a test deployment of the receiver. A rule that a client cannot
/// see is reported as `not checked`. The exit status is 0 when no check failed, 1 when one failed, 2 when nothing could be checked.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
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

/// The result of a rule's check.
type Outcome = Result<(), Verdict>;

/// Checks a receiver, and prints the report.
pub(crate) async fn run(options: Options) -> anyhow::Result<ExitCode> {
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
    let found = target.client.post(&target.url, http::HeaderMap::new(), bytes::Bytes::new());
    if let Err(problem) = found.await {
        anyhow::bail!("{} does not respond: {problem}. Start the receiver first", target.url);
    }
    let report = check(&target).await;
    print(&report.to_string());
    Ok(ExitCode::from(u8::from(report.has_failed())))
}

/// Checks all rules in their order.
async fn check(target: &Target) -> Report {
    let finding = |rule, what, outcome: Outcome| Finding {
        rule,
        what,
        verdict: match outcome {
            Ok(()) => Verdict::Passed,
            Err(verdict) => verdict,
        },
    };
    Report(vec![
        finding(
            1,
            "reads the raw body before it parses it",
            target.send_probes(table::RAW_BODIES).await,
        ),
        finding(2, "answers 401 to a wrong time or signature", rules::signatures(target).await),
        finding(2, "… and compares signatures in constant time", rules::constant_time()),
        finding(3, "answers 400 to a signed body that is not JSON", rules::not_json(target).await),
        finding(
            4,
            "does the work of an id once, restarts included",
            rules::handled_id(target).await,
        ),
        finding(5, "answers 200 at once and works afterwards", rules::prompt_answer(target).await),
        finding(6, "answers 200 to events it does not know", rules::unknown_event(target).await),
    ])
}
