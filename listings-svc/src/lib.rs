#![doc = include_str!("../README.md")]

pub mod amend;
pub mod config;
pub mod domain;
pub mod feed;
pub mod illustration;
pub mod import;
pub mod jobs;
mod keep;
pub mod members;
pub mod pictures;
pub mod sending;
pub mod service;
pub mod standing;
pub mod store;
pub mod write;

use std::sync::Arc;

use contracts::listings::v1::events_service_server::EventsServiceServer;
use contracts::listings::v1::games_service_server::GamesServiceServer;
use contracts::listings::v1::own_listings_service_server::OwnListingsServiceServer;
use contracts::listings::v1::pages_service_server::PagesServiceServer;
use contracts::listings::v1::picture_service_server::PictureServiceServer;
use contracts::listings::v1::staff_audit_service_server::StaffAuditServiceServer;
use contracts::listings::v1::staff_import_service_server::StaffImportServiceServer;
use contracts::listings::v1::staff_listing_service_server::StaffListingServiceServer;
use contracts::listings::v1::staff_member_service_server::StaffMemberServiceServer;
use contracts::listings::v1::staff_page_service_server::StaffPageServiceServer;
use contracts::listings::v1::staff_picture_service_server::StaffPictureServiceServer;
use contracts::listings::v1::staff_review_service_server::StaffReviewServiceServer;
use kit::boot::Boot;
use kit::feed::{Latest, Producer, Retention};
use kit::pg::Schema;
use kit::redis::{self, Redis};

use config::Settings;
use feed::PublicUrl;
use import::Importer;
use members::Members;
use pictures::{Pictures, Store};
use sending::Rules;
use sending::vocabulary::Vocabulary;
use service::desk::Desk;
use service::writing::Writing;
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
    let rules = Arc::new(Rules {
        addresses: addresses.clone(),
        most_waiting: boot.settings.most_waiting,
        vocabulary: Vocabulary::default(),
    });
    let writer = producer.writer(Listings::new(Arc::clone(&rules)));
    let importer = Importer::new(pool.clone(), writer.clone(), boot.clock.clone());
    let writing = Writing::new(
        pool.clone(),
        writer.clone(),
        Arc::clone(&rules),
        boot.clock.clone(),
    );
    let clock = boot.clock.clone();
    let pages = service::pages::Service::new(
        writing.clone(),
        pool.clone(),
        addresses.clone(),
        clock.clone(),
    );

    let own = service::own::Service::new(pool.clone(), addresses.clone());
    let desk = Desk::new(pool.clone(), boot.clock.clone());
    let owner = service::owner::Service::new(pool.clone(), clock, desk.clone());
    let members = Members::new(pool.clone(), boot.clock.clone());
    let member = service::member::Service::new(
        pool.clone(),
        boot.clock.clone(),
        desk.clone(),
        members.clone(),
    );
    let audit = service::audit::Service::new(pool.clone(), desk.clone());
    let review = service::review::Service::new(
        importer.clone(),
        producer.clone(),
        desk.clone(),
        boot.lifecycle.draining(),
    );
    let listing = service::listing::Service::new(pool.clone(), writer.clone(), desk.clone());
    let files = Store::open(&boot.settings.files)?;
    jobs::sweep::spawn(&boot.lifecycle, &pool, &files, &boot.clock);
    let pictures = Pictures::new(
        pool.clone(),
        files.clone(),
        boot.clock.clone(),
        &boot.settings.files,
    );
    let picture = service::picture::Service::new(files);
    let staff_picture = service::staff_picture::Service::new(
        pool,
        writer,
        pictures,
        addresses.clone(),
        desk.clone(),
    );

    let loaded = boot
        .readiness
        .condition("the gazetteer and the samples to be loaded");
    jobs::start::spawn(&boot.lifecycle, loaded, importer.clone(), addresses);

    let mut services = kit::rpc::server::services();
    services
        .add_service(producer.service())
        .add_service(GamesServiceServer::new(service::games::Service(
            writing.clone(),
        )))
        .add_service(EventsServiceServer::new(service::events::Service(writing)))
        .add_service(OwnListingsServiceServer::new(own))
        .add_service(PagesServiceServer::new(pages))
        .add_service(StaffPageServiceServer::new(owner))
        .add_service(StaffMemberServiceServer::new(member))
        .add_service(StaffAuditServiceServer::new(audit))
        .add_service(StaffReviewServiceServer::new(review))
        .add_service(StaffListingServiceServer::new(listing))
        .add_service(StaffPictureServiceServer::new(staff_picture))
        .add_service(PictureServiceServer::new(picture))
        .add_service(
            StaffImportServiceServer::new(service::import::Service::new(
                importer,
                boot.lifecycle.draining(),
                desk,
            ))
            .max_decoding_message_size(service::import::MESSAGE),
        );
    boot.serve_rpc_to_members(services, Arc::new(members)).await
}
