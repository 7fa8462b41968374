#![doc = include_str!("../README.md")]

pub mod config;
pub mod domain;
pub mod feed;
pub mod jobs;
pub mod members;
pub mod pictures;
pub mod service;
pub mod store;
pub mod write;

use std::sync::Arc;
use std::time::Duration;

use kit::boot::Boot;
use kit::feed::{HighWaterMark, Producer, Retention};
use kit::pg::Schema;
use kit::redis::Redis;

use config::Settings;
use feed::PublicUrl;
use members::Members;
use pictures::{Pictures, Store};
use service::Parts;
use write::import::Importer;
use write::reference_data::ReferenceData;
use write::{Listings, Rules};

/// The service's schema.
pub const SCHEMA: Schema = Schema("listings");

/// Its migrations.
pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!();

/// How long Redis may take to be told of a write. A write that it was not told of is answered later still.
const TELLING: Duration = Duration::from_millis(500);

/// What it means that Redis is away, for the log. Writing goes on.
const WITHOUT_REDIS: &str = "writes are answered later, and readers ask for the position";

/// Sets the service up.
pub async fn start(boot: Boot<Settings>) -> anyhow::Result<()> {
    let pool = boot.database(&MIGRATOR).await?;
    let addresses = PublicUrl::new(&boot.settings.public_url);
    let redis = Redis::lazy(&boot.settings.redis_url, TELLING, WITHOUT_REDIS)?;
    let producer = Producer::start(
        pool.clone(),
        SCHEMA,
        boot.clock.clone(),
        &boot.lifecycle,
        Retention::default(),
    )
    .publish_to(HighWaterMark::new(redis, SCHEMA.0));
    let rules = Arc::new(Rules {
        addresses: addresses.clone(),
        most_waiting: boot.settings.most_waiting,
        reference_data: ReferenceData::default(),
    });
    let writer = producer.writer(Listings::new(Arc::clone(&rules)));
    let importer = Importer::new(pool.clone(), writer.clone(), boot.clock.clone());
    let files = Store::open(&boot.settings.files)?;
    jobs::sweep::spawn(&boot.lifecycle, &pool, &files, &boot.clock);
    kit::idempotency::spawn_cleanup(&boot.lifecycle, &pool, SCHEMA, &boot.clock);
    let pictures = Pictures::new(
        pool.clone(),
        files.clone(),
        boot.clock.clone(),
        &boot.settings.files,
    );

    let loaded = boot
        .readiness
        .condition("the gazetteer and the samples to be loaded");
    jobs::start::spawn(&boot.lifecycle, loaded, importer.clone(), addresses);

    let members = Members::new(pool.clone(), boot.clock.clone());
    let mut services = kit::rpc::server::services();
    let parts = Parts {
        pool,
        clock: boot.clock.clone(),
        producer,
        writer,
        rules,
        importer,
        pictures,
        files,
        members: members.clone(),
        draining: boot.lifecycle.draining(),
    };
    parts.add_to(&mut services);
    boot.serve_rpc_to_members(services, Arc::new(members)).await
}
