//! More requests than run at once: further ones queue or are shed.

use std::time::Duration;

use axum::Router;
use axum::routing::get as get_method;
use bytes::Bytes;
use gateway::layers::admission::{ConcurrencyLimits, limit_calls};
use http_body_util::{BodyExt as _, Empty};
use hyper::client::conn::http2::SendRequest;
use sqlx::PgPool;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::port::{PATIENT, Port};
use crate::port_keep_alive::Connection;
use crate::support::{Script, Test, TestKey};

/// One request runs and one waits, for longer than a test takes.
const ONE: ConcurrencyLimits = ConcurrencyLimits {
    calls: 1,
    queued: 1,
    queue_timeout: Duration::from_mins(10),
};

/// A gateway whose catalogue hangs, with a request that holds the only permit.
struct Busy {
    _test: Test,
    key: TestKey,
    port: Port,
    first: TcpStream,
}

impl Busy {
    async fn with(pool: PgPool, limits: ConcurrencyLimits) -> Self {
        let mut test = Test::new(pool).await;
        let key = test.live_key().await;
        // A request whose key is not known yet returns its permit.
        test.catch_up().await;
        let router = limit_calls(test.router.clone(), &test.app, limits);
        let port = Port::open(router, PATIENT, 100).await;
        test.catalogue.script(Script::Hang);
        let mut first = TcpStream::connect(port.address).await.unwrap();
        first
            .write_all(get(&key, "/games").as_bytes())
            .await
            .unwrap();
        while test.catalogue.calls() < 1 {
            tokio::task::yield_now().await;
        }
        Self {
            _test: test,
            key,
            port,
            first,
        }
    }

    /// Makes a request over HTTP/2. Returns status and body.
    fn call(
        &self,
        sender: &mut SendRequest<Empty<Bytes>>,
        method: &str,
    ) -> impl Future<Output = (u16, String)> + use<> {
        let request = http::Request::builder()
            .method(method)
            .uri(format!("http://{}/v1/me", self.port.address))
            .header("authorization", format!("Bearer {}", self.key.secret));
        let response = sender.send_request(request.body(Empty::new()).unwrap());
        async {
            let (head, body) = response.await.unwrap().into_parts();
            let body = body.collect().await.unwrap().to_bytes();
            if head.status == 503 {
                assert_eq!(head.headers["retry-after"], "1");
                let id = head.headers["x-request-id"].to_str().unwrap();
                assert!(id.starts_with("req_"), "{id}");
            }
            let body = String::from_utf8(body.into()).unwrap();
            (head.status.as_u16(), body)
        }
    }
}

fn get(key: &TestKey, path: &str) -> String {
    format!(
        "GET /v1{path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\r\n",
        key.secret
    )
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_request_that_waits_too_long_is_shed(pool: PgPool) {
    let limits = ConcurrencyLimits {
        queue_timeout: Duration::from_millis(1),
        ..ONE
    };
    let busy = Busy::with(pool, limits).await;
    let mut second = Connection::open(&busy.port).await;
    second.send(get(&busy.key, "/me")).await;
    let mut response = second.response().await.unwrap();
    assert_eq!(
        (response.status, response.closes()),
        (503, false),
        "{response:?}"
    );
    assert!(
        response.body.contains("\"code\":\"unavailable\""),
        "{response:?}"
    );
    // The permit is released when the server notices that the first client has disconnected.
    drop(busy.first);
    while response.status == 503 {
        second.send(get(&busy.key, "/me")).await;
        response = second.response().await.unwrap();
    }
    assert_eq!(response.status, 200, "{response:?}");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_queue_is_limited(pool: PgPool) {
    let busy = Busy::with(pool, ONE).await;
    let mut sender = busy.port.http2().await;
    let waits = busy.call(&mut sender, "GET");
    let beyond = [
        busy.call(&mut sender, "GET"),
        busy.call(&mut sender, "HEAD"),
    ];
    let beyond = async {
        let [get, head] = beyond;
        let responses = (get.await, head.await);
        drop(busy.first);
        responses
    };
    let (waited, (get, head)) = tokio::join!(waits, beyond);
    assert_eq!(get.0, 503);
    assert!(get.1.contains("\"code\":\"unavailable\""), "{}", get.1);
    assert!(get.1.contains("\"mode\":\"live\""), "{}", get.1);
    assert_eq!(head, (503, String::new()));
    assert_eq!(waited.0, 200, "{}", waited.1);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_connection_with_an_ambiguous_end_is_closed_after_shedding(pool: PgPool) {
    let limits = ConcurrencyLimits { queued: 0, ..ONE };
    let busy = Busy::with(pool, limits).await;
    for doubtful in [
        "host: x\r\nhost: y\r\n",
        "host: x\r\nexpect: 100-continue\r\ncontent-length: 5\r\n",
    ] {
        let mut caller = Connection::open(&busy.port).await;
        caller
            .send(format!("POST /v1/games HTTP/1.1\r\n{doubtful}\r\n"))
            .await;
        let response = caller.response().await.unwrap();
        assert_eq!(
            (response.status, response.closes()),
            (503, true),
            "{response:?}"
        );
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_client_that_does_not_receive_holds_no_permit(pool: PgPool) {
    let test = Test::new(pool).await;
    // More than the kernel buffers.
    let large = get_method(async || Bytes::from(vec![b'x'; 32 * 1_024 * 1_024]));
    let router = Router::new()
        .route("/large", large)
        .route("/", get_method(async || "here"));
    let router = limit_calls(router, &test.app, ONE);
    let port = Port::open(router, PATIENT, 100).await;
    let mut deaf = TcpStream::connect(port.address).await.unwrap();
    let call = |path| format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n");
    deaf.write_all(call("/large").as_bytes()).await.unwrap();
    deaf.readable().await.unwrap();
    let mut other = Connection::open(&port).await;
    other.send(call("/")).await;
    assert_eq!(other.response().await.unwrap().body, "here");
}
