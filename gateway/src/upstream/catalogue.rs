//! catalogue-svc: reads of the directory.

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

use super::Bounds;
use super::limit::CallLimit;
use super::min_position::MinPosition;
use super::position::ListingsPosition;

/// An answer's size at most. A creator comes with all its games and a country with all its cities: thousands, now and then. Events are
/// listed with their whole descriptions.
const LARGEST: usize = 64 * 1024 * 1024;

/// The client of catalogue-svc.
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
    /// Over a client of catalogue-svc, and one of listings-svc, which says how far it has come where Redis does not.
    pub fn new(catalogue: Client, listings: Client, bounds: Bounds) -> Self {
        Self {
            games: GamesServiceClient::new(catalogue.clone()),
            creators: CreatorsServiceClient::new(catalogue.clone())
                .max_decoding_message_size(LARGEST),
            places: PlacesServiceClient::new(catalogue.clone()).max_decoding_message_size(LARGEST),
            events: EventsServiceClient::new(catalogue.clone()).max_decoding_message_size(LARGEST),
            search: SearchServiceClient::new(catalogue.clone()),
            changes: ChangesServiceClient::new(catalogue.clone())
                .max_decoding_message_size(LARGEST),
            rankings: RankingsServiceClient::new(catalogue),
            listings_position: ListingsPosition::new(listings),
            limit: CallLimit::new("catalogue", bounds),
            deadline: bounds.deadline,
        }
    }

    /// Acquires a permit for a read.
    ///
    /// # Errors
    /// catalogue-svc has too many.
    pub async fn acquire(&self) -> Result<Permit, Fault> {
        self.limit.acquire().await
    }

    /// A page of games.
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
            |answer| answer.position.as_ref(),
        )
        .await
    }

    /// One game.
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
            |answer| answer.position.as_ref(),
        )
        .await
    }

    /// A page of creators.
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
            |answer| answer.position.as_ref(),
        )
        .await
    }

    /// One creator.
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
            |answer| answer.position.as_ref(),
        )
        .await
    }

    /// All genres.
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
            |answer| answer.position.as_ref(),
        )
        .await
    }

    /// A page of countries.
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
            |answer| answer.position.as_ref(),
        )
        .await
    }

    /// One country.
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
            |answer| answer.position.as_ref(),
        )
        .await
    }

    /// A page of cities.
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
            |answer| answer.position.as_ref(),
        )
        .await
    }

    /// A page of events.
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
            |answer| answer.position.as_ref(),
        )
        .await
    }

    /// One event.
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
            |answer| answer.position.as_ref(),
        )
        .await
    }

    /// A page of whatever matches.
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
            |answer| answer.position.as_ref(),
        )
        .await
    }

    /// A page of changes.
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
            |answer| answer.position.as_ref(),
        )
        .await
    }

    /// A page of a ranking board.
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
            |answer| answer.position.as_ref(),
        )
        .await
    }

    /// Makes a read. Where its answer may lack something that was written before the read began, the read is made again, for an answer
    /// that reaches as far. The second answer counts, however far it reaches.
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
        let give_up = Instant::now() + self.deadline;
        let ask = async |request| {
            let response = call(service.clone(), bounded(request, give_up)).await;
            self.limit.ended(&response);
            response
        };
        let first = ask(request.clone()).await;
        let decided_at = first.as_ref().err().and_then(Position::from_status);
        let first = first.map(Response::into_inner).map_err(Fault::from);
        let reached = match &first {
            Ok(answer) => position(answer).and_then(|position| position.try_into().ok()),
            Err(fault) if matches!(fault.code, Code::NotFound | Code::Invalid | Code::Gone) => {
                decided_at
            }
            // It says nothing of the listings.
            Err(_) => return first,
        };
        let is_behind = |latest| match reached {
            Some(reached) => !Position::reaches(reached, latest),
            // An answer without a position comes from a replica that could not wait for one either.
            None => first.is_err(),
        };
        match self.latest(min).await {
            Some(latest) if is_behind(latest) => {
                let after = if first.is_ok() { "answer" } else { "refusal" };
                metrics::counter!("upstream_asked_again_total", "after" => after).increment(1);
                set_at_least(&mut request, Some(latest.into()));
                Ok(ask(request).await?.into_inner())
            }
            _ => first,
        }
    }

    /// How far the listings had come when a read began, by Redis or, when that is away, by listings-svc.
    async fn latest(&self, min: MinPosition) -> Option<Position> {
        match min.receive().await {
            None => self.listings_position.ask().await,
            latest => latest,
        }
    }
}

/// A call that changes nothing, may be made again elsewhere, and ends at `give_up`.
fn bounded<Q>(request: Q, give_up: Instant) -> Request<Q> {
    let mut request = Request::new(request);
    request.set_timeout(give_up.saturating_duration_since(Instant::now()));
    request.extensions_mut().insert(Idempotent);
    request
}
