#![doc = include_str!("../README.md")]

pub mod config;
pub mod domain;
pub mod feed;
pub mod illustration;
pub mod import;
pub mod jobs;
pub mod pictures;
pub mod service;
pub mod standing;
pub mod store;
pub mod write;

use contracts::listings::v1::picture_service_server::PictureServiceServer;
use contracts::listings::v1::staff_import_service_server::StaffImportServiceServer;
use contracts::listings::v1::staff_listing_service_server::StaffListingServiceServer;
use contracts::listings::v1::staff_picture_service_server::StaffPictureServiceServer;
use kit::boot::Boot;
use kit::feed::{Latest, Producer, Retention};
use kit::pg::Schema;
use kit::redis::{self, Redis};

use config::Settings;
use feed::PublicUrl;
use import::Importer;
use pictures::{Pictures, Store};
use write::Listings;

/// The service's schema.
pub const SCHEMA: Schema = Schema("listings");

/// Its migrations.
pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!();

/// What it means that Redis is away, for the log. Writing goes on.
const WITHOUT_REDIS: &str = "a read may miss the writes of the last moment";

/// Sets the service up.
pub async fn start(boot: Boot<Settings>) -> anyhow::Result<()> {
    let pool = boot.database(&MIGRATOR).await?;
    let addresses = PublicUrl::new(&boot.settings.public_url);
    let redis = Redis::lazy(&boot.settings.redis_url, redis::PATIENCE, WITHOUT_REDIS)?;
    let producer = Producer::start(
        pool.clone(),
        SCHEMA,
        boot.clock.clone(),
        &boot.lifecycle,
        Retention::default(),
    )
    .telling(Latest::new(redis, SCHEMA.0));
    let writer = producer.writer(Listings::new(addresses.clone()));
    let importer = Importer::new(pool.clone(), writer.clone(), boot.clock.clone());
    let listing = service::listing::Service::new(pool.clone(), writer.clone());
    let files = Store::open(&boot.settings.files)?;
    jobs::sweep::spawn(&boot.lifecycle, &pool, &files, &boot.clock);
    let pictures = Pictures::new(
        pool.clone(),
        files.clone(),
        boot.clock.clone(),
        &boot.settings.files,
    );
    let picture = service::picture::Service::new(files);
    let staff_picture =
        service::staff_picture::Service::new(pool, writer, pictures, addresses.clone());

    let loaded = boot
        .readiness
        .condition("the gazetteer and the samples to be loaded");
    jobs::start::spawn(&boot.lifecycle, loaded, importer.clone(), addresses);

    let mut services = kit::rpc::server::services();
    services
        .add_service(producer.service())
        .add_service(StaffListingServiceServer::new(listing))
        .add_service(StaffPictureServiceServer::new(staff_picture))
        .add_service(PictureServiceServer::new(picture))
        .add_service(
            StaffImportServiceServer::new(service::import::Service::new(
                importer,
                boot.lifecycle.draining(),
            ))
            .max_decoding_message_size(service::import::MESSAGE),
        );
    boot.serve_rpc(services).await
}
