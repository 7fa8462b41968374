#![doc = include_str!("../README.md")]

pub mod config;
pub mod domain;
mod feeds;
pub mod jobs;
pub mod samples;
pub mod service;
pub mod store;
pub mod write;

use kit::boot::Boot;
use kit::feed::{Producer, Retention};
use kit::pg::Schema;

use feeds::listings::Listings;
use service::Dependencies;

pub use config::Settings;

pub const SCHEMA: Schema = Schema("economy");

pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!();

/// Starts the service.
pub async fn start(boot: Boot<Settings>) -> anyhow::Result<()> {
    let pool = boot.database().await?;
    let leader = boot.leader(&pool, SCHEMA);
    let listings = boot.client("listings-svc", &boot.settings.listings_addresses)?;
    boot.follow(&leader, "listings", listings, Listings);
    let producer = Producer::start(&leader, &boot.lifecycle, Retention::default());
    kit::idempotency::spawn_cleanup(&leader);
    jobs::retention::spawn(&leader, &pool);

    let mut services = kit::rpc::server::services();
    let dependencies = Dependencies {
        pool,
        clock: boot.clock.clone(),
        producer,
        policy: boot.settings.report_policy(),
        late_after: boot.settings.late_after(),
        lifecycle: boot.lifecycle.clone(),
    };
    dependencies.add_to(&mut services);
    boot.serve_rpc(services).await
}
