//! Bodies that arrive slowly: their requests keep no others out, and an account and an address have few of them.

use std::net::Ipv4Addr;

use axum::body::Body;
use bytes::Bytes;
use contracts::gateway::v1::CreateKeyRequest;
use futures::channel::mpsc;
use futures::stream::{self, FuturesUnordered};
use futures::{FutureExt as _, SinkExt as _, StreamExt as _};
use gateway::layers::admission::{ConcurrencyLimits, limit_calls};
use http_body_util::BodyExt as _;
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use sqlx::PgPool;
use tokio::net::TcpSocket;

use crate::port::{PATIENT, Port};
use crate::port_keep_alive::Connection;
use crate::support::{LONG, Test, TestConfig, TestKey, account_key};

/// The default of `http_calls`.
const CALLS: usize = 256;
/// The default of `http_client_bodies`.
const BODIES: u32 = 64;

async fn limited(pool: PgPool) -> Test {
    let with = TestConfig {
        client_bodies: BODIES,
        ..TestConfig::default()
    };
    Test::with(pool, with).await
}

async fn write_key(test: &Test, account: &str) -> TestKey {
    let request = CreateKeyRequest {
        may_write: true,
        ..account_key(account, "test")
    };
    test.key_like(request).await.unwrap()
}

/// An HTTP/2 connection from an address of its own.
async fn connect(port: &Port, host: u8) -> SendRequest<Body> {
    let socket = TcpSocket::new_v4().unwrap();
    let own = (Ipv4Addr::new(127, 0, 1, host), 0);
    socket.bind(own.into()).unwrap();
    let stream = socket.connect(port.address).await.unwrap();
    let handshake = handshake(TokioExecutor::new(), TokioIo::new(stream));
    let (sender, connection) = handshake.await.unwrap();
    drop(port.server.spawn(connection));
    sender
}

/// A body of which one byte is sent, and no more.
fn slow_body() -> Body {
    let byte = stream::once(async { Ok::<_, std::io::Error>(Bytes::from_static(b"{")) });
    Body::from_stream(byte.chain(stream::pending()))
}

