#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

pub mod config;
pub mod domain;
pub mod feeds;
pub mod index;
pub mod service;
pub mod store;

use std::sync::Arc;

use kit::boot::Boot;
use kit::pg::Schema;
use kit::rpc::FleetMembers;
use sqlx::migrate::Migrator;

use config::Settings;
use feeds::listings::Follower;
use index::{CHUNK_ROWS, Catalogue};

/// The schema that this service owns.
pub const SCHEMA: Schema = Schema("catalogue");
/// Whose feed is followed, as the cursor names it.
pub const PRODUCER: &str = "listings";

/// Brings the schema `catalogue` up to date.
pub static MIGRATOR: Migrator = sqlx::migrate!();

/// Sets the service up: loads the catalogue, follows the feed, and only then opens the port.
pub async fn start(boot: Boot<Settings>) -> anyhow::Result<()> {
    let pool = boot.database(&MIGRATOR).await?;
    let listings = boot.client(&boot.settings.listings_addresses)?;
    let loaded = boot.readiness.condition("the catalogue to be loaded");

    let catalogue = Arc::new(Catalogue::new(boot.settings.patience));
    let follower = Follower::load(&pool, Arc::clone(&catalogue), CHUNK_ROWS).await?;
    boot.lifecycle.background(
        "listings follower",
        follower.follow(listings.clone(), loaded),
    );
    // Calls are answered from memory: a schema that lags behind makes no replica less ready.
    let addresses = &boot.settings.listings_addresses;
    boot.follow(&pool, SCHEMA, PRODUCER, addresses, store::Listings)?;

    let mut services = kit::rpc::server::services();
    let public_url = boot.settings.public_url.clone();
    service::add(&mut services, &catalogue, boot.clock.clone(), public_url);
    let members = FleetMembers::new(
        listings,
        boot.settings.upstream_deadline,
        boot.clock.clone(),
    );
    boot.serve_rpc_to_members(services, Arc::new(members)).await
}
