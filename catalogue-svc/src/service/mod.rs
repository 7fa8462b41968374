//! What catalogue-svc answers over gRPC: a file a resource, and what they have in common in `query_params` and `answer`.

mod answer;
mod change_row;
mod changes;
mod creators;
mod dump;
mod events;
mod games;
mod places;
mod query_params;
mod rankings;
mod search;
mod site;
mod staff;
mod votes;

use std::sync::Arc;

use contracts::catalogue::v1::changes_service_server::ChangesServiceServer;
use contracts::catalogue::v1::creators_service_server::CreatorsServiceServer;
use contracts::catalogue::v1::events_service_server::EventsServiceServer;
use contracts::catalogue::v1::games_service_server::GamesServiceServer;
use contracts::catalogue::v1::places_service_server::PlacesServiceServer;
use contracts::catalogue::v1::rankings_service_server::RankingsServiceServer;
use contracts::catalogue::v1::search_service_server::SearchServiceServer;
use contracts::catalogue::v1::site_service_server::SiteServiceServer;
use contracts::catalogue::v1::staff_dump_service_server::StaffDumpServiceServer;
use contracts::catalogue::v1::staff_service_server::StaffServiceServer;
use contracts::catalogue::v1::votes_service_server::VotesServiceServer;
use kit::Clock;
use kit::audit::Audit;
use kit::feed::{Producer, Writer};
use sqlx::PgPool;
use tonic::service::RoutesBuilder;

use crate::SCHEMA;
use crate::boards::Boards;
use crate::domain::draw::SigningKey;
use crate::index::Catalogue;
use crate::write::CommandHandler;

pub use changes::Changes;
pub use creators::Creators;
pub use dump::Dump;
pub use events::Events;
pub use games::Games;
pub use places::Places;
pub use rankings::Rankings;
pub use search::Searches;
pub use site::{SITEMAP_FILE_ROWS, Site};
pub use staff::Staff;
pub use votes::Votes;

/// The dependencies of the services.
#[derive(Debug)]
pub struct Dependencies {
    /// The schema.
    pub pool: PgPool,
    /// The listings.
    pub catalogue: Arc<Catalogue>,
    /// The boards.
    pub boards: Arc<Boards>,
    /// The catalogue's own feed.
    pub producer: Producer,
    /// Through which votes go.
    pub writer: Writer<CommandHandler>,
    /// Signs the pairs that voters are shown.
    pub draw_key: SigningKey,
    /// The time.
    pub clock: Clock,
    /// Public pages are below it.
    pub public_url: String,
}

impl Dependencies {
    /// Adds every service.
    pub fn add_to(self, services: &mut RoutesBuilder) {
        let Self {
            pool,
            catalogue,
            boards,
            producer,
            writer,
            draw_key,
            clock,
            public_url,
        } = self;
        let all = || Arc::clone(&catalogue);
        let events = Events::new(all(), clock.clone());
        let rankings = Rankings::new(all(), Arc::clone(&boards));
        let votes = Votes {
            pool: pool.clone(),
            catalogue: all(),
            boards: Arc::clone(&boards),
            writer: writer.clone(),
            draw_key,
            clock: clock.clone(),
        };
        let audit = Audit::new(pool.clone(), SCHEMA, clock.clone());
        let staff = Staff {
            pool,
            catalogue: all(),
            boards,
            writer,
            audit,
            clock,
        };
        services
            .add_service(producer.service())
            .add_service(GamesServiceServer::new(Games::new(all())))
            .add_service(CreatorsServiceServer::new(Creators::new(all())))
            .add_service(PlacesServiceServer::new(Places::new(all())))
            .add_service(EventsServiceServer::new(events))
            .add_service(SearchServiceServer::new(Searches::new(all(), public_url)))
            .add_service(ChangesServiceServer::new(Changes::new(all())))
            .add_service(SiteServiceServer::new(Site::new(all())))
            .add_service(StaffDumpServiceServer::new(Dump::new(all())))
            .add_service(RankingsServiceServer::new(rankings))
            .add_service(VotesServiceServer::new(votes))
            .add_service(StaffServiceServer::new(staff));
    }
}
