//! The public API, with one route that knows test keys.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use http::header::AUTHORIZATION;
use http::{HeaderMap, StatusCode};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// What the API does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ApiMood {
    #[default]
    Answers,
    Hangs,
    /// With a body of a hundred thousand bytes.
    IsLong,
}

#[derive(Debug)]
pub(crate) struct StubApi {
    /// The address with the version.
    pub(crate) url: String,
    pub(crate) mood: Arc<Mutex<ApiMood>>,
    /// Ends with this value.
    _server: JoinSet<()>,
}

impl StubApi {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let mood = Arc::new(Mutex::new(ApiMood::default()));
        let router = Router::new()
            .route("/v1/games", get(games))
            .with_state(Arc::clone(&mood));
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            url,
            mood,
            _server: server,
        }
    }
}

async fn games(
    State(mood): State<Arc<Mutex<ApiMood>>>,
    headers: HeaderMap,
) -> (StatusCode, String) {
    let mood = *mood.lock().unwrap();
    if mood == ApiMood::Hangs {
        std::future::pending::<()>().await;
    }
    let key = headers[AUTHORIZATION].to_str().unwrap();
    assert!(key.starts_with("Bearer svc_test_"), "{key}");
    let filler = if mood == ApiMood::IsLong { 100_000 } else { 1 };
    let title = "<b>".repeat(filler);
    let body = format!(r#"{{"success":true,"data":[{{"title":"{title}Okoto"}}]}}"#);
    (StatusCode::OK, body)
}
