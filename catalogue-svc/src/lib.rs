#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

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
use std::time::Duration;

use kit::boot::Boot;
use kit::config::Secret;
use kit::feed::{Producer, Retention};
use kit::pg::Schema;
use sqlx::migrate::Migrator;

use boards::{Boards, VoteCounts};
use config::Settings;
use domain::draw::SigningKey;
use domain::rankings::Hour;
use domain::tally::Tallies;
use feeds::listings::Follower;
use feeds::votes;
use index::{CHUNK_ROWS, Catalogue};
use service::{Dependencies, Reads};

/// The schema that this service owns.
pub const SCHEMA: Schema = Schema("catalogue");
/// The producer whose feed is followed, as the cursor names it.
pub const PRODUCER: &str = "listings";

/// How long the feed keeps one-off events. Most are votes, which the leader adds up within seconds.
const FEED_KEPT: Duration = Duration::from_hours(7 * 24);

/// Brings the schema `catalogue` up to date.
pub static MIGRATOR: Migrator = sqlx::migrate!();

/// Sets the service up: loads the catalogue and the boards, follows the feeds, and only then opens the port.
pub async fn start(boot: Boot<Settings>) -> anyhow::Result<()> {
    let pool = boot.database().await?;
    let (settings, clock, lifecycle) = (&boot.settings, &boot.clock, &boot.lifecycle);
    let listings = boot.client("listings-svc", &settings.listings_addresses)?;
    let loaded = boot.readiness.condition("the catalogue to be loaded");

    votes::fold(&pool).await?;
    let counts = VoteCounts::load(&pool, Tallies::new(Hour::of(clock.now()))).await?;
    let catalogue = Arc::new(Catalogue::new(settings.patience));
    let boards = Arc::new(Boards::new(Arc::clone(&catalogue), counts)?);
    let follower = Follower::load(
        &pool,
        Arc::clone(&catalogue),
        Arc::clone(&boards),
        CHUNK_ROWS,
    );
    let follower = follower.await?;
    lifecycle.spawn_background(
        "listings follower",
        follower.follow(listings.clone(), loaded),
    );
    // Calls are answered from memory: a schema that lags behind makes no replica less ready.
    let leader = boot.leader(&pool, SCHEMA);
    boot.follow(&leader, PRODUCER, listings, feeds::persist::Listings);

    let retention = Retention {
        happenings: FEED_KEPT,
        ..Retention::default()
    };
    let producer = Producer::start(&leader, lifecycle, retention);
    let writer = producer.writer(settings.command_handler());
    let refreshing = boards::refresh::run(
        Arc::clone(&boards),
        pool.clone(),
        clock.clone(),
        producer.subscribe(),
    );
    lifecycle.spawn_background("boards", refreshing);
    jobs::tallies::spawn(&leader, &pool, &producer);
    jobs::retention::spawn(&leader, &pool, settings.votes_kept());
    let snapshot = jobs::board_snapshot::Job {
        pool: pool.clone(),
        catalogue: Arc::clone(&catalogue),
        writer: writer.clone(),
        clock: clock.clone(),
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
        },
        producer,
        writer,
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
