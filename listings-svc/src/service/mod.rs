//! The gRPC services of listings-svc, a file a resource.

pub mod audit;
mod claim;
pub mod events;
pub mod find_member;
pub mod games;
pub mod import;
pub mod listing;
pub mod member;
mod names;
pub mod own;
pub mod owner;
pub mod pages;
mod paging;
pub mod picture;
pub mod review;
pub mod staff_picture;
pub mod writing;

use std::sync::Arc;

use contracts::listings::v1::events_service_server::EventsServiceServer;
use contracts::listings::v1::games_service_server::GamesServiceServer;
use contracts::listings::v1::member_service_server::MemberServiceServer;
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
use kit::Clock;
use kit::audit::Audit;
use kit::feed::{Producer, Writer};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use tonic::service::RoutesBuilder;

use crate::members::Members;
use crate::pictures::{Pictures, Store};
use crate::write::import::Importer;
use crate::write::{Listings, Rules};
use writing::Writing;

/// What the services are made of.
#[derive(Debug)]
pub struct Parts {
    /// The database.
    pub pool: PgPool,
    /// The time.
    pub clock: Clock,
    /// What tells of changes.
    pub producer: Producer,
    /// What makes them.
    pub writer: Writer<Listings>,
    /// What they are held to.
    pub rules: Arc<Rules>,
    /// What loads files of rows.
    pub importer: Importer,
    /// What makes pictures.
    pub pictures: Pictures,
    /// Where their files lie.
    pub files: Store,
    /// The staff by name.
    pub members: Members,
    /// Ends the calls that go on for long.
    pub draining: CancellationToken,
}

impl Parts {
    /// Adds every service.
    pub fn add_to(self, services: &mut RoutesBuilder) {
        services.add_service(self.producer.service());
        self.add_accounts(services);
        self.add_staff(services);
    }

    /// What accounts use, by way of the gateway.
    fn add_accounts(&self, services: &mut RoutesBuilder) {
        let (pool, rules) = (self.pool.clone(), Arc::clone(&self.rules));
        let addresses = rules.addresses.clone();
        let writing = Writing::new(pool.clone(), self.writer.clone(), rules, self.clock.clone());
        let pages = pages::Service::new(
            writing.clone(),
            pool.clone(),
            addresses.clone(),
            self.clock.clone(),
        );
        services
            .add_service(GamesServiceServer::new(games::Service(writing.clone())))
            .add_service(EventsServiceServer::new(events::Service(writing)))
            .add_service(PagesServiceServer::new(pages))
            .add_service(MemberServiceServer::new(find_member::Service::new(
                pool.clone(),
            )))
            .add_service(OwnListingsServiceServer::new(own::Service::new(
                pool, addresses,
            )))
            .add_service(PictureServiceServer::new(picture::Service::new(
                self.files.clone(),
            )));
    }

    /// What staff use.
    fn add_staff(self, services: &mut RoutesBuilder) {
        let Self {
            pool,
            clock,
            writer,
            importer,
            ..
        } = self;
        let audit = Audit::new(pool.clone(), crate::SCHEMA, clock.clone());
        let member = member::Service::new(pool.clone(), clock.clone(), audit.clone(), self.members);
        let list = audit::Service::new(pool.clone(), audit.clone());
        let owner = owner::Service::new(pool.clone(), writer.clone(), clock, audit.clone());
        let review = review::Service::new(
            importer.clone(),
            self.producer,
            audit.clone(),
            self.draining.clone(),
        );
        let listing = listing::Service::new(pool.clone(), audit.clone());
        let addresses = self.rules.addresses.clone();
        let picture =
            staff_picture::Service::new(pool, writer, self.pictures, addresses, audit.clone());
        let import = import::Service::new(importer, self.draining, audit);
        let import = StaffImportServiceServer::new(import);
        services
            .add_service(StaffMemberServiceServer::new(member))
            .add_service(StaffAuditServiceServer::new(list))
            .add_service(StaffPageServiceServer::new(owner))
            .add_service(StaffReviewServiceServer::new(review))
            .add_service(StaffListingServiceServer::new(listing))
            .add_service(StaffPictureServiceServer::new(picture))
            .add_service(import.max_decoding_message_size(import::MESSAGE));
    }
}
