//! More calls than run at once: further ones wait for their permit, or are shed.

use std::time::Duration;

use axum::Router;
use axum::routing::get as get_method;
use bytes::Bytes;
use gateway::layers::admission::{Limits, limited};
use http_body_util::{BodyExt as _, Empty};
use hyper::client::conn::http2::SendRequest;
use sqlx::PgPool;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::port::{PATIENT, Port};
use crate::port_keep_alive::Connection;
use crate::support::{Held, Script, Test};

/// One call runs, and one waits, for longer than a test does.
const ONE: Limits = Limits {
    calls: 1,
    waiting: 1,
    patience: Duration::from_mins(10),
};

/// A gateway whose catalogue hangs, and a connection whose call waits for it with the only permit.
struct Busy {
    _test: Test,
    key: Held,
    port: Port,
    first: TcpStream,
}

impl Busy {
    async fn with(pool: PgPool, limits: Limits) -> Self {
        let test = Test::new(pool).await;
        let key = test.live_key().await;
        let router = limited(test.router.clone(), &test.app, limits);
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

    /// A call over HTTP/2; its status and its body.
    fn call(
        &self,
        sender: &mut SendRequest<Empty<Bytes>>,
        method: &str,
    ) -> impl Future<Output = (u16, String)> + use<> {
        let request = http::Request::builder()
            .method(method)
            .uri(format!("http://{}/v1/me", self.port.address))
            .header("authorization", format!("Bearer {}", self.key.secret));
        let answer = sender.send_request(request.body(Empty::new()).unwrap());
        async {
            let (head, body) = answer.await.unwrap().into_parts();
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

fn get(key: &Held, path: &str) -> String {
    format!(
        "GET /v1{path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\r\n",
        key.secret
    )
}

#[sqlx::test]
async fn a_call_that_waits_too_long_is_shed(pool: PgPool) {
    let limits = Limits {
        patience: Duration::from_millis(1),
        ..ONE
    };
    let busy = Busy::with(pool, limits).await;
    let mut second = Connection::open(&busy.port).await;
    second.send(get(&busy.key, "/me")).await;
    let mut answer = second.answer().await.unwrap();
    assert_eq!((answer.status, answer.closes()), (503, false), "{answer:?}");
    assert!(
        answer.body.contains("\"code\":\"unavailable\""),
        "{answer:?}"
    );
    // The permit is free when the server has seen that the first caller has gone.
    drop(busy.first);
    while answer.status == 503 {
        second.send(get(&busy.key, "/me")).await;
        answer = second.answer().await.unwrap();
    }
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[sqlx::test]
async fn only_so_many_calls_wait(pool: PgPool) {
    let busy = Busy::with(pool, ONE).await;
    let mut sender = busy.port.http2().await;
    let waits = busy.call(&mut sender, "GET");
    let beyond = [
        busy.call(&mut sender, "GET"),
        busy.call(&mut sender, "HEAD"),
    ];
    let beyond = async {
        let [get, head] = beyond;
        let answers = (get.await, head.await);
        drop(busy.first);
        answers
    };
    let (waited, (get, head)) = tokio::join!(waits, beyond);
    assert_eq!(get.0, 503);
    assert!(get.1.contains("\"code\":\"unavailable\""), "{}", get.1);
    assert!(get.1.contains("\"mode\":\"live\""), "{}", get.1);
    assert_eq!(head, (503, String::new()));
    assert_eq!(waited.0, 200, "{}", waited.1);
}

#[sqlx::test]
async fn a_call_in_doubt_of_what_comes_next_is_shed_and_its_connection_closed(pool: PgPool) {
    let limits = Limits { waiting: 0, ..ONE };
    let busy = Busy::with(pool, limits).await;
    for doubtful in [
        "host: x\r\nhost: y\r\n",
        "host: x\r\nexpect: 100-continue\r\ncontent-length: 5\r\n",
    ] {
        let mut caller = Connection::open(&busy.port).await;
        caller
            .send(format!("POST /v1/games HTTP/1.1\r\n{doubtful}\r\n"))
            .await;
        let answer = caller.answer().await.unwrap();
        assert_eq!((answer.status, answer.closes()), (503, true), "{answer:?}");
    }
}

#[sqlx::test]
async fn a_caller_that_does_not_read_holds_no_permit(pool: PgPool) {
    let test = Test::new(pool).await;
    // More than the kernel takes by itself.
    let large = get_method(async || Bytes::from(vec![b'x'; 32 * 1_024 * 1_024]));
    let router = Router::new()
        .route("/large", large)
        .route("/", get_method(async || "here"));
    let router = limited(router, &test.app, ONE);
    let port = Port::open(router, PATIENT, 100).await;
    let mut deaf = TcpStream::connect(port.address).await.unwrap();
    let call = |path| format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n");
    deaf.write_all(call("/large").as_bytes()).await.unwrap();
    deaf.readable().await.unwrap();
    let mut other = Connection::open(&port).await;
    other.send(call("/")).await;
    assert_eq!(other.answer().await.unwrap().body, "here");
}
