//! The gRPC services of catalogue-svc, a file a resource. `query_params` and `answer` have what these files share.

mod answer;
mod creators;
mod events;
mod games;
mod places;
mod query_params;
mod rankings;
mod search;
mod site;
mod slow_searches;
mod staff;
mod votes;

use std::sync::Arc;

use contracts::catalogue::v1::creators_service_server::CreatorsServiceServer;
use contracts::catalogue::v1::events_service_server::EventsServiceServer;
use contracts::catalogue::v1::games_service_server::GamesServiceServer;
use contracts::catalogue::v1::places_service_server::PlacesServiceServer;
use contracts::catalogue::v1::rankings_service_server::RankingsServiceServer;
use contracts::catalogue::v1::search_service_server::SearchServiceServer;
use contracts::catalogue::v1::site_service_server::SiteServiceServer;
use contracts::catalogue::v1::staff_service_server::StaffServiceServer;
use contracts::catalogue::v1::votes_service_server::VotesServiceServer;
use contracts::common::v1::Position;
use kit::api::fault::replica_unavailable;
use kit::audit::Audit;
use kit::feed::Producer;
use kit::rpc::retry::is_current_call;
use kit::{Clock, Fault};
use sqlx::PgPool;
use tonic::Status;
use tonic::service::RoutesBuilder;

use crate::SCHEMA;
use crate::boards::Boards;
use crate::domain::draw::SigningKey;
use crate::index::{Catalogue, Dataset, Document, Index, ResultPage, Snapshot};
use crate::write::Limits;
use query_params::ListQuery;

pub use slow_searches::SlowSearches;
pub use staff::Staff;
pub use votes::Votes;

/// Answers reads from memory: a snapshot of the catalogue, and the boards.
#[derive(Debug)]
pub struct Reads {
    pub catalogue: Arc<Catalogue>,
    pub boards: Arc<Boards>,
    pub clock: Clock,
    /// Base address of the pages of cities. The feed has the addresses of other listings.
    pub public_url: String,
    pub typo_searches: SlowSearches,
    /// Lists with `updated_since`, which callers poll. They do not wait for searches with typos.
    pub polls: SlowSearches,
}

impl Reads {
    /// The snapshot for a call that must see `at_least` (§1). Every public read of listings takes its snapshot here.
    ///
    /// A replica that lags refuses the first attempt of a call, which goes to another replica. It answers a retry with the snapshot that it
    /// has: while all replicas lag, reads go on.
    async fn snapshot_at(&self, at_least: Option<&Position>) -> Result<Arc<Snapshot>, Status> {
        match self.catalogue.snapshot_at(at_least).await? {
            Some(snapshot) => Ok(snapshot),
            None if is_current_call() => Ok(self.catalogue.snapshot()?),
            None => Err(replica_unavailable("the listings of this replica lag")),
        }
    }

    async fn list<L>(
        &self,
        snapshot: &Arc<Snapshot>,
        index: fn(&Dataset) -> &Index<L>,
        list: &ListQuery<L::Key>,
    ) -> Result<ResultPage<L>, Fault>
    where
        L: Document<Key: 'static> + 'static,
    {
        let mode = list.mode;
        // `updated_since` reads the times of all rows: at a million rows, that takes longer than a worker may be blocked.
        if list.query.updated_since.is_none()
            && let Some(page) = index(snapshot.dataset(mode)).search_exactly(&list.query)
        {
            return Ok(page);
        }
        let (snapshot, query) = (Arc::clone(snapshot), list.query.clone());
        let search = move || index(snapshot.dataset(mode)).search(&query);
        let searches =
            if list.query.updated_since.is_some() { &self.polls } else { &self.typo_searches };
        searches.run(search).await
    }
}

#[derive(Debug)]
pub struct Dependencies {
    pub pool: PgPool,
    pub reads: Reads,
    pub producer: Producer,
    pub limits: Limits,
    pub draw_key: SigningKey,
}

impl Dependencies {
    pub fn add_to(self, services: &mut RoutesBuilder) {
        let reads = Arc::new(self.reads);
        let votes = Votes {
            pool: self.pool.clone(),
            reads: Arc::clone(&reads),
            producer: self.producer.clone(),
            limits: self.limits,
            draw_key: self.draw_key,
        };
        let staff = Staff {
            audit: Audit::new(self.pool.clone(), SCHEMA, reads.clock.clone()),
            pool: self.pool,
            reads: Arc::clone(&reads),
            producer: self.producer.clone(),
        };
        let reads = || Arc::clone(&reads);
        services
            .add_service(self.producer.service())
            .add_service(GamesServiceServer::from_arc(reads()))
            .add_service(CreatorsServiceServer::from_arc(reads()))
            .add_service(PlacesServiceServer::from_arc(reads()))
            .add_service(EventsServiceServer::from_arc(reads()))
            .add_service(SearchServiceServer::from_arc(reads()))
            .add_service(SiteServiceServer::from_arc(reads()))
            .add_service(RankingsServiceServer::from_arc(reads()))
            .add_service(VotesServiceServer::new(votes))
            .add_service(StaffServiceServer::new(staff));
    }
}
