//! The client of catalogue-svc: reads of the directory.

use std::future::Future;
use std::time::Duration;

use contracts::catalogue::v1::changes_service_client::ChangesServiceClient;
use contracts::catalogue::v1::creators_service_client::CreatorsServiceClient;
use contracts::catalogue::v1::events_service_client::EventsServiceClient;
use contracts::catalogue::v1::games_service_client::GamesServiceClient;
use contracts::catalogue::v1::places_service_client::PlacesServiceClient;
use contracts::catalogue::v1::rankings_service_client::RankingsServiceClient;
use contracts::catalogue::v1::search_service_client::SearchServiceClient;
use contracts::catalogue::v1::{
    GetCountryRequest, GetCountryResponse, GetCreatorRequest, GetCreatorResponse, GetEventRequest,
    GetEventResponse, GetGameRequest, GetGameResponse, ListChangesRequest, ListChangesResponse,
    ListCitiesRequest, ListCitiesResponse, ListCountriesRequest, ListCountriesResponse,
    ListCreatorsRequest, ListCreatorsResponse, ListEventsRequest, ListEventsResponse,
    ListGamesRequest, ListGamesResponse, ListGenresRequest, ListGenresResponse, ListRankingRequest,
    ListRankingResponse, SearchRequest, SearchResponse,
};
use contracts::common::v1 as common;
use kit::feed::Position;
use kit::overload::Permit;
use kit::rpc::client::{Client, Idempotent};
use kit::{Code, Fault};
use tokio::time::Instant;
use tonic::{Request, Response, Status};

use super::CallLimits;
use super::limit::CallLimit;
use super::min_position::MinPosition;
use super::position::ListingsPosition;

/// The largest response. A creator comes with all its games and a country with all its cities, which can be thousands. Events are
/// listed with their descriptions.
const MAX_MESSAGE_SIZE: usize = 64 * 1024 * 1024;

pub struct Catalogue {
    games: GamesServiceClient<Client>,
    creators: CreatorsServiceClient<Client>,
    places: PlacesServiceClient<Client>,
    events: EventsServiceClient<Client>,
    search: SearchServiceClient<Client>,
    changes: ChangesServiceClient<Client>,
    rankings: RankingsServiceClient<Client>,
    listings_position: ListingsPosition,
    limit: CallLimit,
    deadline: Duration,
}

impl Catalogue {
    /// `listings` is asked for the newest position while Redis is away.
    pub fn new(catalogue: Client, listings: Client, limits: CallLimits) -> Self {
        Self {
            games: GamesServiceClient::new(catalogue.clone()),
            creators: CreatorsServiceClient::new(catalogue.clone())
                .max_decoding_message_size(MAX_MESSAGE_SIZE),
            places: PlacesServiceClient::new(catalogue.clone())
                .max_decoding_message_size(MAX_MESSAGE_SIZE),
            events: EventsServiceClient::new(catalogue.clone())
                .max_decoding_message_size(MAX_MESSAGE_SIZE),
            search: SearchServiceClient::new(catalogue.clone()),
            changes: ChangesServiceClient::new(catalogue.clone())
                .max_decoding_message_size(MAX_MESSAGE_SIZE),
            rankings: RankingsServiceClient::new(catalogue),
            listings_position: ListingsPosition::new(listings),
            limit: CallLimit::new("catalogue", limits),
            deadline: limits.deadline,
        }
    }

    /// Acquires a permit for a read.
    ///
    /// # Errors
    /// Too many reads are running.
    pub async fn acquire(&self) -> Result<Permit, Fault> {
        self.limit.acquire().await
    }

    pub async fn list_games(
        &self,
        request: ListGamesRequest,
        min: MinPosition,
    ) -> Result<ListGamesResponse, Fault> {
        self.read(
            (request, min),
            &self.games,
            |mut games, request| async move { games.list_games(request).await },
            |request, at_least| request.at_least = at_least,
            |response| response.position.as_ref(),
        )
        .await
    }

    pub async fn get_game(
        &self,
        request: GetGameRequest,
        min: MinPosition,
    ) -> Result<GetGameResponse, Fault> {
        self.read(
            (request, min),
            &self.games,
            |mut games, request| async move { games.get_game(request).await },
            |request, at_least| request.at_least = at_least,
            |response| response.position.as_ref(),
        )
        .await
    }

    pub async fn list_creators(
        &self,
        request: ListCreatorsRequest,
        min: MinPosition,
    ) -> Result<ListCreatorsResponse, Fault> {
        self.read(
            (request, min),
            &self.creators,
            |mut creators, request| async move { creators.list_creators(request).await },
            |request, at_least| request.at_least = at_least,
            |response| response.position.as_ref(),
        )
        .await
    }

    pub async fn get_creator(
        &self,
        request: GetCreatorRequest,
        min: MinPosition,
    ) -> Result<GetCreatorResponse, Fault> {
        self.read(
            (request, min),
            &self.creators,
            |mut creators, request| async move { creators.get_creator(request).await },
            |request, at_least| request.at_least = at_least,
            |response| response.position.as_ref(),
        )
        .await
    }

    pub async fn list_genres(
        &self,
        request: ListGenresRequest,
        min: MinPosition,
    ) -> Result<ListGenresResponse, Fault> {
        self.read(
            (request, min),
            &self.places,
            |mut places, request| async move { places.list_genres(request).await },
            |request, at_least| request.at_least = at_least,
            |response| response.position.as_ref(),
        )
        .await
    }

