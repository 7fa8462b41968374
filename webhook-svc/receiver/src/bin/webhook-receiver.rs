//! The reference receiver: see the library.
#![expect(clippy::print_stderr, reason = "a command-line tool")]

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Parser;
use receiver::inbox::Inbox;
use receiver::server::{Receiver, router};
use receiver::signature::Secrets;
use receiver::work;
use tokio::net::TcpListener;
use tokio::sync::Notify;

/// Receive webhooks of Mchezo, and run a command for each
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// Address to listen on; a proxy in front terminates HTTPS
    #[arg(long, default_value = "127.0.0.1:9400")]
    listen: SocketAddr,
    /// The signing secret of the endpoint; while it is rotated the old and the new one, with a space between them
    #[arg(long, env = "SERVICE_WEBHOOK_SECRET", hide_env_values = true)]
    secret: Secrets,
    /// File that stores received messages
    #[arg(long, default_value = "webhooks.redb")]
    store: PathBuf,
    /// Shell command to run for each message, which is its standard input; the id is in `$WEBHOOK_ID`
    #[arg(long, default_value = "cat; echo")]
    work: String,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Options::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("webhook-receiver: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: Options) -> anyhow::Result<()> {
    let receiver = Arc::new(Receiver {
        secrets: options.secret,
        inbox: Inbox::open(&options.store)?,
        arrived: Notify::new(),
    });
    let listener = TcpListener::bind(options.listen)
        .await
        .with_context(|| format!("cannot listen on {}", options.listen))?;
    eprintln!(
        "webhook-receiver: listening at http://{}",
        listener.local_addr()?
    );
    let app = router(Arc::clone(&receiver));
    // Nothing is lost at the end: every acknowledged message is on disk.
    tokio::select! {
        served = axum::serve(listener, app) => Ok(served?),
        ended = work::run(receiver, options.work) => ended,
        interrupted = tokio::signal::ctrl_c() => Ok(interrupted?),
    }
}
