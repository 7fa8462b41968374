//! The client of one service, with its deadlines and a limit of concurrent calls.

use std::time::Duration;

use contracts::catalogue::v1::creators_service_client::CreatorsServiceClient;
use contracts::catalogue::v1::events_service_client::EventsServiceClient as CatalogueEvents;
use contracts::catalogue::v1::games_service_client::GamesServiceClient as CatalogueGames;
use contracts::catalogue::v1::places_service_client::PlacesServiceClient;
use contracts::catalogue::v1::rankings_service_client::RankingsServiceClient;
use contracts::catalogue::v1::search_service_client::SearchServiceClient;
use contracts::economy::v1::currencies_service_client::CurrenciesServiceClient;
use contracts::economy::v1::history_service_client::HistoryServiceClient;
use contracts::economy::v1::rates_service_client::RatesServiceClient;
use contracts::economy::v1::reports_service_client::ReportsServiceClient;
use contracts::economy::v1::tips_service_client::TipsServiceClient;
use contracts::listings::v1::events_service_client::EventsServiceClient;
use contracts::listings::v1::games_service_client::GamesServiceClient;
use contracts::listings::v1::own_listings_service_client::OwnListingsServiceClient;
use contracts::webhook::v1::messages_service_client::MessagesServiceClient;
use kit::Fault;
use kit::rpc::client::{Client, Idempotent, is_unanswered};
use tonic::{Request, Response, Status};

use super::CallLimits;
use super::limit::CallLimit;

/// The largest response. A creator comes with all its games and a country with all its cities, which can be thousands.
const MAX_MESSAGE_SIZE: usize = 64 * 1024 * 1024;

/// The client of a service. Its calls share one limit.
pub struct Upstream {
    client: Client,
    pub(super) limit: CallLimit,
    deadline: Duration,
    pub(crate) write_deadline: Duration,
}

/// A generated client.
pub trait GrpcClient {
    fn new(client: Client) -> Self;
}

macro_rules! grpc_clients {
    ($($name:ident)*) => {$(
        impl GrpcClient for $name<Client> {
            fn new(client: Client) -> Self {
                $name::new(client).max_decoding_message_size(MAX_MESSAGE_SIZE)
            }
        }
    )*};
}

grpc_clients! {
    CreatorsServiceClient CatalogueEvents CatalogueGames PlacesServiceClient RankingsServiceClient
    SearchServiceClient CurrenciesServiceClient HistoryServiceClient RatesServiceClient
    ReportsServiceClient TipsServiceClient EventsServiceClient GamesServiceClient OwnListingsServiceClient
    MessagesServiceClient
}

impl Upstream {
    /// `name` appears in logs and metrics.
    pub fn new(name: &'static str, client: Client, limits: CallLimits) -> Self {
        Self {
            client,
            limit: CallLimit::new(name, limits),
            deadline: limits.deadline,
            write_deadline: limits.write_deadline,
        }
    }

    pub(super) fn client<S: GrpcClient>(&self) -> S {
        S::new(self.client.clone())
    }

    /// Makes a call without effects, such as [`CatalogueGames::list_games`]. It may be retried at another replica until the deadline.
    ///
    /// # Errors
    /// The service rejects the request or does not respond, or too many calls are running.
    pub async fn read<S: GrpcClient, Q, A>(
        &self,
        method: impl AsyncFnOnce(&mut S, Request<Q>) -> Result<Response<A>, Status>,
        request: Q,
    ) -> Result<A, Fault> {
        let _permit = self.limit.acquire().await?;
        let request = Idempotent::Unary.request(request, self.deadline);
        let response = method(&mut self.client(), request).await;
        self.limit.record(&response);
        Ok(response?.into_inner())
    }

    /// Makes a call with effects. It is never retried: without a response, its outcome is unknown.
    ///
    /// # Errors
    /// The service rejects the request or does not respond, or too many calls are running.
    pub async fn write<S: GrpcClient, Q, A>(
        &self,
        method: impl AsyncFnOnce(&mut S, Request<Q>) -> Result<Response<A>, Status>,
        request: Q,
    ) -> Result<A, Fault> {
        let _permit = self.limit.acquire().await?;
        let mut request = Request::new(request);
        request.set_timeout(self.write_deadline);
        let response = method(&mut self.client(), request).await;
        self.limit.record(&response);
        match response {
            Ok(response) => Ok(response.into_inner()),
            Err(status) if is_unanswered(&status) => Err(Fault::outcome_unknown(status.message())),
            Err(status) => Err(status.into()),
        }
    }
}
