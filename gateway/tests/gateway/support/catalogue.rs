//! A stand-in for catalogue-svc that speaks its protocol and does as it is told.

use std::any::Any;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::creators_service_server::{CreatorsService, CreatorsServiceServer};
use contracts::catalogue::v1::events_service_server::{EventsService, EventsServiceServer};
use contracts::catalogue::v1::games_service_server::{GamesService, GamesServiceServer};
use contracts::catalogue::v1::places_service_server::{PlacesService, PlacesServiceServer};
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
            .serve_with_incoming(TcpListenerStream::new(listener));
        lifecycle.detached(async move { server.await.unwrap() });
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

    fn data(&self, usual: &'static str) -> Bytes {
        let told = self.told.lock().unwrap();
        told.data.clone().unwrap_or_else(|| usual.into())
    }

    fn page(&self) -> PageInfo {
        PageInfo {
            total: self.told.lock().unwrap().total,
            next_cursor: Some("next".to_owned()),
        }
    }

    fn revision(&self) -> i64 {
        self.told.lock().unwrap().revision
    }

    fn position(&self) -> Option<Position> {
        self.told.lock().unwrap().position.clone()
    }

    /// Refuses, and says how far it has come where it knows.
    fn unknown(&self) -> Status {
        let mut status = Status::from(Fault::new(Code::NotFound, "there is nothing of this name"));
        if let Some(position) = self.position().as_ref() {
            feed::Position::try_from(position)
                .unwrap()
                .attach(&mut status);
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

/// The calls of a service. Every list has the same page; of single things there is only one, called `kora`.
macro_rules! answers {
    ($service:ident: $($call:ident($question:ident $(, $name:ident)? $(; $revision:ident)?) -> $answer:ident;)+) => {
        #[tonic::async_trait]
        impl $service for Catalogue {
            $(async fn $call(
                &self,
                request: Request<proto::$question>,
            ) -> Result<Response<proto::$answer>, Status> {
                let question = request.into_inner();
                self.act(question.clone()).await?;
                $(if question.$name != "kora" {
                    return Err(self.unknown());
                })?
                Ok(Response::new(proto::$answer {
                    position: self.position(),
                    $($revision: self.revision(),)?
                    ..answers!(answer self $answer $($name)?)
                }))
            })+
        }
    };
    (answer $this:ident $answer:ident) => {
        proto::$answer {
            json: $this.data(ROWS),
            page: Some($this.page()),
            ..Default::default()
        }
    };
    (answer $this:ident $answer:ident $name:ident) => {
        proto::$answer {
            json: $this.data(OBJECT),
            ..Default::default()
        }
    };
}

answers! { GamesService:
    list_games(ListGamesRequest) -> ListGamesResponse;
    get_game(GetGameRequest, slug; revision) -> GetGameResponse;
}

answers! { CreatorsService:
    list_creators(ListCreatorsRequest) -> ListCreatorsResponse;
    get_creator(GetCreatorRequest, handle) -> GetCreatorResponse;
}

answers! { PlacesService:
    list_genres(ListGenresRequest) -> ListGenresResponse;
    list_countries(ListCountriesRequest) -> ListCountriesResponse;
    get_country(GetCountryRequest, code) -> GetCountryResponse;
    list_cities(ListCitiesRequest) -> ListCitiesResponse;
}

answers! { EventsService:
    list_events(ListEventsRequest) -> ListEventsResponse;
    get_event(GetEventRequest, slug; revision) -> GetEventResponse;
}

answers! { SearchService:
    search(SearchRequest) -> SearchResponse;
}
