//! A stand-in for catalogue-svc that speaks its protocol and does as it is told.

use std::sync::{Arc, Mutex};

use contracts::catalogue::v1::games_service_server::{GamesService, GamesServiceServer};
use contracts::catalogue::v1::{
    GetGameRequest, GetGameResponse, ListGamesRequest, ListGamesResponse,
};
use contracts::common::v1::PageInfo;
use kit::{Code, Fault, Lifecycle};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use tonic::{Request, Response, Status};

/// The `data` of a list, with what a parser would not keep: odd spaces, a number beyond 2^53, an escape.
pub(crate) const ROWS: &str = r#"[{"slug": "kora",  "n":12345678901234567890,"t":"\u0041"}]"#;
pub(crate) const GAME: &str = r#"{"slug": "kora" }"#;

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
    listed: Option<ListGamesRequest>,
    got: Option<GetGameRequest>,
}

impl Catalogue {
    pub(crate) async fn start(lifecycle: &Lifecycle) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let catalogue = Self {
            address: format!("http://{}", listener.local_addr().unwrap()),
            told: Arc::new(Mutex::new(Told {
                script: Script::Answer,
                calls: 0,
                listed: None,
                got: None,
            })),
        };
        let server = Server::builder()
            .add_service(GamesServiceServer::new(catalogue.clone()))
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

    /// The last question for a list.
    pub(crate) fn listed(&self) -> ListGamesRequest {
        self.told.lock().unwrap().listed.clone().unwrap()
    }

    /// The last question for one game.
    pub(crate) fn got(&self) -> GetGameRequest {
        self.told.lock().unwrap().got.clone().unwrap()
    }

    async fn act(&self) -> Result<(), Status> {
        let script = {
            let mut told = self.told.lock().unwrap();
            told.calls += 1;
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
        request: Request<ListGamesRequest>,
    ) -> Result<Response<ListGamesResponse>, Status> {
        self.told.lock().unwrap().listed = Some(request.into_inner());
        self.act().await?;
        Ok(Response::new(ListGamesResponse {
            json: ROWS.into(),
            page: Some(PageInfo {
                total: 61,
                next_cursor: Some("next".to_owned()),
            }),
            ..Default::default()
        }))
    }

    async fn get_game(
        &self,
        request: Request<GetGameRequest>,
    ) -> Result<Response<GetGameResponse>, Status> {
        let request = request.into_inner();
        let known = request.slug == "kora";
        self.told.lock().unwrap().got = Some(request);
        self.act().await?;
        if !known {
            return Err(Fault::new(Code::NotFound, "there is no game of this slug").into());
        }
        Ok(Response::new(GetGameResponse {
            json: GAME.into(),
            ..Default::default()
        }))
    }
}
