//! What catalogue-svc can be asked: every question, who answers it, and what the answer is.

use std::future::Future;

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
use kit::feed::Position;
use kit::rpc::client::Client;
use tonic::{Request, Response, Status};

/// An answer's size at most. A creator comes with all its games and a country with all its cities: thousands, now and then.
const LARGEST: usize = 64 * 1024 * 1024;

/// Clients of catalogue-svc.
pub struct Catalogue {
    games: GamesServiceClient<Client>,
    creators: CreatorsServiceClient<Client>,
    places: PlacesServiceClient<Client>,
    events: EventsServiceClient<Client>,
    search: SearchServiceClient<Client>,
}

impl Catalogue {
    pub(super) fn new(channel: Client) -> Self {
        Self {
            games: GamesServiceClient::new(channel.clone()),
            creators: CreatorsServiceClient::new(channel.clone())
                .max_decoding_message_size(LARGEST),
            places: PlacesServiceClient::new(channel.clone()).max_decoding_message_size(LARGEST),
            events: EventsServiceClient::new(channel.clone()),
            search: SearchServiceClient::new(channel),
        }
    }
}

/// A question to catalogue-svc.
pub trait Question: Clone + Send + Sync {
    /// What it is answered.
    type Answer: Send;

    /// Makes the call.
    fn ask(
        catalogue: &Catalogue,
        request: Request<Self>,
    ) -> impl Future<Output = Result<Response<Self::Answer>, Status>> + Send;

    /// The same question, for an answer that reaches as far as `position`.
    #[must_use]
    fn at_least(self, position: Position) -> Self;

    /// How far into the listings' feed an answer reaches.
    fn reached(answer: &Self::Answer) -> Option<Position>;
}

macro_rules! questions {
    ($($service:ident . $call:ident($question:ident) -> $answer:ident;)+) => {$(
        impl Question for $question {
            type Answer = $answer;

            async fn ask(
                catalogue: &Catalogue,
                request: Request<Self>,
            ) -> Result<Response<$answer>, Status> {
                catalogue.$service.clone().$call(request).await
            }

            fn at_least(self, position: Position) -> Self {
                let at_least = Some(position.into());
                Self { at_least, ..self }
            }

            fn reached(answer: &$answer) -> Option<Position> {
                Position::try_from(answer.position.as_ref()?).ok()
            }
        }
    )+};
}

questions! {
    games.list_games(ListGamesRequest) -> ListGamesResponse;
    games.get_game(GetGameRequest) -> GetGameResponse;
    creators.list_creators(ListCreatorsRequest) -> ListCreatorsResponse;
    creators.get_creator(GetCreatorRequest) -> GetCreatorResponse;
    places.list_genres(ListGenresRequest) -> ListGenresResponse;
    places.list_countries(ListCountriesRequest) -> ListCountriesResponse;
    places.get_country(GetCountryRequest) -> GetCountryResponse;
    places.list_cities(ListCitiesRequest) -> ListCitiesResponse;
    events.list_events(ListEventsRequest) -> ListEventsResponse;
    events.get_event(GetEventRequest) -> GetEventResponse;
    search.search(SearchRequest) -> SearchResponse;
}
