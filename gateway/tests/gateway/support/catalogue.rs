//! A scripted stub of catalogue-svc.

use std::any::Any;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::creators_service_server::{CreatorsService, CreatorsServiceServer};
use contracts::catalogue::v1::events_service_server::{EventsService, EventsServiceServer};
use contracts::catalogue::v1::games_service_server::{GamesService, GamesServiceServer};
use contracts::catalogue::v1::places_service_server::{PlacesService, PlacesServiceServer};
use contracts::catalogue::v1::rankings_service_server::{RankingsService, RankingsServiceServer};
use contracts::catalogue::v1::search_service_server::{SearchService, SearchServiceServer};
use contracts::common::v1::{self as common, PageInfo};
use kit::feed::Position;
use kit::{Code, Fault, Lifecycle};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use tonic::{Request, Response, Status};

/// The `data` of a list, with details that parsing would lose: odd spaces, a number beyond 2^53, an escape.
pub(crate) const ROWS: &str = r#"[{"slug": "kora",  "n":12345678901234567890,"t":"\u0041"}]"#;
pub(crate) const OBJECT: &str = r#"{"slug": "kora" }"#;

/// How the stub responds.
#[derive(Debug, Clone)]
pub(crate) enum Script {
    Answer,
    Refuse(Fault),
    /// Holds each call until the test sets another script, which then answers the call.
    Hang,
    /// Fails this many calls as if the connection was lost, then responds.
    Lose(u32),
}

#[derive(Clone)]
pub(crate) struct Catalogue {
    pub(crate) address: String,
    state: Arc<Mutex<StubState>>,
    script_set: Arc<Notify>,
}

struct StubState {
    script: Script,
    calls: u32,
    last_request: Option<Box<dyn Any + Send>>,
    /// The `data` of responses, instead of the default.
    data: Option<Bytes>,
    total: u64,
    /// The revision of all games and events.
    revision: i64,
    position: Option<Position>,
}

/// The parts of every response.
struct Served {
    json: Bytes,
    page: Option<PageInfo>,
    revision: i64,
    position: Option<common::Position>,
}

impl Catalogue {
    pub(crate) async fn start(lifecycle: &Lifecycle) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let catalogue = Self {
            address: format!("http://{}", listener.local_addr().unwrap()),
            state: Arc::new(Mutex::new(StubState {
                script: Script::Answer,
                calls: 0,
                last_request: None,
                data: None,
                total: 61,
                revision: 0,
                position: None,
            })),
            script_set: Arc::default(),
        };
        let server = Server::builder()
            .add_service(GamesServiceServer::new(catalogue.clone()))
            .add_service(CreatorsServiceServer::new(catalogue.clone()))
            .add_service(PlacesServiceServer::new(catalogue.clone()))
            .add_service(EventsServiceServer::new(catalogue.clone()))
            .add_service(SearchServiceServer::new(catalogue.clone()))
            .add_service(RankingsServiceServer::new(catalogue.clone()))
            .serve_with_incoming(TcpListenerStream::new(listener));
        lifecycle.spawn(async move { server.await.unwrap() });
        catalogue
    }

    pub(crate) fn script(&self, script: Script) {
        self.state.lock().unwrap().script = script;
        self.script_set.notify_waiters();
    }

    pub(crate) fn calls(&self) -> u32 {
        self.state.lock().unwrap().calls
    }

    /// The last request, which must be of this type.
    pub(crate) fn last_request<Q: Clone + 'static>(&self) -> Q {
        let state = self.state.lock().unwrap();
        let last_request = state.last_request.as_ref().unwrap();
        last_request.downcast_ref::<Q>().unwrap().clone()
    }

    /// Sets the position of all responses.
    pub(crate) fn set_position(&self, position: Position) {
        self.state.lock().unwrap().position = Some(position);
    }

    pub(crate) fn set_revision(&self, revision: i64) {
        self.state.lock().unwrap().revision = revision;
    }

    /// Sets the `data` of all responses, and the total of lists.
    pub(crate) fn set_data(&self, data: impl Into<Bytes>, total: u64) {
        let mut state = self.state.lock().unwrap();
        (state.data, state.total) = (Some(data.into()), total);
    }

    /// Responds to a request for a list, or for the only item, `kora`. All lists have the same page.
    async fn serve(
        &self,
        item: Option<String>,
        request: impl Any + Send,
    ) -> Result<Served, Status> {
        self.run_script(request).await?;
        if item.as_deref().is_some_and(|name| name != "kora") {
            return Err(Fault::new(Code::NotFound, "there is nothing of this name").into());
        }
        let state = self.state.lock().unwrap();
        let usual = if item.is_some() { OBJECT } else { ROWS };
        Ok(Served {
            json: state.data.clone().unwrap_or_else(|| usual.into()),
            page: Some(PageInfo { total: state.total, next_cursor: Some("next".to_owned()) }),
            revision: state.revision,
            position: state.position.map(Into::into),
        })
    }

    async fn run_script(&self, request: impl Any + Send) -> Result<(), Status> {
        {
            let mut state = self.state.lock().unwrap();
            state.calls += 1;
            state.last_request = Some(Box::new(request));
        }
        loop {
            let script_set = self.script_set.notified();
            match &mut self.state.lock().unwrap().script {
                Script::Answer | Script::Lose(0) => return Ok(()),
                Script::Refuse(fault) => return Err(fault.clone().into()),
                Script::Lose(times) => {
                    *times -= 1;
                    return Err(Status::new(tonic::Code::Unavailable, "connection reset"));
                }
                Script::Hang => {}
            }
            script_set.await;
        }
    }
}

