//! Persistent HTTP/1.1 connections: each request gets its own response, and an unread body does not disturb the next request.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::routing::get;
use gateway::layers::admission::{ConcurrencyLimits, limit_calls};
use sqlx::PgPool;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use crate::port::{PATIENT, Port};
use crate::support::{LONG, Test, TestKey, eventually};

/// Requests that run at once. One more queues, and is shed.
const CALLS: usize = 16;

pub(crate) struct Connection(TcpStream);

#[derive(Debug)]
pub(crate) struct RawResponse {
    pub(crate) status: u16,
    /// In lower case.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl RawResponse {
    pub(crate) fn closes(&self) -> bool {
        self.head.contains("\r\nconnection: close\r\n")
    }
}

impl Connection {
    pub(crate) async fn open(port: &Port) -> Self {
        Self(TcpStream::connect(port.address).await.unwrap())
    }

    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.write_all(bytes.as_ref()).await.unwrap();
    }

    /// Reads one response; `None` if the connection ends before.
    pub(crate) async fn response(&mut self) -> Option<RawResponse> {
        let reading = tokio::time::timeout(LONG, self.read());
        reading.await.expect("neither answered nor closed")
    }

    async fn read(&mut self) -> Option<RawResponse> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.0.read_u8().await.ok()?);
        }
        let head = String::from_utf8(head).unwrap().to_lowercase();
        let mut fields = head.lines().filter_map(|line| line.split_once(": "));
        let length = fields.find_map(|(name, value)| (name == "content-length").then_some(value));
        let mut body = vec![0; length.unwrap().parse().unwrap()];
        self.0.read_exact(&mut body).await.ok()?;
        Some(RawResponse {
            status: head[9..12].parse().unwrap(),
            body: String::from_utf8(body).unwrap(),
            head,
        })
    }

    /// Whether the server has closed its side.
    async fn is_at_its_end(&mut self) -> bool {
        let mut byte = [0; 1];
        let read = tokio::time::timeout(LONG, self.0.read(&mut byte));
        matches!(read.await, Ok(Ok(0)))
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_connection_works_after_a_shed_request(pool: PgPool) {
    let test = Test::new(pool).await;
    let gate = Arc::new(Semaphore::new(0));
    let running = Arc::new(AtomicUsize::new(0));
    let hang = {
        let (gate, running) = (Arc::clone(&gate), Arc::clone(&running));
        get(async move || {
            running.fetch_add(1, Ordering::SeqCst);
            drop(gate.acquire().await);
        })
    };
    let router = Router::new()
        .route("/hang", hang)
        .route("/", get(async || "here").patch(async |body: String| body));
    let router = limit_calls(router, &test.app, ConcurrencyLimits::new(CALLS));
    let port = Port::open(router, PATIENT, 100).await;
    let hanging = async || {
        let mut connection = Connection::open(&port).await;
        connection
            .send("GET /hang HTTP/1.1\r\nhost: x\r\n\r\n")
            .await;
        connection
    };
    let mut open = Vec::new();
    for _ in 0..CALLS {
        open.push(hanging().await);
    }
    eventually("all permits are taken", async || {
        running.load(Ordering::SeqCst) == CALLS
    })
    .await;
    let mut shed = hanging().await;
    let response = shed.response().await.unwrap();
    assert_eq!(
        (response.status, response.closes()),
        (503, false),
        "{response:?}"
    );
    assert!(
        response.head.contains("\r\nretry-after: 1\r\n"),
        "{response:?}"
    );
    assert!(
        response.body.contains("\"code\":\"unavailable\""),
        "{response:?}"
    );
    // Now the gateway is idle, and the connection works again at once.
    gate.close();
    for connection in &mut open {
        connection.response().await.unwrap();
    }
    for _ in 0..3 {
        for request in [
            "GET / HTTP/1.1\r\nhost: x\r\n\r\n",
            "PATCH / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}",
        ] {
            shed.send(request).await;
            let response = shed.response().await.unwrap();
            assert_eq!(response.status, 200, "{request}: {response:?}");
        }
    }
}

/// A request whose body of `length` bytes is not read by its handler.
fn unread(line: &str, key: Option<&TestKey>, length: usize) -> Vec<u8> {
    let key = key.map(|key| format!("authorization: Bearer {}\r\n", key.secret));
    let key = key.unwrap_or_default();
    let head = format!("{line} HTTP/1.1\r\nhost: x\r\n{key}content-length: {length}\r\n\r\n");
    [head.into_bytes(), vec![b'x'; length]].concat()
}

/// Requests whose bodies are not read, with their statuses. The first has no key.
const UNREAD: [(&str, u16); 5] = [
    ("POST /v1/games", 401),
    ("POST /v1/games", 403),
    ("GET /v1/nothing", 404),
    ("DELETE /v1/games", 405),
    ("GET /v1/games", 200),
];

#[testing::database_test(gateway::MIGRATOR)]
async fn a_connection_stays_open_after_an_unread_body(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let port = Port::open(test.router.clone(), PATIENT, 100).await;
    for length in [50_000, 256 * 1_024] {
        let mut connection = Connection::open(&port).await;
        for (line, status) in UNREAD {
            for _ in 0..2 {
                let key = (status != 401).then_some(&key);
                connection.send(unread(line, key, length)).await;
                let response = connection.response().await;
                let response = response.unwrap_or_else(|| panic!("{line}: the call was lost"));
                let outcome = (response.status, response.closes());
                assert_eq!(outcome, (status, false), "{line}: {response:?}");
            }
        }
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_connection_stays_open_after_a_shed_request_with_a_body(pool: PgPool) {
    let test = Test::new(pool).await;
    let none = ConcurrencyLimits {
        calls: 0,
        queued: 0,
        ..ConcurrencyLimits::new(0)
    };
    let router = limit_calls(test.router.clone(), &test.app, none);
    let port = Port::open(router, PATIENT, 100).await;
    let mut connection = Connection::open(&port).await;
    for _ in 0..3 {
        connection
            .send(unread("POST /v1/games", None, 100_000))
            .await;
        let response = connection.response().await.expect("the call was lost");
        assert_eq!(
            (response.status, response.closes()),
            (503, false),
            "{response:?}"
        );
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_connection_that_must_close_says_so(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let port = Port::open(test.router.clone(), PATIENT, 100).await;
    let head = format!(
        "GET /v1/games HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n",
        key.secret
    );
    let endless = "1000\r\n".to_owned() + &"x".repeat(0x1000) + "\r\n";
    let waits = format!("{head}expect: 100-continue\r\ncontent-length: 5\r\n\r\n");
    for (call, status) in [
        (unread("GET /v1/games", Some(&key), 256 * 1_024 + 1), 413),
        (unread("POST /v1/games", None, 2_000_000), 401),
        (
            (format!("{head}transfer-encoding: chunked\r\n\r\n") + &endless.repeat(65))
                .into_bytes(),
            200,
        ),
        (waits.into_bytes(), 200),
    ] {
        let mut connection = Connection::open(&port).await;
        connection.send(call).await;
        let response = connection.response().await.unwrap();
        let outcome = (response.status, response.closes());
        assert_eq!(outcome, (status, true), "{response:?}");
        assert!(connection.is_at_its_end().await);
    }
}
