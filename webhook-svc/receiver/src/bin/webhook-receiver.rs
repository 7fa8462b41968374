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
use receiver::signature::Secret;
use receiver::work;
use tokio::net::TcpListener;
use tokio::sync::Notify;

/// Receives the webhooks of Mchezo, and runs a command for each
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// Where it listens; a proxy in front of it speaks HTTPS
    #[arg(long, default_value = "127.0.0.1:9400")]
    listen: SocketAddr,
    /// The signing secret of the endpoint
    #[arg(long, env = "SERVICE_WEBHOOK_SECRET", hide_env_values = true)]
    secret: Secret,
    /// A file that holds what was received
    #[arg(long, default_value = "webhooks.redb")]
    store: PathBuf,
    /// What a shell does for each message, which it reads from standard input; its id is `$WEBHOOK_ID`
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
        secret: options.secret,
        inbox: Inbox::open(&options.store)?,
        arrived: Notify::new(),
    });
    let listener = TcpListener::bind(options.listen)
        .await
        .with_context(|| format!("{} cannot be listened at", options.listen))?;
    eprintln!(
        "webhook-receiver: listening at http://{}",
        listener.local_addr()?
    );
    let app = router(Arc::clone(&receiver));
    // Whatever ends it, nothing is lost: what was answered is on disk.
    tokio::select! {
        served = axum::serve(listener, app) => Ok(served?),
        ended = work::run(receiver, options.work) => ended,
        interrupted = tokio::signal::ctrl_c() => Ok(interrupted?),
    }
}
