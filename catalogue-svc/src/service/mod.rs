//! What catalogue-svc answers over gRPC: a file a resource, and what they have in common in `ask` and `answer`.

mod answer;
mod change_row;
mod changes;
mod creators;
mod dump;
mod events;
mod games;
mod places;
mod query_params;
mod search;
mod typed;

use std::sync::Arc;

use contracts::catalogue::v1::changes_service_server::ChangesServiceServer;
use contracts::catalogue::v1::creators_service_server::CreatorsServiceServer;
use contracts::catalogue::v1::events_service_server::EventsServiceServer;
use contracts::catalogue::v1::games_service_server::GamesServiceServer;
use contracts::catalogue::v1::places_service_server::PlacesServiceServer;
use contracts::catalogue::v1::search_service_server::SearchServiceServer;
use contracts::catalogue::v1::staff_dump_service_server::StaffDumpServiceServer;
use kit::Clock;
use tonic::service::RoutesBuilder;

use crate::index::Catalogue;

pub use changes::Changes;
pub use creators::Creators;
pub use dump::Dump;
pub use events::Events;
pub use games::Games;
pub use places::Places;
pub use search::Searches;

/// Adds every service, answering from `catalogue`. Public pages are below `public_url`.
pub fn add(
    services: &mut RoutesBuilder,
    catalogue: &Arc<Catalogue>,
    clock: Clock,
    public_url: String,
) {
    let all = || Arc::clone(catalogue);
    services
        .add_service(GamesServiceServer::new(Games::new(all())))
        .add_service(CreatorsServiceServer::new(Creators::new(all())))
        .add_service(PlacesServiceServer::new(Places::new(all())))
        .add_service(EventsServiceServer::new(Events::new(all(), clock)))
        .add_service(SearchServiceServer::new(Searches::new(all(), public_url)))
        .add_service(ChangesServiceServer::new(Changes::new(all())))
        .add_service(StaffDumpServiceServer::new(Dump::new(all())));
}