/// Implements a service of the stub: for each method the parts of its response and, if it reads an item, the field with the item's name.
macro_rules! stub {
    ($service:ident { $($method:ident($request:ident $(, $name:ident)?) -> $response:ident { $($part:ident)* $(; $others:expr)? })* }) => {
        #[tonic::async_trait]
        impl $service for Catalogue {
            $(async fn $method(
                &self,
                request: Request<proto::$request>,
            ) -> Result<Response<proto::$response>, Status> {
                let request = request.into_inner();
                let item = None::<String>$(.or(Some(request.$name.clone())))?;
                let _served = self.serve(item, request).await?;
                Ok(Response::new(proto::$response {
                    $($part: _served.$part,)*
                    $(..$others)?
                }))
            })*
        }
    };
}

stub!(GamesService {
    list_games(ListGamesRequest) -> ListGamesResponse { json page position }
    get_game(GetGameRequest, slug) -> GetGameResponse { json revision position; Default::default() }
});
stub!(CreatorsService {
    list_creators(ListCreatorsRequest) -> ListCreatorsResponse { json page position }
    get_creator(GetCreatorRequest, handle) -> GetCreatorResponse { json position; Default::default() }
});
stub!(PlacesService {
    list_genres(ListGenresRequest) -> ListGenresResponse { json page position }
    list_countries(ListCountriesRequest) -> ListCountriesResponse { json page position }
    get_country(GetCountryRequest, code) -> GetCountryResponse { json position }
    get_city(GetCityRequest) -> GetCityResponse { ; Default::default() }
    list_cities(ListCitiesRequest) -> ListCitiesResponse { json page position }
});
stub!(EventsService {
    list_events(ListEventsRequest) -> ListEventsResponse { json page position; Default::default() }
    get_event(GetEventRequest, slug) -> GetEventResponse { json revision position; Default::default() }
});
stub!(RankingsService {
    get_ranks(GetRanksRequest) -> GetRanksResponse { ; Default::default() }
    list_ranking(ListRankingRequest) -> ListRankingResponse { json page position; Default::default() }
});
stub!(SearchService {
    search(SearchRequest) -> SearchResponse { json page position; Default::default() }
});
