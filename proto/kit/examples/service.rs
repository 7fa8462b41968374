//! A service for the tests of its shutdown: a public port, and a start that takes as long as the test wants.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use kit::boot::{self, Boot};
use kit::config::Common;
use kit::http_server::{self, PortLimits};
use sqlx::migrate::Migrator;

/// How often a wait looks for its file.
const POLL: Duration = Duration::from_millis(20);

#[derive(Debug, Clone, clap::Args)]
struct Settings {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    limits: PortLimits,
    /// Address of the public port
    #[arg(long)]
    http_listen: SocketAddr,
    /// The start waits until this file exists
    #[arg(long)]
    start_file: PathBuf,
    /// `/wait` is answered when this file exists; its name with `.asked` exists once a request waits
    #[arg(long)]
    answer_file: PathBuf,
}

impl kit::config::Settings for Settings {
    const SERVICE: &'static str = "service";
    const PREFIX: &'static str = "EXAMPLE";
    const ABOUT: &'static str = "A service for tests";

    fn common(&self) -> &Common {
        &self.common
    }
}

/// It has no database.
static MIGRATOR: Migrator = Migrator::DEFAULT;

fn main() -> ExitCode {
    boot::run(start, &MIGRATOR)
}

async fn start(boot: Boot<Settings>) -> anyhow::Result<()> {
    let settings = boot.settings.clone();
    exists(&settings.start_file).await;
    let answer_file = settings.answer_file;
    let wait = move || {
        let answer_file = answer_file.clone();
        async move {
            let asked = tokio::fs::write(answer_file.with_extension("asked"), "").await;
            exists(&answer_file).await;
            asked.map_or_else(|error| error.to_string(), |()| "waited".to_owned())
        }
    };
    let router = Router::new().route("/", get(async || "ok")).route("/wait", get(wait));
    let listener = boot::bind(settings.http_listen, "http_listen").await?;
    let draining = boot.lifecycle.draining();
    let limits = settings.limits;
    boot.lifecycle.spawn_server("HTTP server", async move {
        http_server::serve(listener, limits, draining, router).await;
        Ok(())
    });
    let services = kit::rpc::server::services();
    boot.serve_rpc(services).await
}

async fn exists(file: &Path) {
    while !file.exists() {
        tokio::time::sleep(POLL).await;
    }
}
