#![doc = include_str!("../README.md")]

pub mod config;
pub mod domain;
pub mod feed;
pub mod import;
pub mod jobs;
pub mod service;
pub mod standing;
pub mod store;
pub mod write;

use contracts::listings::v1::staff_import_service_server::StaffImportServiceServer;
use contracts::listings::v1::staff_listing_service_server::StaffListingServiceServer;
use kit::boot::Boot;
use kit::feed::{Producer, Retention};
use kit::pg::Schema;

use config::Settings;
use feed::PublicUrl;
use import::Importer;
use write::Listings;

/// The service's schema.
pub const SCHEMA: Schema = Schema("listings");

/// Its migrations.
pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!();

/// Sets the service up.
pub async fn start(boot: Boot<Settings>) -> anyhow::Result<()> {
    let pool = boot.database(&MIGRATOR).await?;
    let addresses = PublicUrl::new(&boot.settings.public_url);
    let producer = Producer::start(
        pool.clone(),
        SCHEMA,
        boot.clock.clone(),
        &boot.lifecycle,
        Retention::default(),
    );
    let writer = producer.writer(Listings::new(addresses.clone()));
    let importer = Importer::new(pool.clone(), writer.clone(), boot.clock.clone());
    let listing = service::listing::Service::new(pool, writer);

    let loaded = boot
        .readiness
        .condition("the gazetteer and the samples to be loaded");
    jobs::start::spawn(&boot.lifecycle, loaded, importer.clone(), addresses);

    let mut services = kit::rpc::server::services();
    services
        .add_service(producer.service())
        .add_service(StaffListingServiceServer::new(listing))
        .add_service(
            StaffImportServiceServer::new(service::import::Service::new(
                importer,
                boot.lifecycle.draining(),
            ))
            .max_decoding_message_size(service::import::MESSAGE),
        );
    boot.serve_rpc(services).await
}
