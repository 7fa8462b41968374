#![doc = include_str!("../README.md")]

mod config;
mod feeds;
mod store;

use kit::boot::Boot;
use kit::pg::Schema;

pub use config::Settings;

const SCHEMA: Schema = Schema("webhook");

/// Starts the service.
pub async fn start(boot: Boot<Settings>) -> anyhow::Result<()> {
    let pool = boot.database(&sqlx::migrate!()).await?;
    feeds::listings::follow(&boot, &pool)?;
    feeds::gateway::follow(&boot, &pool)?;
    boot.serve_rpc(kit::rpc::server::services()).await
}
