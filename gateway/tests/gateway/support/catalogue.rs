//! A stand-in for catalogue-svc that speaks its protocol and does as it is told.

use std::any::Any;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::changes_service_server::{ChangesService, ChangesServiceServer};
use contracts::catalogue::v1::creators_service_server::{CreatorsService, CreatorsServiceServer};
use contracts::catalogue::v1::events_service_server::{EventsService, EventsServiceServer};
use contracts::catalogue::v1::games_service_server::{GamesService, GamesServiceServer};
use contracts::catalogue::v1::places_service_server::{PlacesService, PlacesServiceServer};
use contracts::catalogue::v1::rankings_service_server::{RankingsService, RankingsServiceServer};
use contracts::catalogue::v1::search_service_server::{SearchService, SearchServiceServer};
use contracts::common::v1::{PageInfo, Position};
use kit::{Code, Fault, Lifecycle, feed};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use tonic::{Request, Response, Status};

/// The `data` of a list, with what a parser would not keep: odd spaces, a number beyond 2^53, an escape.
pub(crate) const ROWS: &str = r#"[{"slug": "kora",  "n":12345678901234567890,"t":"\u0041"}]"#;
pub(crate) const OBJECT: &str = r#"{"slug": "kora" }"#;

/// What it does with calls.
#[derive(Debug, Clone)]
pub(crate) enum Script {
    Answer,
    Refuse(Fault),
    /// Never answers.
    Hang,
    /// Fails so many times as a lost connection does, then answers.
    Lose(u32),
}

#[derive(Clone)]
pub(crate) struct Catalogue {
    pub(crate) address: String,
    told: Arc<Mutex<Told>>,
}

struct Told {
    script: Script,
    calls: u32,
    asked: Option<Box<dyn Any + Send>>,
    position: Option<Position>,
    /// `data` of every answer, where it is not the usual.
    data: Option<Bytes>,
    total: u64,
    /// Of every single game and event.
    revision: i64,
}

/// The `data` of a list, its page, and how far the answer reaches.
type List = (Bytes, Option<PageInfo>, Option<Position>);

/// The `data` of a single thing, its revision, and how far the answer reaches.
type One = (Bytes, i64, Option<Position>);

impl Catalogue {
    pub(crate) async fn start(lifecycle: &Lifecycle) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let catalogue = Self {
            address: format!("http://{}", listener.local_addr().unwrap()),
            told: Arc::new(Mutex::new(Told {
                script: Script::Answer,
                calls: 0,
                asked: None,
                position: None,
                data: None,
                total: 61,
                revision: 0,
            })),
        };
        let server = Server::builder()
            .add_service(GamesServiceServer::new(catalogue.clone()))
            .add_service(CreatorsServiceServer::new(catalogue.clone()))
            .add_service(PlacesServiceServer::new(catalogue.clone()))
            .add_service(EventsServiceServer::new(catalogue.clone()))
            .add_service(SearchServiceServer::new(catalogue.clone()))
            .add_service(ChangesServiceServer::new(catalogue.clone()))
            .add_service(RankingsServiceServer::new(catalogue.clone()))
            .serve_with_incoming(TcpListenerStream::new(listener));
        lifecycle.spawn(async move { server.await.unwrap() });
        catalogue
    }

    pub(crate) fn script(&self, script: Script) {
        self.told.lock().unwrap().script = script;
    }

    /// How often it was called.
    pub(crate) fn calls(&self) -> u32 {
        self.told.lock().unwrap().calls
    }

    /// The last question, which was one of this kind.
    pub(crate) fn asked<Q: Clone + 'static>(&self) -> Q {
        let told = self.told.lock().unwrap();
        let asked = told.asked.as_ref().unwrap();
        asked.downcast_ref::<Q>().unwrap().clone()
    }

    /// How far it says that its answers reach.
    pub(crate) fn stands_at(&self, position: feed::Position) {
        self.told.lock().unwrap().position = Some(position.into());
    }

    /// Every single game and event is at this revision from now on.
    pub(crate) fn revised(&self, revision: i64) {
        self.told.lock().unwrap().revision = revision;
    }

    /// Every answer has this `data` from now on, and a list so many rows in all.
    pub(crate) fn holds(&self, data: impl Into<Bytes>, total: u64) {
        let mut told = self.told.lock().unwrap();
        (told.data, told.total) = (Some(data.into()), total);
    }

    /// The answer to a question for a list. Every list has the same page.
    async fn list(&self, question: impl Any + Send) -> Result<List, Status> {
        self.act(question).await?;
        let told = self.told.lock().unwrap();
        let page = PageInfo {
            total: told.total,
            next_cursor: Some("next".to_owned()),
            ..PageInfo::default()
        };
        let json = told.data.clone().unwrap_or_else(|| ROWS.into());
        Ok((json, Some(page), told.position.clone()))
    }

    /// The answer to a question for a single thing. There is only one, called `kora`.
    async fn one(&self, name: String, question: impl Any + Send) -> Result<One, Status> {
        self.act(question).await?;
        if name != "kora" {
            return Err(self.unknown());
        }
        let told = self.told.lock().unwrap();
        let json = told.data.clone().unwrap_or_else(|| OBJECT.into());
        Ok((json, told.revision, told.position.clone()))
    }

    /// Refuses, and says how far it has come where it knows.
    fn unknown(&self) -> Status {
        let mut status = Status::from(Fault::new(Code::NotFound, "there is nothing of this name"));
        if let Some(position) = self.told.lock().unwrap().position.as_ref() {
            feed::Position::try_from(position)
                .unwrap()
                .attach_to(&mut status);
        }
        status
    }

    async fn act(&self, question: impl Any + Send) -> Result<(), Status> {
        let script = {
            let mut told = self.told.lock().unwrap();
            told.calls += 1;
            told.asked = Some(Box::new(question));
            let script = told.script.clone();
            if let Script::Lose(times) = &mut told.script {
                *times = times.saturating_sub(1);
            }
            script
        };
        match script {
            Script::Answer | Script::Lose(0) => Ok(()),
            Script::Refuse(fault) => Err(fault.into()),
            Script::Hang => std::future::pending().await,
            Script::Lose(_) => Err(Status::new(tonic::Code::Unavailable, "connection reset")),
        }
    }
}

