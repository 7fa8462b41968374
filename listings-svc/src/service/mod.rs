//! The gRPC services of listings-svc, one file per resource.

mod account_id;
pub mod audit;
pub mod events;
pub mod find_member;
pub mod games;
pub mod import;
pub mod listing;
mod listing_name;
pub mod member;
pub mod notes;
mod own_listing;
pub mod own_listings;
pub mod page_owners;
pub mod pages;
pub mod pictures;
pub mod review;
mod revision;
pub mod submissions;
mod tickets;

use std::sync::Arc;

use contracts::listings::v1::events_service_server::EventsServiceServer;
use contracts::listings::v1::games_service_server::GamesServiceServer;
use contracts::listings::v1::member_service_server::MemberServiceServer;
use contracts::listings::v1::notes_service_server::NotesServiceServer;
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
use kit::feed::{Producer, Writer};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use tonic::service::RoutesBuilder;

use crate::members::Members;
use crate::pictures::{FileStore, PictureProcessor};
use crate::write::import::Importer;
use crate::write::{CommandDependencies, CommandHandler};
use submissions::Submissions;

/// The dependencies of the services.
#[derive(Debug)]
pub struct Dependencies {
    pub pool: PgPool,
    pub clock: Clock,
    /// Serves the feed.
    pub producer: Producer,
    /// Applies commands.
    pub writer: Writer<CommandHandler>,
    pub commands: Arc<CommandDependencies>,
    pub importer: Importer,
    pub pictures: PictureProcessor,
    pub files: FileStore,
    /// Pictures that an account may upload in 24 hours.
    pub pictures_per_day: i64,
    pub members: Members,
    /// After which the token of a member expires.
    pub token_lifetime: time::Duration,
    /// Cancelled when long calls must end.
    pub draining: CancellationToken,
}

impl Dependencies {
    pub fn add_to(self, services: &mut RoutesBuilder) {
        services.add_service(self.producer.service());
        self.add_accounts(services);
        self.add_staff(services);
    }

    /// The services that the gateway calls for accounts.
    fn add_accounts(&self, services: &mut RoutesBuilder) {
        let (pool, commands) = (self.pool.clone(), Arc::clone(&self.commands));
        let public_url = commands.public_url.clone();
        let submissions = Submissions::new(
            pool.clone(),
            self.writer.clone(),
            commands,
            self.clock.clone(),
        );
        let pages = pages::Service::new(
            submissions.clone(),
            pool.clone(),
            self.writer.clone(),
            public_url.clone(),
            self.clock.clone(),
        );
        let pictures = pictures::owner::Service::new(
            submissions.clone(),
            pool.clone(),
            self.clock.clone(),
            self.pictures.clone(),
            public_url.clone(),
            self.pictures_per_day,
        );
        services
            .add_service(OwnPicturesServiceServer::new(pictures))
            .add_service(GamesServiceServer::new(games::Service(submissions.clone())))
            .add_service(EventsServiceServer::new(events::Service(
                submissions.clone(),
            )))
            .add_service(PagesServiceServer::new(pages))
            .add_service(MemberServiceServer::new(find_member::Service::new(
                pool.clone(),
                self.clock.clone(),
            )))
            .add_service(OwnListingsServiceServer::new(own_listings::Service::new(
                submissions,
                pool.clone(),
                self.writer.clone(),
                public_url,
                self.clock.clone(),
            )))
            .add_service(NotesServiceServer::new(notes::Service::new(
                pool.clone(),
                self.writer.clone(),
                self.clock.clone(),
            )))
            .add_service(PictureServiceServer::new(pictures::public::Service::new(
                pool,
                self.files.clone(),
            )));
    }

    /// The services that staff call.
    fn add_staff(self, services: &mut RoutesBuilder) {
        let Self {
            pool,
            clock,
            writer,
            importer,
            ..
        } = self;
        let audit = Audit::new(pool.clone(), crate::SCHEMA, clock.clone());
        let member = member::Service::new(
            pool.clone(),
            writer.clone(),
            clock.clone(),
            audit.clone(),
            self.members,
            self.token_lifetime,
        );
        let list = audit::Service::new(pool.clone(), audit.clone());
        let page_owners = page_owners::Service::new(pool.clone(), writer.clone(), audit.clone());
        let review = review::Service::new(
            importer.clone(),
            self.producer,
            audit.clone(),
            self.draining.clone(),
        );
        let listing = listing::Service::new(pool.clone(), audit.clone(), clock.clone());
        let public_url = self.commands.public_url.clone();
        let files = pictures::public::Service::new(pool.clone(), self.files);
        let picture = pictures::staff::Service {
            pool,
            clock,
            writer,
            pictures: self.pictures,
            public_url,
            uploads: pictures::staff::Service::limit_uploads(),
            audit: audit.clone(),
            files,
        };
        let import = import::Service::new(importer, self.draining, audit);
        let import = StaffImportServiceServer::new(import);
        services
            .add_service(StaffMemberServiceServer::new(member))
            .add_service(StaffAuditServiceServer::new(list))
            .add_service(StaffPageServiceServer::new(page_owners))
            .add_service(StaffReviewServiceServer::new(review))
            .add_service(StaffListingServiceServer::new(listing))
            .add_service(StaffPictureServiceServer::new(picture))
            .add_service(import.max_decoding_message_size(import::MAX_MESSAGE_BYTES));
    }
}
