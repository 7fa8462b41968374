//! The client of catalogue-svc: reads of the directory.

use std::time::Duration;

use contracts::catalogue::v1::changes_service_client::ChangesServiceClient;
use contracts::catalogue::v1::creators_service_client::CreatorsServiceClient;
use contracts::catalogue::v1::events_service_client::EventsServiceClient;
use contracts::catalogue::v1::games_service_client::GamesServiceClient;
use contracts::catalogue::v1::places_service_client::PlacesServiceClient;
use contracts::catalogue::v1::rankings_service_client::RankingsServiceClient;
use contracts::catalogue::v1::search_service_client::SearchServiceClient;
use kit::Fault;
use kit::rpc::client::Client;
use tonic::{Request, Response, Status};

use super::CallLimits;
use super::limit::CallLimit;
use super::read::read;

/// The largest response. A creator comes with all its games and a country with all its cities, which can be thousands. Events are
/// listed with their descriptions.
const MAX_MESSAGE_SIZE: usize = 64 * 1024 * 1024;

/// The services of catalogue-svc. They share one limit.
pub struct Catalogue {
    client: Client,
    limit: CallLimit,
    deadline: Duration,
}

/// A service of catalogue-svc.
pub trait CatalogueService {
    fn new(client: Client) -> Self;
}

macro_rules! services {
    ($($service:ident)*) => {$(
        impl CatalogueService for $service<Client> {
            fn new(client: Client) -> Self {
                $service::new(client).max_decoding_message_size(MAX_MESSAGE_SIZE)
            }
        }
    )*};
}

services! {
    GamesServiceClient CreatorsServiceClient PlacesServiceClient EventsServiceClient
    SearchServiceClient ChangesServiceClient RankingsServiceClient
}

impl Catalogue {
    pub fn new(client: &Client, limits: CallLimits) -> Self {
        Self {
            client: client.clone(),
            limit: CallLimit::new("catalogue", limits),
            deadline: limits.deadline,
        }
    }

    /// Calls a method, such as [`GamesServiceClient::list_games`].
    ///
    /// # Errors
    /// catalogue-svc rejects the request or does not respond, or too many reads are running.
    pub async fn read<S: CatalogueService, Q, A>(
        &self,
        method: impl AsyncFnOnce(&mut S, Request<Q>) -> Result<Response<A>, Status>,
        request: Q,
    ) -> Result<A, Fault> {
        let service = S::new(self.client.clone());
        read(&self.limit, self.deadline, service, method, request).await
    }
}
