//! Processes stored messages after the response: a command for each, one after the other.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio::time::sleep;

use crate::inbox::Pending;
use crate::server::Receiver;

/// The most attempts at a message whose work fails.
const MAX_ATTEMPTS: u32 = 5;

/// Processes stored messages forever, the oldest first.
///
/// After a crash, the message in progress is processed again: the work should be idempotent. Failed work is reported, and tried again after
/// 1, 2, 4 and 8 seconds, for which the other messages wait. Then the message is set aside: standard error has its body, and the store only
/// its id.
///
/// # Errors
/// The store failed.
pub async fn run(receiver: Arc<Receiver>, command: String) -> anyhow::Result<()> {
    loop {
        let taken = Arc::clone(&receiver);
        let Some(message) = tokio::task::spawn_blocking(move || taken.inbox.next()).await?? else {
            receiver.arrived.notified().await;
            continue;
        };
        let mut attempts = 1;
        while let Err(problem) = work(&command, &message).await {
            let is_last = attempts == MAX_ATTEMPTS;
            let then = if is_last { "set aside" } else { "tried again" };
            let id = message.id;
            report(&format!(
                "the work of {id} failed and is {then}: {problem:#}"
            ));
            if is_last {
                report(&String::from_utf8_lossy(&message.body));
                break;
            }
            sleep(Duration::from_secs(1 << (attempts - 1))).await;
            attempts += 1;
        }
        let done = Arc::clone(&receiver);
        tokio::task::spawn_blocking(move || done.inbox.complete(&message)).await??;
    }
}

async fn work(command: &str, message: &Pending) -> anyhow::Result<()> {
    let mut shell = Command::new("sh")
        .args(["-c", command])
        .env("WEBHOOK_ID", message.id.to_string())
        .stdin(Stdio::piped())
        .spawn()
        .context("no shell")?;
    if let Some(mut input) = shell.stdin.take() {
        // A command need not read the message.
        input.write_all(&message.body).await.ok();
    }
    let status = shell.wait().await?;
    anyhow::ensure!(status.success(), "{status}");
    Ok(())
}

#[expect(clippy::print_stderr, reason = "a command-line tool complains there")]
fn report(problem: &str) {
    eprintln!("webhook-receiver: {problem}");
}
