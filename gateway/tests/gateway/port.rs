//! The public port: both versions of HTTP on one listener, long heads, the connection limit, and draining.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty};
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use kit::http_server::{ClientLimits, Settings, Timeouts, serve};
use sqlx::PgPool;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::support::Test;

/// A public port in this process.
pub(crate) struct Port {
    pub(crate) address: SocketAddr,
    draining: CancellationToken,
    pub(crate) server: TaskTracker,
}

/// So long that a client on a loaded machine never seems slow.
pub(crate) const PATIENT: Timeouts = Timeouts {
    http_head: Duration::from_mins(1),
    http_body: Duration::from_mins(1),
    http_idle: Duration::from_mins(1),
    http_write: Duration::from_mins(1),
};

impl Port {
    /// A port with limits that one client does not reach.
    pub(crate) async fn open(router: Router, timeouts: Timeouts, connections: u32) -> Self {
        let client = ClientLimits {
            connections,
            unsent: usize::MAX,
            ..ClientLimits::default()
        };
        Self::open_with(router, timeouts, connections, client).await
    }

    pub(crate) async fn open_with(
        router: Router,
        timeouts: Timeouts,
        connections: u32,
        client: ClientLimits,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = Self {
            address: listener.local_addr().unwrap(),
            draining: CancellationToken::new(),
            server: TaskTracker::new(),
        };
        let settings = Settings {
            timeouts,
            connections,
            client,
            draining: port.draining.clone(),
        };
        drop(port.server.spawn(serve(listener, settings, router)));
        port.server.close();
        port
    }

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
    let mut response = Vec::new();
    stream.read_to_end(&mut response).await.unwrap();
    String::from_utf8(response).unwrap()
}

#[testing::database_test(gateway::MIGRATOR)]
async fn both_versions_of_http_are_served(pool: PgPool) {
    let test = Test::new(pool).await;
    let (port, key) = (open(&test).await, test.live_key().await);
    let head = format!(
        "GET /v1/games HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\nconnection: close\r\n\r\n",
        key.secret
    );
    let response = raw(&port, &head).await;
    assert!(
        response.starts_with("HTTP/1.1 200 OK\r\n") && response.contains("\"total\":61"),
        "{response}"
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

#[testing::database_test(gateway::MIGRATOR)]
async fn heads_over_the_limits_get_an_envelope(pool: PgPool) {
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
        let response = raw(&port, &head).await;
        assert!(
            response.contains(&format!("\"code\":\"{code}\"")),
            "{response}"
        );
        assert!(response.contains("\"request_id\":\"req_"), "{response}");
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn draining_closes_idle_connections_and_stops_the_server(pool: PgPool) {
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
