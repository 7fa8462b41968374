//! The bare hop: the simplest program that serves GET /games with two processes. The front (axum) requests the rows as bytes from the back (tonic)
//! over two connections, and inserts them into the envelope. It has no key, quota, log or metric.
//!
//! The gateway and catalogue-svc are compared with this hop, so do not change it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use bytes::Bytes;
use contracts::catalogue::v1::games_service_client::GamesServiceClient;
use contracts::catalogue::v1::games_service_server::{GamesService, GamesServiceServer};
use contracts::catalogue::v1::{
    GetGameRequest, GetGameResponse, ListGamesRequest, ListGamesResponse,
};
use contracts::common::v1::{Mode, PageInfo};
use tokio::net::TcpListener;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Request, Status};

/// Connections from the front to the back.
const CONNECTIONS: usize = 2;

/// Serves the rows in the file `body` over gRPC.
pub(crate) async fn back(listen: &str, body: &str) {
    let listener = TcpListener::bind(listen).await.unwrap();
    let json = std::fs::read(body).unwrap().into();
    Server::builder()
        .add_service(GamesServiceServer::new(Back { json }))
        .serve_with_incoming(TcpIncoming::from(listener).with_nodelay(Some(true)))
        .await
        .unwrap();
}

struct Back {
    json: Bytes,
}

#[tonic::async_trait]
impl GamesService for Back {
    async fn list_games(
        &self,
        _: Request<ListGamesRequest>,
    ) -> Result<tonic::Response<ListGamesResponse>, Status> {
        Ok(tonic::Response::new(ListGamesResponse {
            json: self.json.clone(),
            page: Some(PageInfo {
                total: 91,
                next_cursor: Some(
                    "1Ebhq-hYCSRbZmFsc2UsMTc5NTE3MTkwODIyNTI1NiwiYWR2ZW50dXJlcy1vZi1ueWFuZ2kiXQ"
                        .into(),
                ),
            }),
            ..ListGamesResponse::default()
        }))
    }

    async fn get_game(
        &self,
        _: Request<GetGameRequest>,
    ) -> Result<tonic::Response<GetGameResponse>, Status> {
        Ok(tonic::Response::new(GetGameResponse::default()))
    }
}

/// Serves `GET /v1/games` over HTTP, from the back at `address`.
pub(crate) async fn front(listen: &str, address: &str) {
    let mut channels = Vec::new();
    for _ in 0..CONNECTIONS {
        let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
        #[expect(clippy::disallowed_methods, reason = "plain on purpose: nothing of the kit")]
        let channel = endpoint.tcp_nodelay(true).connect().await.unwrap();
        channels.push(GamesServiceClient::new(channel));
    }
    let front = Arc::new(Front { channels, next: AtomicUsize::new(0) });
    let router = Router::new().route("/v1/games", get(games)).with_state(front);
    let listener = TcpListener::bind(listen).await.unwrap();
    let listener = axum::serve::ListenerExt::tap_io(listener, |stream| {
        stream.set_nodelay(true).unwrap();
    });
    axum::serve(listener, router).await.unwrap();
}

struct Front {
    channels: Vec<GamesServiceClient<Channel>>,
    next: AtomicUsize,
}

async fn games(State(front): State<Arc<Front>>) -> Response {
    let next = front.next.fetch_add(1, Ordering::Relaxed) % front.channels.len();
    let request = ListGamesRequest { mode: Mode::Live.into(), ..ListGamesRequest::default() };
    let answer = front.channels[next].clone().list_games(request).await;
    let games = answer.unwrap().into_inner();
    let page = games.page.unwrap_or_default();
    let meta = format!(
        ",\"meta\":{{\"request_id\":\"req_01m7w9bcwpetzvb2a1wsqdk4pw\",\"mode\":\"live\",\"next_cursor\":\"{}\",\"total\":{}}}}}",
        page.next_cursor.unwrap_or_default(),
        page.total
    );
    let mut body = Vec::with_capacity(games.json.len() + meta.len() + 24);
    body.extend_from_slice(b"{\"success\":true,\"data\":");
    body.extend_from_slice(&games.json);
    body.extend_from_slice(meta.as_bytes());
    Response::builder().header("content-type", "application/json").body(Body::from(body)).unwrap()
}
