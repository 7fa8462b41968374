//! The gRPC services of listings-svc, by who calls them, one file per resource.

pub mod account;
mod claims;
mod ids;
mod listing_name;
mod pictures;
mod staff;

use std::sync::Arc;

use contracts::listings::v1::events_service_server::EventsServiceServer;
use contracts::listings::v1::games_service_server::GamesServiceServer;
use contracts::listings::v1::own_listings_service_server::OwnListingsServiceServer;
use contracts::listings::v1::own_pictures_service_server::OwnPicturesServiceServer;
use contracts::listings::v1::pages_service_server::PagesServiceServer;
use contracts::listings::v1::picture_service_server::PictureServiceServer;
use contracts::listings::v1::staff_audit_service_server::StaffAuditServiceServer;
use contracts::listings::v1::staff_import_service_server::StaffImportServiceServer;
use contracts::listings::v1::staff_listing_service_server::StaffListingServiceServer;
use contracts::listings::v1::staff_member_service_server::StaffMemberServiceServer;
use contracts::listings::v1::staff_page_service_server::StaffPageServiceServer;
use contracts::listings::v1::staff_picture_service_server::StaffPictureServiceServer;
use contracts::listings::v1::staff_review_service_server::StaffReviewServiceServer;
use kit::Clock;
use kit::audit::Audit;
use kit::feed::Producer;
use kit::overload::ConcurrencyLimit;
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use tonic::service::RoutesBuilder;

use crate::pictures::{FileStore, PictureProcessor};
use crate::write::CommandDependencies;
use crate::write::import::Importer;

/// Implements every gRPC service, each in its file; the other files have what several of them share.
#[derive(Debug)]
pub struct Service {
    pub pool: PgPool,
    pub clock: Clock,
    pub audit: Audit,
    /// Serves the feed.
    pub producer: Producer,
    pub commands: Arc<CommandDependencies>,
    pub importer: Importer,
    pub pictures: PictureProcessor,
    pub files: FileStore,
    /// Pictures that an account may upload in 24 hours.
    pub pictures_per_day: i64,
    /// When it is cancelled, running imports fail: their clients import the file again at another replica.
    pub draining: CancellationToken,
    /// Limits the uploads of accounts.
    pub uploads: ConcurrencyLimit,
}

impl Service {
    pub fn add_to(self, services: &mut RoutesBuilder) {
        services.add_service(self.producer.service());
        let service = Arc::new(self);
        let service = || Arc::clone(&service);
        let pictures = OwnPicturesServiceServer::from_arc(service());
        let import = StaffImportServiceServer::from_arc(service());
        services
            .add_service(EventsServiceServer::from_arc(service()))
            .add_service(GamesServiceServer::from_arc(service()))
            .add_service(OwnListingsServiceServer::from_arc(service()))
            .add_service(pictures.max_decoding_message_size(account::pictures::MAX_REQUEST_BYTES))
            .add_service(PagesServiceServer::from_arc(service()))
            .add_service(PictureServiceServer::from_arc(service()))
            .add_service(StaffAuditServiceServer::from_arc(service()))
            .add_service(import.max_decoding_message_size(staff::import::MAX_MESSAGE_BYTES))
            .add_service(StaffListingServiceServer::from_arc(service()))
            .add_service(StaffMemberServiceServer::from_arc(service()))
            .add_service(StaffPageServiceServer::from_arc(service()))
            .add_service(StaffPictureServiceServer::from_arc(service()))
            .add_service(StaffReviewServiceServer::from_arc(service()));
    }
}