#[tonic::async_trait]
impl GamesService for Catalogue {
    async fn list_games(
        &self,
        request: Request<proto::ListGamesRequest>,
    ) -> Result<Response<proto::ListGamesResponse>, Status> {
        let (json, page, position) = self.list(request.into_inner()).await?;
        Ok(Response::new(proto::ListGamesResponse {
            json,
            page,
            position,
            ..Default::default()
        }))
    }

    async fn get_game(
        &self,
        request: Request<proto::GetGameRequest>,
    ) -> Result<Response<proto::GetGameResponse>, Status> {
        let request = request.into_inner();
        let (json, revision, position) = self.one(request.slug.clone(), request).await?;
        Ok(Response::new(proto::GetGameResponse {
            json,
            position,
            revision,
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
        let (json, page, position) = self.list(request.into_inner()).await?;
        Ok(Response::new(proto::ListCreatorsResponse {
            json,
            page,
            position,
            ..Default::default()
        }))
    }

    async fn get_creator(
        &self,
        request: Request<proto::GetCreatorRequest>,
    ) -> Result<Response<proto::GetCreatorResponse>, Status> {
        let request = request.into_inner();
        let (json, _, position) = self.one(request.handle.clone(), request).await?;
        Ok(Response::new(proto::GetCreatorResponse {
            json,
            position,
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
        let (json, page, position) = self.list(request.into_inner()).await?;
        Ok(Response::new(proto::ListGenresResponse {
            json,
            page,
            position,
            ..Default::default()
        }))
    }

    async fn list_countries(
        &self,
        request: Request<proto::ListCountriesRequest>,
    ) -> Result<Response<proto::ListCountriesResponse>, Status> {
        let (json, page, position) = self.list(request.into_inner()).await?;
        Ok(Response::new(proto::ListCountriesResponse {
            json,
            page,
            position,
            ..Default::default()
        }))
    }

    async fn get_country(
        &self,
        request: Request<proto::GetCountryRequest>,
    ) -> Result<Response<proto::GetCountryResponse>, Status> {
        let request = request.into_inner();
        let (json, _, position) = self.one(request.code.clone(), request).await?;
        Ok(Response::new(proto::GetCountryResponse {
            json,
            position,
            ..Default::default()
        }))
    }

    async fn list_cities(
        &self,
        request: Request<proto::ListCitiesRequest>,
    ) -> Result<Response<proto::ListCitiesResponse>, Status> {
        let (json, page, position) = self.list(request.into_inner()).await?;
        Ok(Response::new(proto::ListCitiesResponse {
            json,
            page,
            position,
            ..Default::default()
        }))
    }
}

#[tonic::async_trait]
impl EventsService for Catalogue {
    async fn list_events(
        &self,
        request: Request<proto::ListEventsRequest>,
    ) -> Result<Response<proto::ListEventsResponse>, Status> {
        let (json, page, position) = self.list(request.into_inner()).await?;
        Ok(Response::new(proto::ListEventsResponse {
            json,
            page,
            position,
            ..Default::default()
        }))
    }

    async fn get_event(
        &self,
        request: Request<proto::GetEventRequest>,
    ) -> Result<Response<proto::GetEventResponse>, Status> {
        let request = request.into_inner();
        let (json, revision, position) = self.one(request.slug.clone(), request).await?;
        Ok(Response::new(proto::GetEventResponse {
            json,
            position,
            revision,
            ..Default::default()
        }))
    }
}

#[tonic::async_trait]
impl RankingsService for Catalogue {
    async fn list_ranking(
        &self,
        request: Request<proto::ListRankingRequest>,
    ) -> Result<Response<proto::ListRankingResponse>, Status> {
        let (json, page, position) = self.list(request.into_inner()).await?;
        Ok(Response::new(proto::ListRankingResponse {
            json,
            page,
            position,
            ..Default::default()
        }))
    }
}

#[tonic::async_trait]
impl SearchService for Catalogue {
    async fn search(
        &self,
        request: Request<proto::SearchRequest>,
    ) -> Result<Response<proto::SearchResponse>, Status> {
        let (json, page, position) = self.list(request.into_inner()).await?;
        Ok(Response::new(proto::SearchResponse {
            json,
            page,
            position,
            ..Default::default()
        }))
    }
}

#[tonic::async_trait]
impl ChangesService for Catalogue {
    async fn list_changes(
        &self,
        request: Request<proto::ListChangesRequest>,
    ) -> Result<Response<proto::ListChangesResponse>, Status> {
        let (json, page, position) = self.list(request.into_inner()).await?;
        Ok(Response::new(proto::ListChangesResponse {
            json,
            page,
            position,
            ..Default::default()
        }))
    }
}
