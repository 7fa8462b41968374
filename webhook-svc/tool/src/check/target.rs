//! A check's access to a receiver: messages, and two commands of its owner.

use std::process::Stdio;
use std::time::{Duration, Instant};

use http::{StatusCode, Uri};
use tokio::process::Command;
use tokio::time::sleep;
use uuid::Uuid;

use super::message::{Message, Signed};
use super::report::Verdict;
use super::table::{ODD_BODIES, Probe};
use crate::client::Client;
use crate::signature::Secret;

const POLL_INTERVAL: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(super) struct Target {
    pub(super) client: Client,
    pub(super) url: Uri,
    pub(super) secret: Secret,
    /// Secrets that the receiver accepts too: during a rotation, the new one.
    pub(super) other_secrets: Vec<Secret>,
    /// Restarts the receiver.
    pub(super) restart: Option<String>,
    /// Prints how often the message `$WEBHOOK_ID` was processed.
    pub(super) handled: Option<String>,
    /// An event that the receiver processes.
    pub(super) event: String,
    /// Maximum time of an immediate response.
    pub(super) prompt_answer: Duration,
    /// Timeout of processing a message, and of a restart.
    pub(super) timeout: Duration,
}

impl Target {
    /// Sends a message, and expects a status that `is_expected`.
    pub(super) async fn expect(
        &self,
        what: &str,
        message: Signed,
        expected: &str,
        is_expected: impl Fn(StatusCode) -> bool,
    ) -> Result<Duration, Verdict> {
        let begun = Instant::now();
        let answer = self.client.post(&self.url, message.headers, message.body);
        match answer.await {
            Ok(answer) if is_expected(answer.status) => Ok(begun.elapsed()),
            Ok(answer) => Err(Verdict::Failed(format!(
                "{what}: answered {} instead of {expected}",
                answer.status.as_u16()
            ))),
            Err(problem) => Err(Verdict::Failed(format!("{what}: {problem}"))),
        }
    }

    /// Sends a message, and expects 200.
    pub(super) async fn expect_ok(&self, what: &str, message: Signed) -> Result<Duration, Verdict> {
        self.expect(what, message, "200", |status| status == StatusCode::OK).await
    }

    /// Sends a valid message, and expects 200.
    pub(super) async fn send(&self, what: &str, message: &Message) -> Result<Duration, Verdict> {
        self.expect_ok(what, message.signed(&self.secret)).await
    }

    /// Sends the messages of probes, and expects the status of each.
    pub(super) async fn send_probes(&self, probes: &[Probe]) -> Result<(), Verdict> {
        for probe in probes {
            let message = Signed::from_probe(probe, &self.secret);
            let expected = probe.expected_status;
            self.expect(probe.name, message, &expected.to_string(), |status| {
                status.as_u16() == expected
            })
            .await?;
        }
        Ok(())
    }

    /// Sends signed bodies that are no messages of the service, and expects an answer to each that is no fault of the receiver.
    pub(super) async fn send_odd_bodies(&self) -> Result<(), Verdict> {
        for probe in ODD_BODIES {
            let message = Signed::from_probe(probe, &self.secret);
            self.expect(probe.name, message, "200 or 400", |status| !status.is_server_error())
                .await?;
        }
        Ok(())
    }

    /// A message that the receiver processes.
    pub(super) fn message(&self) -> Message {
        Message::new(&self.event)
    }

    /// How often a message was processed.
    pub(super) async fn count(&self, command: &str, id: Uuid) -> Result<u64, Verdict> {
        let output = Command::new("sh")
            .args(["-c", command])
            .env("WEBHOOK_ID", id.to_string())
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .await
            .map_err(|error| Verdict::NotChecked(format!("no shell: {error}")))?;
        let text = String::from_utf8_lossy(&output.stdout);
        text.trim().parse().map_err(|error| {
            Verdict::NotChecked(format!(
                "--handled must print how often the work of $WEBHOOK_ID was done, a number; it printed `{}` ({error})",
                text.trim().escape_debug()
            ))
        })
    }

    /// Waits until a message is processed.
    pub(super) async fn until_handled(&self, command: &str, id: Uuid) -> Result<(), Verdict> {
        let begun = Instant::now();
        while self.count(command, id).await? == 0 {
            if begun.elapsed() > self.timeout {
                return Err(Verdict::Failed(format!(
                    "the work of a message was not done within {} seconds of its 200",
                    self.timeout.as_secs()
                )));
            }
            sleep(POLL_INTERVAL).await;
        }
        Ok(())
    }

    /// Restarts the receiver, and waits until it responds.
    pub(super) async fn restart(&self, command: &str) -> Result<(), Verdict> {
        let status = Command::new("sh").args(["-c", command]).stdin(Stdio::null()).status().await;
        match status {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(Verdict::NotChecked(format!("--restart failed: {status}"))),
            Err(error) => return Err(Verdict::NotChecked(format!("no shell: {error}"))),
        }
        let begun = Instant::now();
        loop {
            // Any response will do, such as the rejection of this unsigned request.
            let answer = self.client.post(&self.url, http::HeaderMap::new(), bytes::Bytes::new());
            match answer.await {
                Ok(_) => return Ok(()),
                Err(problem) if begun.elapsed() > self.timeout => {
                    return Err(Verdict::NotChecked(format!(
                        "the receiver did not respond after --restart: {problem}"
                    )));
                }
                Err(_) => sleep(POLL_INTERVAL).await,
            }
        }
    }
}