#[testing::database_test(gateway::MIGRATOR)]
async fn two_accounts_with_slow_bodies_keep_no_other_caller_out(pool: PgPool) {
    let mut test = limited(pool).await;
    let other = test.account("free").await;
    let other = write_key(&test, &other).await;
    let mut keys = Vec::new();
    for _ in 0..2 {
        let account = test.account("free").await;
        for _ in 0..70 {
            keys.push(write_key(&test, &account).await);
        }
    }
    // The lookup of a key that is not known yet is limited.
    test.catch_up().await;
    let limits = ConcurrencyLimits::new(CALLS);
    let router = limit_calls(test.router.clone(), &test.app, limits);
    let port = Port::open(router, PATIENT, 100).await;

    let mut responses = FuturesUnordered::new();
    let (mut senders, mut sent) = (Vec::new(), 0);
    let bodies = usize::try_from(BODIES).unwrap();
    for (account, keys) in keys.chunks(70).enumerate() {
        for (host, keys) in keys.chunks(10).enumerate() {
            let host = u8::try_from(account * 7 + host + 1).unwrap();
            let mut sender = connect(&port, host).await;
            for key in keys.iter().cycle().take(50) {
                let request = http::Request::post(format!("http://{}/v1/games", port.address))
                    .header("authorization", format!("Bearer {}", key.secret))
                    .body(slow_body());
                responses.push(sender.send_request(request.unwrap()));
            }
            senders.push(sender);
            sent += 50;
            // On a slow machine, calls that are sent together may all need a permit before their bodies are read.
            while responses.len() > bodies * (account + 1) {
                let refused = responses.next().await.unwrap().unwrap();
                assert_eq!(refused.status().as_u16(), 429);
            }
        }
    }
    assert!(sent > CALLS);
    let mut responses = responses.map(|response| response.unwrap().status().as_u16());
    assert_eq!(responses.next().now_or_never(), None, "the others wait");

    let mut connection = Connection::open(&port).await;
    let authorization = format!("authorization: Bearer {}\r\n", other.secret);
    let read = format!("GET /v1/me HTTP/1.1\r\nhost: x\r\n{authorization}\r\n");
    connection.send(read).await;
    let read = connection.response().await.unwrap();
    assert_eq!(read.status, 200, "{read:?}");
    let head = "POST /v1/games HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n";
    connection
        .send(format!("{head}{authorization}\r\n{{"))
        .await;
    connection.send("}").await;
    let written = connection.response().await.unwrap();
    assert_eq!(written.status, 201, "{written:?}");
    // A connection ends with the last of its senders.
    drop(senders);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_request_queues_again_when_its_body_has_arrived(pool: PgPool) {
    let test = limited(pool).await;
    let account = test.account("free").await;
    let key = write_key(&test, &account).await;
    assert!(test.get(&key, "/me").await.is_ok());
    // One call runs at a time.
    let one = ConcurrencyLimits {
        calls: 1,
        queued: 2,
        queue_timeout: LONG,
    };
    let router = limit_calls(test.router.clone(), &test.app, one);
    let port = Port::open(router, PATIENT, 100).await;
    let authorization = format!("authorization: Bearer {}\r\n", key.secret);
    let head = "POST /v1/games HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n";
    let head = format!("{head}{authorization}\r\n");
    let read = format!("GET /v1/me HTTP/1.1\r\nhost: x\r\n{authorization}\r\n");
    let (mut slow, mut other) = (Connection::open(&port).await, Connection::open(&port).await);
    slow.send(format!("{head}{{")).await;
    for _ in 0..3 {
        other.send(&read).await;
        assert_eq!(other.response().await.unwrap().status, 200);
    }
    slow.send("}").await;
    let written = slow.response().await.unwrap();
    assert_eq!(written.status, 201, "{written:?}");
    // Twice as many bodies may arrive as calls run.
    let mut sender = connect(&port, 1).await;
    let mut post = || {
        let request = http::Request::post(format!("http://{}/v1/games", port.address))
            .header("authorization", format!("Bearer {}", key.secret))
            .body(slow_body());
        sender.send_request(request.unwrap())
    };
    let mut bodies = FuturesUnordered::from_iter([post(), post(), post()]);
    let shed = bodies.next().await.unwrap().unwrap();
    assert_eq!(shed.status(), 503);
}

/// A client that is still sending its body may lose the response to a stream that is reset.
#[testing::database_test(gateway::MIGRATOR)]
async fn a_refusal_over_http2_does_not_stop_the_body(pool: PgPool) {
    const CHUNK: usize = 4 * 1024;
    const DRAINED: usize = 256 * 1024;
    let test = limited(pool).await;
    let port = Port::open(test.router.clone(), PATIENT, 100).await;
    let mut sender = connect(&port, 1).await;
    for (length, most) in [(5 * CHUNK, 5 * CHUNK), (8 * DRAINED, 2 * DRAINED)] {
        let (mut chunks, body) = mpsc::channel::<std::io::Result<Bytes>>(0);
        let request = http::Request::post(format!("http://{}/v1/games", port.address))
            .body(Body::from_stream(body))
            .unwrap();
        let refused = sender.send_request(request).await.unwrap();
        assert_eq!(refused.status().as_u16(), 401);
        let refused = refused.into_body().collect().await.unwrap().to_bytes();
        assert!(refused.starts_with(b"{\"success\":false"), "{refused:?}");
        let mut sent = 0;
        while sent < length && chunks.send(Ok(vec![b' '; CHUNK].into())).await.is_ok() {
            sent += CHUNK;
        }
        let least = length.min(DRAINED);
        assert!((least..=most).contains(&sent), "{sent} of {length} bytes");
    }
}
