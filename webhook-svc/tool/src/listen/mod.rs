//! `webhook listen`: pulls messages, and prints each or posts it to a receiver, signed as the service signs.
//!
//! Messages are posted one after the other, in their order. One that the receiver does not accept is tried again, and is set aside after so
//! many attempts, so that the others get through.

use std::future::pending;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use http::Uri;
use tokio::io::Interest;
use tokio::net::unix::pipe;
use tokio::time::sleep;

use crate::api::{Api, CallError, Message, StartPoint};
use crate::client::Client;
use crate::clock::now;
use crate::signature::{self, Secret, UnsignedMessage};
use crate::{BROKEN_PIPE, show};

/// The attempts after which a message is set aside.
const ATTEMPTS: u32 = 5;
/// The wait after the first attempt. Each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// The error of a pipe that is opened without a reader.
const ENXIO: i32 = 6;

/// Pull the messages of an account from the API, and print them or post them to a receiver
///
/// The key of the account is in the environment variable `SERVICE_API_KEY`. Where it stopped is not remembered: begin with --since.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Base address of the API, such as `https://api.example/v1`
    #[arg(long, value_name = "URL")]
    api: String,
    /// The receiver, such as `http://127.0.0.1:3000/hooks`; without it, messages are printed
    #[arg(long, value_name = "URL", requires = "secret")]
    forward_to: Option<Uri>,
    /// The secret that signs what is posted: any that the receiver has
    #[arg(long, env = "SERVICE_WEBHOOK_SECRET", hide_env_values = true)]
    secret: Option<Secret>,
    /// Where to begin: `now`, or a timestamp such as 2026-03-01T08:00:00Z, at most 30 days ago
    #[arg(long, value_name = "MOMENT", default_value = "now")]
    since: String,
    /// Seconds between calls when nothing is new; each call counts against the quota
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3600))]
    interval: u64,
    /// A PEM file with certificate authorities to trust in addition to the public ones
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
}

/// Pulls until it is interrupted, or nobody reads its output.
pub(crate) async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let client = Client::new(options.ca_file.as_deref())?;
    let api = Api::new(client.clone(), &options.api, &api_key()?).map_err(anyhow::Error::msg)?;
    let puller = Puller {
        api,
        receiver: options.forward_to.zip(options.secret),
        client,
        interval: Duration::from_secs(options.interval),
        first_wait: FIRST_WAIT,
        show,
    };
    tokio::select! {
        ended = puller.run(options.since) => ended?,
        interrupted = tokio::signal::ctrl_c() => interrupted?,
        () = reader_is_gone() => return Ok(ExitCode::from(BROKEN_PIPE)),
    }
    Ok(ExitCode::SUCCESS)
}

/// Waits until the reader of the output has closed its pipe: the next message may come in days.
async fn reader_is_gone() {
    // A second file description: the one that prints must stay in blocking mode.
    match pipe::OpenOptions::new().open_sender("/dev/stdout") {
        Ok(stdout) => drop(stdout.ready(Interest::ERROR).await),
        Err(error) if error.raw_os_error() == Some(ENXIO) => {}
        // It is no pipe. A failed write will tell.
        Err(_) => pending().await,
    }
}

/// The key, which is no argument: other users of the machine can read arguments.
#[expect(clippy::disallowed_methods, reason = "a command-line tool has no settings")]
fn api_key() -> anyhow::Result<String> {
    std::env::var("SERVICE_API_KEY").context("set SERVICE_API_KEY to a live key of the account")
}

#[derive(Debug)]
struct Puller {
    api: Api,
    /// Its address, and the secret that signs.
    receiver: Option<(Uri, Secret)>,
    client: Client,
    /// The wait between two calls when nothing is new, or a call has failed.
    interval: Duration,
    /// The wait after the first attempt to post a message.
    first_wait: Duration,
    /// Prints a line.
    show: fn(&str),
}

impl Puller {
    /// Pulls without end.
    async fn run(&self, since: String) -> anyhow::Result<()> {
        let mut begin = StartPoint::Since(since);
        loop {
            let page = match self.api.messages(&begin).await {
                Ok(page) => page,
                Err(CallError::Refused(reason)) => anyhow::bail!(reason),
                Err(CallError::Failed(reason, wait)) => {
                    (self.show)(&reason);
                    sleep(wait.unwrap_or(self.interval)).await;
                    continue;
                }
            };
            for message in &page.messages {
                match &self.receiver {
                    Some((url, secret)) => self.post(message, url, secret).await,
                    None => (self.show)(&format!(
                        "{} {}\n  {}",
                        message.event, message.id, message.body
                    )),
                }
            }
            let next = StartPoint::After(page.next);
            if begin == next {
                sleep(self.interval).await;
            }
            begin = next;
        }
    }

    /// Posts a message until the receiver answers 2xx.
    async fn post(&self, message: &Message, url: &Uri, secret: &Secret) {
        let Message { id, event, body, .. } = message;
        let mut wait = self.first_wait;
        for attempt in 1..=ATTEMPTS {
            let unsigned = UnsignedMessage {
                event,
                id,
                timestamp: &now().to_string(),
                body: body.as_bytes(),
                agent: "webhook/1",
            };
            let headers = signature::to_map(signature::sign(unsigned, secret));
            let answer = self.client.post(url, headers, body.clone().into()).await;
            let outcome = match &answer {
                Ok(answer) => answer.status.as_u16().to_string(),
                Err(problem) => problem.clone(),
            };
            if answer.is_ok_and(|answer| answer.status.is_success()) {
                (self.show)(&format!("{event} {id} {outcome}"));
                return;
            }
            if attempt == ATTEMPTS {
                (self.show)(&format!("{event} {id} {outcome}; set aside"));
                return;
            }
            (self.show)(&format!("{event} {id} {outcome}; again in {} s", wait.as_secs()));
            sleep(wait).await;
            wait *= 2;
        }
    }
}

#[cfg(test)]
mod tests;
