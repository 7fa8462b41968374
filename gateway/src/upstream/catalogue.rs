//! catalogue-svc: reads of the directory.

use std::future::Future;
use std::time::Duration;

use contracts::catalogue::v1::creators_service_client::CreatorsServiceClient;
use contracts::catalogue::v1::events_service_client::EventsServiceClient;
use contracts::catalogue::v1::games_service_client::GamesServiceClient;
use contracts::catalogue::v1::places_service_client::PlacesServiceClient;
use contracts::catalogue::v1::search_service_client::SearchServiceClient;
use contracts::catalogue::v1::{
    GetCountryRequest, GetCountryResponse, GetCreatorRequest, GetCreatorResponse, GetEventRequest,
    GetEventResponse, GetGameRequest, GetGameResponse, ListCitiesRequest, ListCitiesResponse,
    ListCountriesRequest, ListCountriesResponse, ListCreatorsRequest, ListCreatorsResponse,
    ListEventsRequest, ListEventsResponse, ListGamesRequest, ListGamesResponse, ListGenresRequest,
    ListGenresResponse, SearchRequest, SearchResponse,
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

/// An answer's size at most. A creator comes with all its games and a country with all its cities: thousands, now and then.
const LARGEST: usize = 64 * 1024 * 1024;

/// The client of catalogue-svc.
pub struct Catalogue {
    games: GamesServiceClient<Client>,
    creators: CreatorsServiceClient<Client>,
    places: PlacesServiceClient<Client>,
    events: EventsServiceClient<Client>,
    search: SearchServiceClient<Client>,
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
            events: EventsServiceClient::new(catalogue.clone()),
            search: SearchServiceClient::new(catalogue),
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
        let decided_at = first.as_ref().err().and_then(Position::of_refusal);
        let first = first.map(Response::into_inner).map_err(Fault::from);
        let reached = match &first {
            Ok(answer) => position(answer).and_then(|position| position.try_into().ok()),
            Err(fault) if matches!(fault.code, Code::NotFound | Code::Invalid) => decided_at,
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

/// A method for each read: the call of its name, made by the client in that field.
macro_rules! reads {
    ($($(#[$doc:meta])* $client:ident.$call:ident($request:ty) -> $answer:ty;)+) => {
        impl Catalogue {$(
            $(#[$doc])*
            pub async fn $call(&self, request: $request, min: MinPosition) -> Result<$answer, Fault> {
                self.read(
                    (request, min),
                    &self.$client,
                    |mut client, request| async move { client.$call(request).await },
                    |request, at_least| request.at_least = at_least,
                    |answer| answer.position.as_ref(),
                )
                .await
            }
        )+}
    };
}

reads! {
    /// A page of games.
    games.list_games(ListGamesRequest) -> ListGamesResponse;
    /// One game.
    games.get_game(GetGameRequest) -> GetGameResponse;
    /// A page of creators.
    creators.list_creators(ListCreatorsRequest) -> ListCreatorsResponse;
    /// One creator.
    creators.get_creator(GetCreatorRequest) -> GetCreatorResponse;
    /// All genres.
    places.list_genres(ListGenresRequest) -> ListGenresResponse;
    /// A page of countries.
    places.list_countries(ListCountriesRequest) -> ListCountriesResponse;
    /// One country.
    places.get_country(GetCountryRequest) -> GetCountryResponse;
    /// A page of cities.
    places.list_cities(ListCitiesRequest) -> ListCitiesResponse;
    /// A page of events.
    events.list_events(ListEventsRequest) -> ListEventsResponse;
    /// One event.
    events.get_event(GetEventRequest) -> GetEventResponse;
    /// A page of whatever matches.
    search.search(SearchRequest) -> SearchResponse;
}

/// A call that changes nothing, may be made again elsewhere, and ends at `give_up`.
fn bounded<Q>(request: Q, give_up: Instant) -> Request<Q> {
    let mut request = Request::new(request);
    request.set_timeout(give_up.saturating_duration_since(Instant::now()));
    request.extensions_mut().insert(Idempotent);
    request
}
