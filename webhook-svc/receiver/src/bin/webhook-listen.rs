//! Forwards messages to a receiver under development, or to one behind a firewall: see the library.
#![expect(clippy::print_stderr, reason = "a command-line tool")]

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::Parser;
use http::Uri;
use receiver::api::Api;
use receiver::client::Client;
use receiver::cursor_file::CursorFile;
use receiver::listen::{Listener, router};
use receiver::pull::Puller;
use receiver::signature::Secrets;
use tokio::net::TcpListener;

/// Forward webhooks of Mchezo to a receiver under development, or to one that only calls out
///
/// Without --api, the program listens: it prints and verifies what arrives. With --api it pulls the messages of an account from the API, with
/// the key in the environment variable `SERVICE_API_KEY`, and signs each with the secret.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1:9500", conflicts_with = "api")]
    listen: SocketAddr,
    /// The signing secret of the endpoint; while it is rotated the old and the new one, with a space between them. With --api, any secret that
    /// the receiver has
    #[arg(long, env = "SERVICE_WEBHOOK_SECRET", hide_env_values = true)]
    secret: Secrets,
    /// URL that messages are forwarded to. A listener forwards verified messages unchanged, and passes the response back
    #[arg(long, value_name = "URL", alias = "forward")]
    forward_to: Option<Uri>,
    /// A PEM file with certificate authorities to trust in addition to the public ones
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// Base address of the API, such as `https://api.example/v1`: pull messages instead of listening
    #[arg(long, value_name = "URL", requires = "forward_to")]
    api: Option<String>,
    /// File that remembers the last forwarded message, for the next start
    #[arg(long, value_name = "FILE", requires = "api")]
    state: Option<PathBuf>,
    /// Where to begin while there is no state: `now`, or a timestamp such as 2026-03-01T08:00:00Z, at most 30 days ago
    #[arg(long, value_name = "MOMENT", default_value = "now", requires = "api")]
    since: String,
    /// Seconds between calls when nothing is new; each call counts against the quota
    #[arg(long, value_name = "SECONDS", default_value_t = 5, requires = "api", value_parser = clap::value_parser!(u64).range(1..=3600))]
    interval: u64,
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
    let client = Client::new(options.ca_file.as_deref())?;
    // A closed pipe is not an error.
    let show: fn(&str) = |line| drop(writeln!(io::stdout(), "{}", printable(line)));
    if let (Some(base), Some(forward)) = (&options.api, &options.forward_to) {
        let api = Api::new(client.clone(), base, &api_key()?).map_err(anyhow::Error::msg)?;
        let puller = Puller {
            api,
            secret: options.secret.current,
            forward: forward.clone(),
            client,
            state: CursorFile::new(options.state),
            interval: Duration::from_secs(options.interval),
            show,
            warn: |line| eprintln!("webhook-listen: {}", printable(line)),
        };
        eprintln!("webhook-listen: pulling from {base}");
        return tokio::select! {
            ended = puller.run(&options.since) => ended,
            interrupted = tokio::signal::ctrl_c() => Ok(interrupted?),
        };
    }
    let listener = Listener {
        secrets: options.secret,
        forward: options.forward_to,
        client,
        show,
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

/// The key, which is no argument: other users of the machine can read arguments.
#[expect(
    clippy::disallowed_methods,
    reason = "a command-line tool has no settings"
)]
fn api_key() -> anyhow::Result<String> {
    std::env::var("SERVICE_API_KEY").context("set SERVICE_API_KEY to a live key of the account")
}

/// A terminal would interpret control characters.
fn printable(line: &str) -> String {
    let control = |c: char| c.is_control() && c != '\n';
    line.replace(control, " ")
}
