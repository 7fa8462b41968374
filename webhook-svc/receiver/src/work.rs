//! Processes stored messages after the response: a command for each, one after the other.

use std::process::Stdio;
use std::sync::Arc;

use anyhow::Context as _;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use crate::inbox::Pending;
use crate::server::Receiver;

/// Processes stored messages forever, the oldest first.
///
/// After a crash, the message in progress is processed again: the work should be idempotent. Failed work is reported and not repeated.
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
        if let Err(problem) = work(&command, &message).await {
            report(&format!("the work of {} failed: {problem:#}", message.id));
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