    pub async fn list_countries(
        &self,
        request: ListCountriesRequest,
        min: MinPosition,
    ) -> Result<ListCountriesResponse, Fault> {
        self.read(
            (request, min),
            &self.places,
            |mut places, request| async move { places.list_countries(request).await },
            |request, at_least| request.at_least = at_least,
            |response| response.position.as_ref(),
        )
        .await
    }

    pub async fn get_country(
        &self,
        request: GetCountryRequest,
        min: MinPosition,
    ) -> Result<GetCountryResponse, Fault> {
        self.read(
            (request, min),
            &self.places,
            |mut places, request| async move { places.get_country(request).await },
            |request, at_least| request.at_least = at_least,
            |response| response.position.as_ref(),
        )
        .await
    }

    pub async fn list_cities(
        &self,
        request: ListCitiesRequest,
        min: MinPosition,
    ) -> Result<ListCitiesResponse, Fault> {
        self.read(
            (request, min),
            &self.places,
            |mut places, request| async move { places.list_cities(request).await },
            |request, at_least| request.at_least = at_least,
            |response| response.position.as_ref(),
        )
        .await
    }

    pub async fn list_events(
        &self,
        request: ListEventsRequest,
        min: MinPosition,
    ) -> Result<ListEventsResponse, Fault> {
        self.read(
            (request, min),
            &self.events,
            |mut events, request| async move { events.list_events(request).await },
            |request, at_least| request.at_least = at_least,
            |response| response.position.as_ref(),
        )
        .await
    }

    pub async fn get_event(
        &self,
        request: GetEventRequest,
        min: MinPosition,
    ) -> Result<GetEventResponse, Fault> {
        self.read(
            (request, min),
            &self.events,
            |mut events, request| async move { events.get_event(request).await },
            |request, at_least| request.at_least = at_least,
            |response| response.position.as_ref(),
        )
        .await
    }

    pub async fn search(
        &self,
        request: SearchRequest,
        min: MinPosition,
    ) -> Result<SearchResponse, Fault> {
        self.read(
            (request, min),
            &self.search,
            |mut search, request| async move { search.search(request).await },
            |request, at_least| request.at_least = at_least,
            |response| response.position.as_ref(),
        )
        .await
    }

    pub async fn list_changes(
        &self,
        request: ListChangesRequest,
        min: MinPosition,
    ) -> Result<ListChangesResponse, Fault> {
        self.read(
            (request, min),
            &self.changes,
            |mut changes, request| async move { changes.list_changes(request).await },
            |request, at_least| request.at_least = at_least,
            |response| response.position.as_ref(),
        )
        .await
    }

    pub async fn list_ranking(
        &self,
        request: ListRankingRequest,
        min: MinPosition,
    ) -> Result<ListRankingResponse, Fault> {
        self.read(
            (request, min),
            &self.rankings,
            |mut rankings, request| async move { rankings.list_ranking(request).await },
            |request, at_least| request.at_least = at_least,
            |response| response.position.as_ref(),
        )
        .await
    }

    /// Makes a read. If the response is older than the newest write that preceded the read, the read is repeated with that
    /// position as a minimum. The second response is final.
    async fn read<Q, A, S, F>(
        &self,
        (mut request, min): (Q, MinPosition),
        service: &S,
        call: impl Fn(S, Request<Q>) -> F,
        set_at_least: impl Fn(&mut Q, Option<common::Position>),
        position: impl Fn(&A) -> Option<&common::Position>,
    ) -> Result<A, Fault>
    where
        Q: Clone,
        S: Clone,
        F: Future<Output = Result<Response<A>, Status>>,
    {
        let deadline = Instant::now() + self.deadline;
        let send = async |request| {
            let response = call(service.clone(), idempotent(request, deadline)).await;
            self.limit.record(&response);
            response
        };
        let first = send(request.clone()).await;
        let error_position = first.as_ref().err().and_then(Position::from_status);
        let first = first.map(Response::into_inner).map_err(Fault::from);
        let reached = match &first {
            Ok(response) => position(response).and_then(|position| position.try_into().ok()),
            Err(fault) if matches!(fault.code, Code::NotFound | Code::Invalid | Code::Gone) => {
                error_position
            }
            // Such an error does not depend on the listings.
            Err(_) => return first,
        };
        let is_outdated = |latest| match reached {
            Some(reached) => !Position::reaches(reached, latest),
            // A replica that reports no position cannot wait for one either.
            None => first.is_err(),
        };
        match self.latest(min).await {
            Some(latest) if is_outdated(latest) => {
                let after = if first.is_ok() { "answer" } else { "refusal" };
                metrics::counter!("upstream_asked_again_total", "after" => after).increment(1);
                set_at_least(&mut request, Some(latest.into()));
                Ok(send(request).await?.into_inner())
            }
            _ => first,
        }
    }

    /// The newest position of the listings when the read began: from Redis or, while Redis is away, from listings-svc.
    async fn latest(&self, min: MinPosition) -> Option<Position> {
        match min.receive().await {
            None => self.listings_position.get().await,
            latest => latest,
        }
    }
}

/// A request without effects, which may be retried at another replica until `deadline`.
fn idempotent<Q>(request: Q, deadline: Instant) -> Request<Q> {
    let mut request = Request::new(request);
    request.set_timeout(deadline.saturating_duration_since(Instant::now()));
    request.extensions_mut().insert(Idempotent);
    request
}
