//! Prints messages during development: see the library.
#![expect(clippy::print_stderr, reason = "a command-line tool")]

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Parser;
use http::Uri;
use receiver::client::Client;
use receiver::listen::{Listener, router};
use receiver::signature::Secret;
use tokio::net::TcpListener;

/// Print and verify webhooks of Mchezo, and forward them to a receiver under development
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1:9500")]
    listen: SocketAddr,
    /// The signing secret of the endpoint
    #[arg(long, env = "SERVICE_WEBHOOK_SECRET", hide_env_values = true)]
    secret: Secret,
    /// URL that verified messages are forwarded to, unchanged; its response is passed back
    #[arg(long, value_name = "URL")]
    forward: Option<Uri>,
    /// A PEM file with certificate authorities to trust in addition to the public ones
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Options::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("webhook-listen: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: Options) -> anyhow::Result<()> {
    let listener = Listener {
        secret: options.secret,
        forward: options.forward,
        client: Client::new(options.ca_file.as_deref())?,
        // A closed pipe is not an error.
        show: |line| drop(writeln!(io::stdout(), "{line}")),
    };
    let socket = TcpListener::bind(options.listen)
        .await
        .with_context(|| format!("cannot listen on {}", options.listen))?;
    eprintln!(
        "webhook-listen: listening at http://{}",
        socket.local_addr()?
    );
    tokio::select! {
        served = axum::serve(socket, router(Arc::new(listener))) => Ok(served?),
        interrupted = tokio::signal::ctrl_c() => Ok(interrupted?),
    }
}
