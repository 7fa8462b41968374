//! The public port itself: both versions of HTTP on one listener, long heads, and draining.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::response::IntoResponse as _;
use bytes::Bytes;
use gateway::config::Patience;
use gateway::errors::Refusal;
use gateway::serve::{Public, Serving, Turns, serve};
use http_body_util::{BodyExt as _, Empty};
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use sqlx::PgPool;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use crate::support::Test;

/// A public port in this process.
pub(crate) struct Port {
    pub(crate) address: SocketAddr,
    draining: CancellationToken,
    _ended: DropGuard,
    pub(crate) server: TaskTracker,
}

/// So patient that a loaded machine never seems to be a slow caller.
pub(crate) const PATIENT: Patience = Patience {
    http_head: Duration::from_mins(1),
    http_body: Duration::from_mins(1),
    http_idle: Duration::from_mins(1),
    http_write: Duration::from_mins(1),
};

impl Port {
    /// Opens a port to `router`.
    pub(crate) async fn open(router: Router, patience: Patience, connections: u32) -> Self {
        let turns = Turns {
            patience: Duration::from_mins(1),
            ..Turns::with(1_000)
        };
        let public = Public {
            router,
            turned_away: Arc::new(|_, _, fault| Refusal::from(fault).into_response()),
        };
        Self::with_turns(public, patience, connections, turns).await
    }

    /// The same, whose connections take turns in another way than usual.
    pub(crate) async fn with_turns(
        public: Public,
        patience: Patience,
        connections: u32,
        turns: Turns,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let ended = CancellationToken::new();
        let port = Self {
            address: listener.local_addr().unwrap(),
            draining: CancellationToken::new(),
            _ended: ended.clone().drop_guard(),
            server: TaskTracker::new(),
        };
        let serving = Serving {
            patience,
            // Every connection rests as soon as it can.
            warm: Duration::ZERO,
            turns,
            connections,
            threads: 1,
            draining: port.draining.clone(),
            ended,
        };
        let served = serve(listener, serving, move || Ok(public.clone()));
        drop(port.server.spawn(served));
        port.server.close();
        port
    }

    /// A connection over HTTP/2.
    pub(crate) async fn http2(&self) -> SendRequest<Empty<Bytes>> {
        let stream = TcpStream::connect(self.address).await.unwrap();
        let handshake = handshake(TokioExecutor::new(), TokioIo::new(stream));
        let (sender, connection) = handshake.await.unwrap();
        drop(self.server.spawn(connection));
        sender
    }
}

async fn open(test: &Test) -> Port {
    Port::open(test.router.clone(), PATIENT, 100).await
}

/// Sends a head over HTTP/1.1 and reads until the connection ends.
async fn raw(port: &Port, head: &str) -> String {
    let mut stream = TcpStream::connect(port.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8(answer).unwrap()
}

#[sqlx::test]
async fn both_versions_of_http_are_served(pool: PgPool) {
    let test = Test::new(pool).await;
    let (port, key) = (open(&test).await, test.live_key().await);
    let head = format!(
        "GET /v1/games HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\nconnection: close\r\n\r\n",
        key.secret
    );
    let answer = raw(&port, &head).await;
    assert!(
        answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains("\"total\":61"),
        "{answer}"
    );

    let mut sender = port.http2().await;
    for method in ["GET", "HEAD"] {
        let request = http::Request::builder()
            .method(method)
            .uri(format!("http://{}/v1/games", port.address))
            .header("authorization", format!("Bearer {}", key.secret))
            .body(Empty::new())
            .unwrap();
        let response = sender.send_request(request).await.unwrap();
        assert_eq!(
            (response.status().as_u16(), response.version()),
            (200, http::Version::HTTP_2)
        );
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(body.is_empty(), method == "HEAD");
    }
}

#[sqlx::test]
async fn heads_beyond_our_bounds_are_refused_in_the_envelope(pool: PgPool) {
    let test = Test::new(pool).await;
    let port = open(&test).await;
    let close = "host: x\r\nconnection: close\r\n\r\n";
    let uri = format!("GET /v1/games?q={} HTTP/1.1\r\n{close}", "a".repeat(20_000));
    let fields: Vec<String> = (0..150).map(|n| format!("x-{n}: 1\r\n")).collect();
    let fields = fields.concat();
    let long = "a".repeat(40_000);
    for (head, code) in [
        (uri, "uri_too_long"),
        (
            format!("GET /v1/games HTTP/1.1\r\n{fields}{close}"),
            "headers_too_large",
        ),
        (
            format!("GET /v1/games HTTP/1.1\r\nx: {long}\r\n{close}"),
            "headers_too_large",
        ),
    ] {
        let answer = raw(&port, &head).await;
        assert!(answer.contains(&format!("\"code\":\"{code}\"")), "{answer}");
        assert!(answer.contains("\"request_id\":\"req_"), "{answer}");
    }
}

#[sqlx::test]
async fn draining_ends_idle_connections_and_the_server(pool: PgPool) {
    let test = Test::new(pool).await;
    let port = open(&test).await;
    let mut idle = TcpStream::connect(port.address).await.unwrap();
    idle.write_all(b"GET /v1/games HTTP/1.1\r\nhost: x\r\n\r\n")
        .await
        .unwrap();
    let mut first = [0; 12];
    idle.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 401");
    port.draining.cancel();
    port.server.wait().await;
    let mut rest = Vec::new();
    idle.read_to_end(&mut rest).await.unwrap();
    assert!(TcpStream::connect(port.address).await.is_err());
}

#[sqlx::test]
async fn there_is_an_answer_where_there_is_no_room(pool: PgPool) {
    let test = Test::new(pool).await;
    let port = Port::open(test.router.clone(), PATIENT, 1).await;
    let mut first = TcpStream::connect(port.address).await.unwrap();
    let ask = b"GET /v1/games HTTP/1.1\r\nhost: x\r\n\r\n";
    first.write_all(ask).await.unwrap();
    let mut served = [0; 12];
    first.read_exact(&mut served).await.unwrap();
    assert_eq!(&served, b"HTTP/1.1 401");

    let refused = raw(&port, "GET /v1/games HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
    for part in [
        "\"code\":\"unavailable\"",
        "retry-after: 1",
        "connection: close",
    ] {
        assert!(refused.contains(part), "{part} in {refused}");
    }
    drop(first);
    // The place is free once the server has noticed.
    let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
    while raw(
        &port,
        "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
    )
    .await
    .starts_with("HTTP/1.1 503")
    {
        assert!(
            tokio::time::Instant::now() < deadline,
            "the place is never free"
        );
    }
}
