#![doc = include_str!("../README.md")]

pub mod config;
pub mod domain;
pub mod feed;
pub mod jobs;
pub mod pictures;
pub mod samples;
pub mod service;
pub mod store;
pub mod write;

use std::sync::Arc;
use std::time::Duration;

use kit::audit::Audit;
use kit::boot::Boot;
use kit::feed::{HighWaterMark, Producer, Retention};
use kit::pg::Schema;
use kit::redis::Redis;

use config::Settings;
use feed::PublicUrl;
use pictures::{FileStore, PictureProcessor};
use service::Service;
use service::account::pictures::upload_limit;
use write::CommandDependencies;
use write::import::Importer;

pub const SCHEMA: Schema = Schema("listings");

pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!();

/// Time limit for publishing the position of a write to Redis. Without Redis, the answer of a write is held longer.
const PUBLISH_TIMEOUT: Duration = Duration::from_millis(500);

/// Effect of a Redis outage, for the log. Writes continue.
const REDIS_DOWN_EFFECT: &str = "writes are answered later, and readers ask for the position";

/// Starts the service.
pub async fn start(boot: Boot<Settings>) -> anyhow::Result<()> {
    let pool = boot.database().await?;
    let redis = Redis::lazy(&boot.settings.redis_url, PUBLISH_TIMEOUT, REDIS_DOWN_EFFECT)?;
    let leader = boot.leader(&pool, SCHEMA);
    let producer = Producer::start(&leader, &boot.lifecycle, Retention::default())
        .publish_to(HighWaterMark::new(redis, SCHEMA.0));
    let commands = Arc::new(CommandDependencies {
        producer: producer.clone(),
        public_url: PublicUrl::new(&boot.settings.public_url),
        max_pending: boot.settings.max_pending,
    });
    let importer = Importer::new(pool.clone(), Arc::clone(&commands), boot.clock.clone());
    let files = FileStore::open(&boot.settings.files)?;
    files.try_write().await?;
    jobs::sweep::spawn(&leader, &pool, &files);
    kit::idempotency::spawn_cleanup(&leader);
    let pictures = PictureProcessor::new(
        pool.clone(),
        files.clone(),
        boot.clock.clone(),
        &boot.settings.files,
    );

    let mut services = kit::rpc::server::services();
    let service = Service {
        audit: Audit::new(pool.clone(), SCHEMA, boot.clock.clone()),
        pool,
        clock: boot.clock.clone(),
        producer,
        commands,
        importer,
        pictures,
        files,
        pictures_per_day: boot.settings.files.pictures_per_day,
        draining: boot.lifecycle.draining(),
        uploads: upload_limit(),
    };
    service.add_to(&mut services);
    boot.serve_rpc(services).await
}
