//! How a check reaches a receiver: by messages, and by the two commands that its owner gives.

use std::process::Stdio;
use std::time::{Duration, Instant};

use http::{StatusCode, Uri};
use tokio::process::Command;
use tokio::time::sleep;
use uuid::Uuid;

use super::message::{Message, Signed};
use super::report::Verdict;
use crate::client::Client;
use crate::signature::Secret;

const PAUSE: Duration = Duration::from_millis(100);

/// What is checked, and how.
#[derive(Debug)]
pub struct Probe {
    pub client: Client,
    pub url: Uri,
    pub secret: Secret,
    /// Restarts the receiver.
    pub restart: Option<String>,
    /// Prints how often the work of the message `$WEBHOOK_ID` was done.
    pub handled: Option<String>,
    /// An event for which the receiver does work.
    pub event: String,
    /// An answer that takes longer is not one at once.
    pub at_once: Duration,
    /// How long it has to do its work, and to come back after a restart.
    pub patience: Duration,
}

impl Probe {
    /// Sends a message as it is, and wants this status.
    pub(super) async fn expect(
        &self,
        what: &str,
        message: Signed,
        status: StatusCode,
    ) -> Result<Duration, Verdict> {
        let begun = Instant::now();
        let answer = self
            .client
            .post(&self.url, message.headers, message.body)
            .await;
        match answer {
            Ok(answer) if answer.status == status => Ok(begun.elapsed()),
            Ok(answer) => Err(Verdict::Failed(format!(
                "{what}: answered {} instead of {}",
                answer.status.as_u16(),
                status.as_u16()
            ))),
            Err(problem) => Err(Verdict::Failed(format!("{what}: {problem}"))),
        }
    }

    /// Sends a good message, and wants 200.
    pub(super) async fn send(&self, what: &str, message: &Message) -> Result<Duration, Verdict> {
        let signed = message.signed(&self.secret);
        self.expect(what, signed, StatusCode::OK).await
    }

    /// A message of an event for which the receiver does work.
    pub(super) fn message(&self) -> Message {
        Message::of(&self.event)
    }

    /// How often the work of a message was done.
    pub(super) async fn count(&self, command: &str, id: Uuid) -> Result<u64, Verdict> {
        let output = Command::new("sh")
            .args(["-c", command])
            .env("WEBHOOK_ID", id.to_string())
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .await;
        let output = output.map_err(|error| Verdict::NotChecked(format!("no shell: {error}")))?;
        let text = String::from_utf8_lossy(&output.stdout);
        text.trim().parse().map_err(|error| {
            Verdict::NotChecked(format!(
                "--handled must print how often the work of $WEBHOOK_ID was done, a number; it printed `{}` ({error})",
                text.trim().escape_debug()
            ))
        })
    }

    /// Waits until the work of a message is done.
    pub(super) async fn until_handled(&self, command: &str, id: Uuid) -> Result<(), Verdict> {
        let begun = Instant::now();
        while self.count(command, id).await? == 0 {
            if begun.elapsed() > self.patience {
                return Err(Verdict::Failed(format!(
                    "the work of a message was not done within {} seconds of its 200",
                    self.patience.as_secs()
                )));
            }
            sleep(PAUSE).await;
        }
        Ok(())
    }

    /// Restarts the receiver and waits until it answers.
    pub(super) async fn restart(&self, command: &str) -> Result<(), Verdict> {
        let status = Command::new("sh")
            .args(["-c", command])
            .stdin(Stdio::null())
            .status()
            .await;
        match status {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(Verdict::NotChecked(format!("--restart failed: {status}"))),
            Err(error) => return Err(Verdict::NotChecked(format!("no shell: {error}"))),
        }
        let begun = Instant::now();
        loop {
            // It has no signature: a receiver that is there refuses it.
            let answer = self
                .client
                .post(&self.url, http::HeaderMap::new(), bytes::Bytes::new());
            match answer.await {
                Ok(_) => return Ok(()),
                Err(problem) if begun.elapsed() > self.patience => {
                    return Err(Verdict::NotChecked(format!(
                        "the receiver did not come back after --restart: {problem}"
                    )));
                }
                Err(_) => sleep(PAUSE).await,
            }
        }
    }
}
