//! A stub of the public API, which serves the OpenAPI document of the real gateway.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use contracts::public::{ApiPlan, ApiSettings};
use gateway::domain::plan_table;
use http::header::{ETAG, IF_NONE_MATCH};
use http::{HeaderMap, StatusCode};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// How the stub responds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ApiMood {
    #[default]
    Answers,
    /// Serves an error page instead of the OpenAPI document.
    IsBroken,
}

#[derive(Debug)]
pub(crate) struct StubApi {
    /// The URL of the API, with its version.
    pub(crate) url: String,
    pub(crate) mood: Arc<Mutex<ApiMood>>,
    pub(crate) document: Arc<Mutex<Document>>,
    /// The server stops when this is dropped.
    _server: JoinSet<()>,
}

/// The served OpenAPI document.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) json: Value,
    /// The tag that each request has sent.
    pub(crate) reads: Vec<Option<String>>,
}

impl Default for Document {
    fn default() -> Self {
        let (url, api) = ("https://mchezo.example/v1", gateway::router::API);
        let mut json = gateway::openapi::document(url, api).unwrap();
        json[ApiSettings::EXTENSION] = serde_json::to_value(settings()).unwrap();
        Self { json, reads: Vec::new() }
    }
}

/// The default settings of a gateway.
fn settings() -> ApiSettings {
    let plans = plan_table::parse(plan_table::BUILT_IN).unwrap();
    let plans = plans.iter().map(ApiPlan::from);
    testing::openapi::settings(plans)
}

impl StubApi {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let mood = Arc::new(Mutex::new(ApiMood::default()));
        let document = Arc::<Mutex<Document>>::default();
        let router = Router::new()
            .route("/v1/openapi.json", get(openapi))
            .with_state((Arc::clone(&mood), Arc::clone(&document)));
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, mood, document, _server: server }
    }
}

type Shared = (Arc<Mutex<ApiMood>>, Arc<Mutex<Document>>);

async fn openapi(State((mood, document)): State<Shared>, headers: HeaderMap) -> Response {
    let mood = *mood.lock().unwrap();
    let mut document = document.lock().unwrap();
    let text = document.json.to_string();
    let etag = format!("\"{:x}\"", text.len());
    let known = headers.get(IF_NONE_MATCH);
    let known = known.map(|known| known.to_str().unwrap().to_owned());
    document.reads.push(known.clone());
    if mood == ApiMood::IsBroken {
        return "<html>Not now".into_response();
    }
    if known.as_ref() == Some(&etag) {
        return StatusCode::NOT_MODIFIED.into_response();
    }
    ([(ETAG, etag)], text).into_response()
}
