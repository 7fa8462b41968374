#![doc = include_str!("../README.md")]

pub mod boards;
pub mod config;
pub mod domain;
pub mod feeds;
pub mod index;
pub mod jobs;
pub mod service;
pub mod store;
pub mod write;

use std::sync::Arc;

use kit::boot::Boot;
use kit::config::Secret;
use kit::feed::{Producer, Retention};
use kit::pg::Schema;
use sqlx::migrate::Migrator;

use boards::Boards;
use config::Settings;
use domain::draw::SigningKey;
use feeds::listings::Follower;
use index::Catalogue;
use service::{Dependencies, Reads, SlowSearches};

pub const SCHEMA: Schema = Schema("catalogue");
/// The producer whose feed is followed, as the cursor names it.
pub const PRODUCER: &str = "listings";

/// Brings the schema `catalogue` up to date.
pub static MIGRATOR: Migrator = sqlx::migrate!();

/// Sets the service up: follows the feed of listings-svc, sorts the boards, and opens the port. Calls return `unavailable` until the feed is
/// read, and the process is ready when the boards are sorted too.
pub async fn start(boot: Boot<Settings>) -> anyhow::Result<()> {
    let pool = boot.database_with(&store::LOCK_TIMEOUT).await?;
    let (settings, clock, lifecycle) = (&boot.settings, &boot.clock, &boot.lifecycle);
    let listings = boot.client("listings-svc", &settings.listings_addresses)?;
    let loaded = boot.readiness.condition("the catalogue to be loaded");

    let catalogue = Arc::new(Catalogue::new(settings.patience));
    let boards = Arc::new(Boards::new(Arc::clone(&catalogue))?);
    let follower = Follower::new(Arc::clone(&catalogue), &settings.public_url);
    lifecycle.spawn_background("listings follower", follower.follow(listings.clone(), loaded));
    let leader = boot.leader(&pool, SCHEMA);
    let producer = Producer::start(&leader, lifecycle, Retention::default());
    let refreshing = boards::refresh::run(
        Arc::clone(&boards),
        pool.clone(),
        clock.clone(),
        boot.readiness.condition("the boards to be sorted"),
    );
    lifecycle.spawn_background("boards", refreshing);
    jobs::retention::spawn(&leader, &pool, settings.votes_kept());
    let snapshot = jobs::board_snapshot::Job {
        pool: pool.clone(),
        catalogue: Arc::clone(&catalogue),
        producer: producer.clone(),
        lowest: settings.moves_to,
    };
    jobs::board_snapshot::spawn(&leader, snapshot, settings.snapshot_hour)?;

    let mut services = kit::rpc::server::services();
    let dependencies = Dependencies {
        pool,
        reads: Reads {
            catalogue,
            boards,
            clock: clock.clone(),
            public_url: settings.public_url.clone(),
            typo_searches: SlowSearches::default(),
            polls: SlowSearches::default(),
        },
        producer,
        limits: settings.vote_limits(),
        draw_key: draw_key(&boot),
    };
    dependencies.add_to(&mut services);
    boot.serve_rpc(services).await
}

/// The key of draws. It comes from the fleet token, so that all replicas have it.
fn draw_key(boot: &Boot<Settings>) -> SigningKey {
    let tokens = &boot.common().identity.fleet_token;
    let others = tokens.others.iter().map(Secret::expose);
    SigningKey::new(tokens.first.expose()).accepting(others)
}
