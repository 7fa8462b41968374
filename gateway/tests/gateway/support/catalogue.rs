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

/// The `data` of a list, with details that a parser would lose: odd spaces, a number beyond 2^53, an escape.
pub(crate) const ROWS: &str = r#"[{"slug": "kora",  "n":12345678901234567890,"t":"\u0041"}]"#;
pub(crate) const OBJECT: &str = r#"{"slug": "kora" }"#;

/// How the stub responses.
#[derive(Debug, Clone)]
pub(crate) enum Script {
    Answer,
    Refuse(Fault),
    /// Answers no call before another script is set, which then holds.
    Hang,
    /// Fails this many times like a lost connection, then responses.
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
    /// The `data` of responses, if it is not the default.
    data: Option<Bytes>,
    total: u64,
    /// The revision of all games and events.
    revision: i64,
    position: Option<Position>,
}

/// The `data` of a list, and its page.
type ListResponse = (Bytes, Option<PageInfo>);

/// The `data` of an item, and its revision.
type ItemResponse = (Bytes, i64);

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

    fn position(&self) -> Option<common::Position> {
        self.state.lock().unwrap().position.map(Into::into)
    }

    pub(crate) fn set_revision(&self, revision: i64) {
        self.state.lock().unwrap().revision = revision;
    }

    /// Sets the `data` of all responses, and the total of lists.
    pub(crate) fn set_data(&self, data: impl Into<Bytes>, total: u64) {
        let mut state = self.state.lock().unwrap();
        (state.data, state.total) = (Some(data.into()), total);
    }

    /// Answers a request for a list. All lists have the same page.
    async fn list(&self, request: impl Any + Send) -> Result<ListResponse, Status> {
        self.run_script(request).await?;
        let state = self.state.lock().unwrap();
        let page = PageInfo {
            total: state.total,
            next_cursor: Some("next".to_owned()),
        };
        let json = state.data.clone().unwrap_or_else(|| ROWS.into());
        Ok((json, Some(page)))
    }

    /// Answers a request for an item. The only item is `kora`.
    async fn one(&self, name: String, request: impl Any + Send) -> Result<ItemResponse, Status> {
        self.run_script(request).await?;
        if name != "kora" {
            return Err(Fault::new(Code::NotFound, "there is nothing of this name").into());
        }
        let state = self.state.lock().unwrap();
        let json = state.data.clone().unwrap_or_else(|| OBJECT.into());
        Ok((json, state.revision))
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

#[tonic::async_trait]
impl GamesService for Catalogue {
    async fn list_games(
        &self,
        request: Request<proto::ListGamesRequest>,
    ) -> Result<Response<proto::ListGamesResponse>, Status> {
        let (json, page) = self.list(request.into_inner()).await?;
        Ok(Response::new(proto::ListGamesResponse {
            json,
            page,
            position: self.position(),
        }))
    }

    async fn get_game(
        &self,
        request: Request<proto::GetGameRequest>,
    ) -> Result<Response<proto::GetGameResponse>, Status> {
        let request = request.into_inner();
        let (json, revision) = self.one(request.slug.clone(), request).await?;
        Ok(Response::new(proto::GetGameResponse {
            json,
            revision,
            position: self.position(),
            ..Default::default()
        }))
    }
}

#[tonic::async_trait]
impl CreatorsService for Catalogue {
    async fn list_creators(
        &self,
        request: Request<proto::ListCreatorsRequest>,
    ) -> Result<Response<proto::ListCreatorsResponse>, Status> {
        let (json, page) = self.list(request.into_inner()).await?;
        Ok(Response::new(proto::ListCreatorsResponse {
            json,
            page,
            position: self.position(),
        }))
    }

    async fn get_creator(
        &self,
        request: Request<proto::GetCreatorRequest>,
    ) -> Result<Response<proto::GetCreatorResponse>, Status> {
        let request = request.into_inner();
        let (json, _) = self.one(request.handle.clone(), request).await?;
        Ok(Response::new(proto::GetCreatorResponse {
            json,
            position: self.position(),
            ..Default::default()
        }))
    }
}

#[tonic::async_trait]
impl PlacesService for Catalogue {
    async fn list_genres(
        &self,
        request: Request<proto::ListGenresRequest>,
    ) -> Result<Response<proto::ListGenresResponse>, Status> {
        let (json, page) = self.list(request.into_inner()).await?;
        Ok(Response::new(proto::ListGenresResponse {
            json,
            page,
            position: self.position(),
        }))
    }

    async fn list_countries(
        &self,
        request: Request<proto::ListCountriesRequest>,
    ) -> Result<Response<proto::ListCountriesResponse>, Status> {
        let (json, page) = self.list(request.into_inner()).await?;
        Ok(Response::new(proto::ListCountriesResponse {
            json,
            page,
            position: self.position(),
        }))
    }

    async fn get_country(
        &self,
        request: Request<proto::GetCountryRequest>,
    ) -> Result<Response<proto::GetCountryResponse>, Status> {
        let request = request.into_inner();
        let (json, _) = self.one(request.code.clone(), request).await?;
        Ok(Response::new(proto::GetCountryResponse {
            json,
            position: self.position(),
        }))
    }

    async fn get_city(
        &self,
        _: Request<proto::GetCityRequest>,
    ) -> Result<Response<proto::GetCityResponse>, Status> {
        Err(Status::unimplemented("no route of the gateway reads it"))
    }

    async fn list_cities(
        &self,
        request: Request<proto::ListCitiesRequest>,
    ) -> Result<Response<proto::ListCitiesResponse>, Status> {
        let (json, page) = self.list(request.into_inner()).await?;
        Ok(Response::new(proto::ListCitiesResponse {
            json,
            page,
            position: self.position(),
        }))
    }
}

#[tonic::async_trait]
impl EventsService for Catalogue {
    async fn list_events(
        &self,
        request: Request<proto::ListEventsRequest>,
    ) -> Result<Response<proto::ListEventsResponse>, Status> {
        let (json, page) = self.list(request.into_inner()).await?;
        Ok(Response::new(proto::ListEventsResponse {
            json,
            page,
            position: self.position(),
            ..Default::default()
        }))
    }

    async fn get_event(
        &self,
        request: Request<proto::GetEventRequest>,
    ) -> Result<Response<proto::GetEventResponse>, Status> {
        let request = request.into_inner();
        let (json, revision) = self.one(request.slug.clone(), request).await?;
        Ok(Response::new(proto::GetEventResponse {
            json,
            revision,
            position: self.position(),
            ..Default::default()
        }))
    }
}

#[tonic::async_trait]
impl RankingsService for Catalogue {
    async fn get_ranks(
        &self,
        _: Request<proto::GetRanksRequest>,
    ) -> Result<Response<proto::GetRanksResponse>, Status> {
        Err(Status::unimplemented("no route of the gateway reads it"))
    }

    async fn list_ranking(
        &self,
        request: Request<proto::ListRankingRequest>,
    ) -> Result<Response<proto::ListRankingResponse>, Status> {
        let (json, page) = self.list(request.into_inner()).await?;
        Ok(Response::new(proto::ListRankingResponse {
            json,
            page,
            position: self.position(),
            ..proto::ListRankingResponse::default()
        }))
    }
}

#[tonic::async_trait]
impl SearchService for Catalogue {
    async fn search(
        &self,
        request: Request<proto::SearchRequest>,
    ) -> Result<Response<proto::SearchResponse>, Status> {
        let (json, page) = self.list(request.into_inner()).await?;
        Ok(Response::new(proto::SearchResponse {
            json,
            page,
            position: self.position(),
            ..Default::default()
        }))
    }
}
