//! What catalogue-svc has, and finds.

use contracts::catalogue::v1::creators_service_client::CreatorsServiceClient;
use contracts::catalogue::v1::events_service_client::EventsServiceClient;
use contracts::catalogue::v1::games_service_client::GamesServiceClient;
use contracts::catalogue::v1::places_service_client::PlacesServiceClient;
use contracts::catalogue::v1::search_service_client::SearchServiceClient;
use contracts::catalogue::v1::{
    ListCitiesRequest, ListCreatorsRequest, ListEventsRequest, ListGamesRequest, SearchRequest,
};
use contracts::common::v1::{Mode, PageInfo, PageRequest};
use contracts::public::{CityRow, CreatorRow, Event, GameRow, SearchAddress, SearchResult};
use e2e::Fleet;
use kit::rpc::client::Client as Channel;
use serde::de::DeserializeOwned;

use super::FIRST;

/// Something that can be found.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// Its type and slug or handle, such as `games/broforce`.
    pub(super) address: String,
    /// Title or name.
    pub(super) name: String,
    /// The maker of a game; the city of a creator or an event. Empty if there is none.
    pub(super) rest: String,
}

impl Row {
    pub(super) fn is_game(&self) -> bool {
        self.address.starts_with("games/")
    }
}

/// The live listings.
pub(super) struct Directory {
    channel: Channel,
    search: SearchServiceClient<Channel>,
}

impl Directory {
    pub(super) async fn open(fleet: &Fleet) -> Self {
        let channel = fleet.rpc_client("catalogue-svc").await;
        Self {
            search: SearchServiceClient::new(channel.clone()),
            channel,
        }
    }

    /// Addresses of the first hits.
    pub(super) async fn search(&mut self, q: &str) -> Vec<String> {
        let request = SearchRequest {
            mode: Mode::Live.into(),
            page: Some(PageRequest {
                limit: FIRST,
                cursor: String::new(),
            }),
            q: q.to_owned(),
            ..SearchRequest::default()
        };
        let response = self.search.search(request).await.unwrap().into_inner();
        let results: Vec<SearchResult> = parse(&response.json);
        let addresses = results.into_iter().map(|row| {
            let (SearchAddress::Slug(name) | SearchAddress::Handle(name)) = row.address;
            format!("{}/{name}", row.kind)
        });
        addresses.collect()
    }

    /// Everything that a search can find.
    pub(super) async fn rows(&self) -> Vec<Row> {
        let mode = Mode::Live.into();
        let games = pages(async |page| {
            let request = ListGamesRequest {
                mode,
                page: Some(page),
                ..ListGamesRequest::default()
            };
            let games = GamesServiceClient::new(self.channel.clone())
                .list_games(request)
                .await;
            let games = games.unwrap().into_inner();
            let rows = parse::<Vec<GameRow>>(&games.json)
                .into_iter()
                .map(|game| Row {
                    address: format!("games/{}", game.slug),
                    name: game.title,
                    rest: game.creator.name,
                });
            (rows.collect(), games.page)
        });
        let creators = pages(async |page| {
            let request = ListCreatorsRequest {
                mode,
                page: Some(page),
                ..ListCreatorsRequest::default()
            };
            let creators = CreatorsServiceClient::new(self.channel.clone())
                .list_creators(request)
                .await;
            let creators = creators.unwrap().into_inner();
            let rows = parse::<Vec<CreatorRow>>(&creators.json);
            let rows = rows.into_iter().map(|creator| Row {
                address: format!("creators/{}", creator.handle),
                name: creator.name,
                rest: creator.city,
            });
            (rows.collect(), creators.page)
        });
        let events = pages(async |page| {
            let request = ListEventsRequest {
                mode,
                page: Some(page),
                when: Some("all".to_owned()),
                ..ListEventsRequest::default()
            };
            let events = EventsServiceClient::new(self.channel.clone())
                .list_events(request)
                .await;
            let events = events.unwrap().into_inner();
            let rows = parse::<Vec<Event>>(&events.json)
                .into_iter()
                .map(|event| Row {
                    address: format!("events/{}", event.slug),
                    name: event.title,
                    rest: event.city,
                });
            (rows.collect(), events.page)
        });
        let cities = pages(async |page| {
            let request = ListCitiesRequest {
                mode,
                page: Some(page),
                ..ListCitiesRequest::default()
            };
            let cities = PlacesServiceClient::new(self.channel.clone())
                .list_cities(request)
                .await;
            let cities = cities.unwrap().into_inner();
            let rows = parse::<Vec<CityRow>>(&cities.json)
                .into_iter()
                .map(|city| Row {
                    address: format!("cities/{}", city.slug),
                    name: city.name,
                    rest: String::new(),
                });
            (rows.collect(), cities.page)
        });
        [games.await, creators.await, events.await, cities.await].concat()
    }
}

fn parse<T: DeserializeOwned>(json: &[u8]) -> T {
    serde_json::from_slice(json).unwrap()
}

/// All pages of a list.
async fn pages(mut list: impl AsyncFnMut(PageRequest) -> (Vec<Row>, Option<PageInfo>)) -> Vec<Row> {
    let (mut rows, mut cursor) = (Vec::new(), String::new());
    loop {
        let (more, page) = list(PageRequest { limit: 100, cursor }).await;
        rows.extend(more);
        match page.unwrap().next_cursor {
            Some(next) => cursor = next,
            None => return rows,
        }
    }
}
