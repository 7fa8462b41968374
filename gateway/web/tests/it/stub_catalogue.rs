//! A stub of catalogue-svc with one game, its studio, its city and an event. It records requests.

use std::sync::{Arc, Mutex};

use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::creators_service_server::{CreatorsService, CreatorsServiceServer};
use contracts::catalogue::v1::events_service_server::{EventsService, EventsServiceServer};
use contracts::catalogue::v1::games_service_server::{GamesService, GamesServiceServer};
use contracts::catalogue::v1::places_service_server::{PlacesService, PlacesServiceServer};
use contracts::catalogue::v1::rankings_service_server::{RankingsService, RankingsServiceServer};
use contracts::catalogue::v1::search_service_server::{SearchService, SearchServiceServer};
use contracts::catalogue::v1::site_service_server::SiteServiceServer;
use contracts::catalogue::v1::votes_service_server::VotesServiceServer;
use contracts::common::v1::{PageInfo, Position};
use kit::Fault;
use serde_json::{Value, json};
use time::macros::datetime;
use tokio::sync::Notify;
use tonic::service::RoutesBuilder;
use tonic::{Request, Response, Status};

use crate::stub_pictures;
use crate::stub_votes::StubVotes;

#[derive(Debug, Clone)]
pub(crate) struct StubCatalogue {
    pub(crate) tagline: Arc<Mutex<String>>,
    /// The text of every field that a studio fills, and the target of every link.
    pub(crate) words: Arc<Mutex<Option<(String, &'static str)>>>,
    /// All calls fail.
    pub(crate) is_away: Arc<Mutex<bool>>,
    /// Calls of this RPC fail.
    pub(crate) away_rpc: Arc<Mutex<Option<&'static str>>>,
    /// The next read for the sitemap gets the answer of a replica that lags.
    pub(crate) lags_once: Arc<Mutex<bool>>,
    /// The second page of the sitemap of games fails.
    pub(crate) breaks_off: Arc<Mutex<bool>>,
    /// The first page of the sitemap of games has one row more than a file.
    pub(crate) fills_a_file: Arc<Mutex<bool>>,
    /// The positions of the reads of listings.
    pub(crate) positions: Arc<Mutex<Vec<Option<Position>>>>,
    /// The requests for lists of games, in order.
    pub(crate) asked: Arc<Mutex<Vec<proto::ListGamesRequest>>>,
    /// `when` of the requests for lists of events, in order.
    pub(crate) asked_when: Arc<Mutex<Vec<Option<String>>>>,
    /// Lists of listings have no rows.
    pub(crate) is_empty: Arc<Mutex<bool>>,
    /// The game has no cover.
    pub(crate) lacks_cover: Arc<Mutex<bool>>,
    /// More games of lists, after the first one.
    pub(crate) more_games: Arc<Mutex<Vec<Value>>>,
    /// The day of November 2026 on which the newest game became public.
    pub(crate) published_day: Arc<Mutex<i64>>,
    /// The boards of longer periods have the rows of the week.
    pub(crate) is_first_week: Arc<Mutex<bool>>,
    /// While set, a read of a creator or for the sitemap signals that it began and then waits.
    pub(crate) held: Arc<Mutex<Option<HeldRead>>>,
    pub(crate) votes: StubVotes,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct HeldRead {
    pub(crate) began: Arc<Notify>,
    pub(crate) released: Arc<Notify>,
}

impl Default for StubCatalogue {
    fn default() -> Self {
        let positions = Arc::<Mutex<Vec<_>>>::default();
        Self {
            tagline: Arc::new(Mutex::new("Stones & <b>seeds".to_owned())),
            words: Arc::default(),
            is_away: Arc::default(),
            away_rpc: Arc::default(),
            lags_once: Arc::default(),
            breaks_off: Arc::default(),
            fills_a_file: Arc::default(),
            positions: Arc::clone(&positions),
            asked: Arc::default(),
            asked_when: Arc::default(),
            is_empty: Arc::default(),
            lacks_cover: Arc::default(),
            more_games: Arc::default(),
            published_day: Arc::new(Mutex::new(12)),
            is_first_week: Arc::default(),
            held: Arc::default(),
            votes: StubVotes { positions, ..StubVotes::default() },
        }
    }
}

/// Replaces the fields that a studio fills.
fn write(json: &mut Value, words: &str, link: &str) {
    match json {
        Value::Array(items) => items.iter_mut().for_each(|item| write(item, words, link)),
        Value::Object(fields) => {
            for (name, value) in fields {
                match name.as_str() {
                    "title" | "name" | "tagline" | "description" | "bio" | "city" | "alt"
                    | "role" => {
                        *value = words.into();
                    }
                    "trailer_url" | "website" => *value = link.into(),
                    "links" => *value = json!({"website": link, "play": link, words: link}),
                    "creator" | "games" | "credits" | "screenshots" => write(value, words, link),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

pub(crate) type Answer<T> = Result<Response<T>, Status>;

fn info(next: Option<&str>) -> PageInfo {
    PageInfo { total: 25, next_cursor: next.map(ToOwned::to_owned) }
}

fn country() -> Value {
    json!({"code": "NG", "name": "Nigeria", "creators": 1, "games": 1})
}

fn city() -> Value {
    json!({"slug": "lagos", "name": "Lagos", "country_code": "NG", "creators": 1, "games": 1})
}

fn creator() -> Value {
    json!({
        "handle": "savanna", "name": "Savanna <i>Studio", "kind": "studio", "roles": ["developer"], "tagline": "",
        "avatar_url": null, "country_code": "NG", "city": "Lagos", "city_slug": "lagos", "verified": true,
        "url": "https://mchezo.example/creators/savanna",
    })
}

fn event() -> Value {
    json!({
        "slug": "jam", "title": "Lagos <Jam>", "kind": "jam", "starts_at": "2026-11-22", "ends_at": "2026-11-23",
        "country_code": "NG", "city": "Lagos", "city_slug": "lagos", "online": true, "website": "https://jam.example/",
        "description": "Bring\nseeds.", "url": "https://mchezo.example/events/jam", "created_at": "2026-01-01T00:00:00.000Z",
    })
}

/// When a listing became public.
fn listed() -> prost_types::Timestamp {
    kit::api::timestamp::encode(datetime!(2026-01-09 8:00 UTC))
}

/// When the event was moved.
fn moved() -> prost_types::Timestamp {
    kit::api::timestamp::encode(datetime!(2026-02-02 10:00 UTC))
}

fn ranks_of_game() -> Vec<proto::BoardRank> {
    let rank = |board: &str, previous_rank| proto::BoardRank {
        board: board.to_owned(),
        rank: 3,
        previous_rank,
        wins: 1_200,
        losses: 800,
    };
    vec![rank("week", 5), rank("all", 0)]
}

impl StubCatalogue {
    pub(crate) fn add_to(&self, services: &mut RoutesBuilder) {
        services
            .add_service(GamesServiceServer::new(self.clone()))
            .add_service(CreatorsServiceServer::new(self.clone()))
            .add_service(PlacesServiceServer::new(self.clone()))
            .add_service(EventsServiceServer::new(self.clone()))
            .add_service(SearchServiceServer::new(self.clone()))
            .add_service(SiteServiceServer::new(self.clone()))
            .add_service(RankingsServiceServer::new(self.clone()))
            .add_service(VotesServiceServer::new(self.votes.clone()));
    }

    pub(crate) fn game(&self) -> Value {
        let cover = format!("https://mchezo.example/pictures/{}", stub_pictures::file());
        let cover = (!*self.lacks_cover.lock().unwrap()).then_some(cover);
        json!({
            "slug": "okoto", "title": "Okoto <b>", "tagline": *self.tagline.lock().unwrap(), "cover_url": cover,
            "genres": ["puzzle"], "platforms": ["android"], "stage": "released", "release_year": 2024, "featured": true,
            "creator": {"handle": "savanna", "name": "Savanna <i>Studio"}, "country_code": "NG", "city": "Lagos",
            "url": "https://mchezo.example/games/okoto", "created_at": "2026-01-01T00:00:00.000Z",
        })
    }

    /// Adds a game of this creator to the lists; the game is not featured.
    pub(crate) fn add_game(&self, slug: &str, handle: &str) {
        let mut game = self.game();
        let fields = json!({
            "slug": slug, "title": slug, "featured": false, "creator": {"handle": handle, "name": handle},
            "url": format!("https://mchezo.example/games/{slug}"),
        }).as_object().unwrap().clone();
        game.as_object_mut().unwrap().extend(fields);
        self.more_games.lock().unwrap().push(game);
    }

    /// The games of lists, or of one creator.
    pub(crate) fn games(&self, handle: Option<&str>) -> Value {
        let more = self.more_games.lock().unwrap().clone();
        let all = [self.game()].into_iter().chain(more);
        let of_creator = |game: &Value| handle.is_none_or(|it| game["creator"]["handle"] == it);
        all.filter(of_creator).collect()
    }

    /// Waits while `held` is set.
    pub(crate) async fn wait(&self) {
        let held = self.held.lock().unwrap().clone();
        if let Some(held) = held {
            held.began.notify_one();
            held.released.notified().await;
        }
    }

    pub(crate) fn answers(&self) -> Result<(), Status> {
        if *self.is_away.lock().unwrap() {
            return Err(Fault::unavailable("a test").into());
        }
        Ok(())
    }

    /// Fails if all calls, or those of this RPC, must fail.
    pub(crate) fn answers_to(&self, rpc: &str) -> Result<(), Status> {
        if *self.away_rpc.lock().unwrap() == Some(rpc) {
            return Err(Fault::unavailable("a test").into());
        }
        self.answers()
    }

    /// Records the position of a read.
    pub(crate) fn read(&self, at_least: Option<&Position>) {
        self.positions.lock().unwrap().push(at_least.cloned());
    }

    pub(crate) fn body(&self, mut json: Value) -> bytes::Bytes {
        if let Some((words, link)) = self.words.lock().unwrap().as_ref() {
            write(&mut json, words, link);
        }
        json.to_string().into()
    }

    /// The rows of a list, and its page information.
    fn list(&self, rows: Value, next: Option<&str>) -> (bytes::Bytes, Option<PageInfo>) {
        if *self.is_empty.lock().unwrap() {
            return (self.body(json!([])), Some(PageInfo::default()));
        }
        (self.body(rows), Some(info(next)))
    }

    /// A listing, if the requested name is its name.
    fn one(&self, (name, only): (&str, &str), listing: &Value) -> Result<bytes::Bytes, Status> {
        self.answers()?;
        if name != only {
            return Err(Fault::not_found("There is no such listing.").into());
        }
        Ok(self.body(listing.clone()))
    }
}

#[tonic::async_trait]
impl GamesService for StubCatalogue {
    async fn list_games(
        &self,
        request: Request<proto::ListGamesRequest>,
    ) -> Answer<proto::ListGamesResponse> {
        self.read(request.get_ref().at_least.as_ref());
        self.answers_to("list_games")?;
        let request = request.into_inner();
        if request.genre.as_deref() == Some("none") {
            return Err(Fault::invalid_field("genre", "Use one of: puzzle.").into());
        }
        let is_first = request.page.as_ref().is_none_or(|it| it.cursor.is_empty());
        self.asked.lock().unwrap().push(request);
        let (json, page) = self.list(self.games(None), is_first.then_some("next-1"));
        Ok(Response::new(proto::ListGamesResponse {
            json,
            page,
            ..proto::ListGamesResponse::default()
        }))
    }

    async fn get_game(
        &self,
        request: Request<proto::GetGameRequest>,
    ) -> Answer<proto::GetGameResponse> {
        self.read(request.get_ref().at_least.as_ref());
        let mut game = self.game();
        let file = stub_pictures::file();
        let more = json!({
            "description": "Long\n<script>text", "links": {"steam": "https://store.example/?a&b", "itch": "https://savanna.itch.io/okoto", "play": "javascript:alert(1)"},
            "screenshots": [
                {"url": format!("https://mchezo.example/pictures/{file}"), "width": 1_600, "height": 900, "alt": "A hill"},
                {"url": format!("https://mchezo.example/pictures/{file}"), "width": 1_600, "height": 900, "alt": ""},
                {"url": format!("https://elsewhere.example/pictures/{file}"), "width": 1, "height": 1, "alt": "Not ours"},
            ],
            "credits": [{"handle": "ada", "name": "Ada", "role": "artist"}, {"handle": null, "name": "Bob", "role": "Bug hunter"}],
            "trailer_url": "https://www.video.example/watch?v=1", "updated_at": "2026-11-01T00:00:00.000Z",
        });
        let fields = more.as_object().unwrap().clone();
        game.as_object_mut().unwrap().extend(fields);
        let slug = request.into_inner().slug;
        Ok(Response::new(proto::GetGameResponse {
            json: self.one((&slug, "okoto"), &game)?,
            first_published_at: Some(listed()),
            ..proto::GetGameResponse::default()
        }))
    }
}

#[tonic::async_trait]
impl CreatorsService for StubCatalogue {
    async fn list_creators(
        &self,
        request: Request<proto::ListCreatorsRequest>,
    ) -> Answer<proto::ListCreatorsResponse> {
        self.read(request.get_ref().at_least.as_ref());
        self.answers_to("list_creators")?;
        let (json, page) = self.list(json!([creator()]), None);
        Ok(Response::new(proto::ListCreatorsResponse {
            json,
            page,
            ..proto::ListCreatorsResponse::default()
        }))
    }

    async fn get_creator(
        &self,
        request: Request<proto::GetCreatorRequest>,
    ) -> Answer<proto::GetCreatorResponse> {
        self.read(request.get_ref().at_least.as_ref());
        self.answers_to("get_creator")?;
        self.wait().await;
        let mut listing = creator();
        let request = request.into_inner();
        let games = match request.max_games {
            Some(0) => json!([]),
            _ => self.games(Some("savanna")),
        };
        let links =
            json!({"website": "https://savanna.example", "other": "https://www.forum.example/a"});
        let more = json!({"bio": "Since 2012", "links": links, "games": games});
        let fields = more.as_object().unwrap().clone();
        listing.as_object_mut().unwrap().extend(fields);
        Ok(Response::new(proto::GetCreatorResponse {
            json: self.one((&request.handle, "savanna"), &listing)?,
            total_games: 40,
            ..proto::GetCreatorResponse::default()
        }))
    }
}

#[tonic::async_trait]
impl PlacesService for StubCatalogue {
    async fn list_genres(
        &self,
        request: Request<proto::ListGenresRequest>,
    ) -> Answer<proto::ListGenresResponse> {
        self.read(request.get_ref().at_least.as_ref());
        self.answers_to("list_genres")?;
        let rows = json!([{"key": "puzzle", "name": "Puzzle", "games": 1}, {"key": "mancala", "name": "Mancala", "games": 2}]);
        Ok(Response::new(proto::ListGenresResponse {
            json: self.body(rows),
            page: Some(info(None)),
            ..proto::ListGenresResponse::default()
        }))
    }

    async fn list_countries(
        &self,
        request: Request<proto::ListCountriesRequest>,
    ) -> Answer<proto::ListCountriesResponse> {
        self.read(request.get_ref().at_least.as_ref());
        self.answers_to("list_countries")?;
        let mut page = info(None);
        // One country has only events.
        page.total += u64::from(request.get_ref().with_events);
        Ok(Response::new(proto::ListCountriesResponse {
            json: self.body(json!([country()])),
            page: Some(page),
            ..proto::ListCountriesResponse::default()
        }))
    }

    async fn get_country(
        &self,
        request: Request<proto::GetCountryRequest>,
    ) -> Answer<proto::GetCountryResponse> {
        self.read(request.get_ref().at_least.as_ref());
        let mut listing = country();
        listing["cities"] = json!([city()]);
        let code = request.into_inner().code.to_uppercase();
        Ok(Response::new(proto::GetCountryResponse {
            json: self.one((&code, "NG"), &listing)?,
            ..proto::GetCountryResponse::default()
        }))
    }

    async fn list_cities(
        &self,
        request: Request<proto::ListCitiesRequest>,
    ) -> Answer<proto::ListCitiesResponse> {
        self.read(request.get_ref().at_least.as_ref());
        self.answers()?;
        Ok(Response::new(proto::ListCitiesResponse {
            json: self.body(json!([city()])),
            page: Some(info(None)),
            ..proto::ListCitiesResponse::default()
        }))
    }

    async fn get_city(
        &self,
        request: Request<proto::GetCityRequest>,
    ) -> Answer<proto::GetCityResponse> {
        self.read(request.get_ref().at_least.as_ref());
        let slug = request.into_inner().slug;
        Ok(Response::new(proto::GetCityResponse {
            json: self.one((&slug, "lagos"), &city())?,
            ..proto::GetCityResponse::default()
        }))
    }
}

#[tonic::async_trait]
impl EventsService for StubCatalogue {
    async fn list_events(
        &self,
        request: Request<proto::ListEventsRequest>,
    ) -> Answer<proto::ListEventsResponse> {
        self.read(request.get_ref().at_least.as_ref());
        self.answers_to("list_events")?;
        let request = request.into_inner();
        self.asked_when.lock().unwrap().push(request.when);
        if request.city.is_some_and(|city| city != "lagos") {
            return Ok(Response::new(proto::ListEventsResponse {
                json: self.body(json!([])),
                ..proto::ListEventsResponse::default()
            }));
        }
        let (json, page) = self.list(json!([event()]), None);
        let rows = usize::from(!*self.is_empty.lock().unwrap());
        Ok(Response::new(proto::ListEventsResponse {
            json,
            page,
            updated_at: vec![moved(); rows],
            first_published_at: vec![listed(); rows],
            ..proto::ListEventsResponse::default()
        }))
    }

    async fn get_event(
        &self,
        request: Request<proto::GetEventRequest>,
    ) -> Answer<proto::GetEventResponse> {
        self.read(request.get_ref().at_least.as_ref());
        let slug = request.into_inner().slug;
        Ok(Response::new(proto::GetEventResponse {
            json: self.one((&slug, "jam"), &event())?,
            updated_at: Some(moved()),
            first_published_at: Some(listed()),
            ..proto::GetEventResponse::default()
        }))
    }
}

#[tonic::async_trait]
impl SearchService for StubCatalogue {
    async fn search(
        &self,
        request: Request<proto::SearchRequest>,
    ) -> Answer<proto::SearchResponse> {
        self.read(request.get_ref().at_least.as_ref());
        self.answers()?;
        let rows = json!([
            {
                "type": "games", "slug": "okoto", "name": "Okoto <b>", "tagline": "Stones", "country_code": "NG",
                "url": "https://mchezo.example/games/okoto",
            },
            {
                "type": "events", "slug": "jam", "name": "Jam", "tagline": "", "country_code": "NG", "starts_at": "2026-11-22",
                "url": "https://mchezo.example/events/jam",
            },
        ]);
        Ok(Response::new(proto::SearchResponse {
            json: self.body(rows),
            page: Some(info(None)),
            similar: request.get_ref().q == "okotto",
            totals: [("games", 20), ("cities", 1_205)]
                .map(|(kind, total)| proto::SearchTotal { kind: kind.to_owned(), total })
                .into(),
            picture_urls: vec![format!(
                "https://mchezo.example/pictures/{}",
                stub_pictures::file()
            )],
            ..proto::SearchResponse::default()
        }))
    }
}

#[tonic::async_trait]
impl RankingsService for StubCatalogue {
    async fn list_ranking(
        &self,
        request: Request<proto::ListRankingRequest>,
    ) -> Answer<proto::ListRankingResponse> {
        self.read(request.get_ref().at_least.as_ref());
        self.answers()?;
        let request = request.into_inner();
        let (kind, tag) = match request.kind.as_str() {
            "games" => ("games/okoto", "puzzle"),
            "creators" => ("creators/savanna", "developer"),
            _ => return Err(Fault::not_found("There is no such board.").into()),
        };
        let is_first_week = *self.is_first_week.lock().unwrap();
        let rows = match request.board.as_str() {
            "month" | "all" if !is_first_week => json!([]),
            "week" | "month" | "all" => json!([{
                "rank": 1, "previous_rank": 1_500, "wins": 12_000, "name": "First <b>", "tagline": "Stones", "tags": [tag],
                "country_code": "NG", "url": format!("https://mchezo.example/{kind}"),
            }]),
            _ => return Err(Fault::not_found("There is no such board.").into()),
        };
        let is_first = request.page.as_ref().is_none_or(|it| it.cursor.is_empty());
        let has_next = is_first && request.board == "week";
        let cover = format!("https://mchezo.example/pictures/{}", stub_pictures::file());
        let details = proto::BoardRowDetails {
            // Creators on boards have no picture.
            picture_url: (request.kind == "games").then_some(cover),
            losses: 4_000,
        };
        Ok(Response::new(proto::ListRankingResponse {
            details: vec![details; rows.as_array().map_or(0, Vec::len)],
            json: self.body(rows),
            page: Some(info(has_next.then_some("next-1"))),
            ..proto::ListRankingResponse::default()
        }))
    }

    async fn get_ranks(
        &self,
        request: Request<proto::GetRanksRequest>,
    ) -> Answer<proto::GetRanksResponse> {
        self.read(request.get_ref().at_least.as_ref());
        self.answers_to("get_ranks")?;
        let request = request.into_inner();
        let name = (request.kind.as_str(), request.name.as_str());
        if ![("games", "okoto"), ("creators", "savanna")].contains(&name) {
            return Err(Fault::not_found("There is no such listing.").into());
        }
        Ok(Response::new(proto::GetRanksResponse { ranks: ranks_of_game() }))
    }
}
