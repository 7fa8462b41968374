//! The client of catalogue-svc: reads of the directory.

use std::sync::Arc;
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
    pub games: Reads<GamesServiceClient<Client>>,
    pub creators: Reads<CreatorsServiceClient<Client>>,
    pub places: Reads<PlacesServiceClient<Client>>,
    pub events: Reads<EventsServiceClient<Client>>,
    pub searches: Reads<SearchServiceClient<Client>>,
    pub changes: Reads<ChangesServiceClient<Client>>,
    pub rankings: Reads<RankingsServiceClient<Client>>,
}

/// The reads of one service.
pub struct Reads<S> {
    service: S,
    limit: Arc<CallLimit>,
    deadline: Duration,
}

impl Catalogue {
    pub fn new(client: &Client, limits: CallLimits) -> Self {
        let limit = Arc::new(CallLimit::new("catalogue", limits));
        let channel = || client.clone();
        Self {
            games: Reads::new(GamesServiceClient::new(channel()), &limit, limits),
            creators: Reads::new(
                CreatorsServiceClient::new(channel()).max_decoding_message_size(MAX_MESSAGE_SIZE),
                &limit,
                limits,
            ),
            places: Reads::new(
                PlacesServiceClient::new(channel()).max_decoding_message_size(MAX_MESSAGE_SIZE),
                &limit,
                limits,
            ),
            events: Reads::new(
                EventsServiceClient::new(channel()).max_decoding_message_size(MAX_MESSAGE_SIZE),
                &limit,
                limits,
            ),
            searches: Reads::new(SearchServiceClient::new(channel()), &limit, limits),
            changes: Reads::new(
                ChangesServiceClient::new(channel()).max_decoding_message_size(MAX_MESSAGE_SIZE),
                &limit,
                limits,
            ),
            rankings: Reads::new(RankingsServiceClient::new(channel()), &limit, limits),
        }
    }
}

impl<S: Clone> Reads<S> {
    fn new(service: S, limit: &Arc<CallLimit>, limits: CallLimits) -> Self {
        Self {
            service,
            limit: Arc::clone(limit),
            deadline: limits.deadline,
        }
    }

    /// Calls a method of the service, such as [`GamesServiceClient::list_games`].
    ///
    /// # Errors
    /// catalogue-svc rejects the request or does not respond, or too many reads are running.
    pub async fn read<Q, A>(
        &self,
        method: impl AsyncFnOnce(&mut S, Request<Q>) -> Result<Response<A>, Status>,
        request: Q,
    ) -> Result<A, Fault> {
        let service = self.service.clone();
        read(&self.limit, self.deadline, service, method, request).await
    }
}
