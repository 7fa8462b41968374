//! More connections with something to ask than are worked on at once: further ones wait for their turn, or are turned away.

use std::time::Duration;

use bytes::Bytes;
use gateway::router::public;
use gateway::serve::Turns;
use http_body_util::{BodyExt as _, Empty};
use hyper::client::conn::http2::SendRequest;
use sqlx::PgPool;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::port::{PATIENT, Port};
use crate::support::{Held, Script, Test};

/// Longer than the test waits for anything.
const FOREVER: Duration = Duration::from_mins(10);

/// One at a time, each for as long as it takes.
const ONE: Turns = Turns {
    at_once: 1,
    length: FOREVER,
    patience: FOREVER,
    waiting: 10,
};

/// A gateway whose catalogue hangs, and a connection that waits for it.
struct Busy {
    _test: Test,
    key: Held,
    port: Port,
    first: TcpStream,
}

impl Busy {
    async fn with(pool: PgPool, turns: Turns) -> Self {
        let test = Test::new(pool).await;
        let key = test.live_key().await;
        let port = Port::with_turns(public(&test.app), PATIENT, 100, turns).await;
        test.catalogue.script(Script::Hang);
        let mut first = TcpStream::connect(port.address).await.unwrap();
        send(&mut first, &key, "/games").await;
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
}

async fn send(connection: &mut TcpStream, key: &Held, path: &str) {
    let head = format!(
        "GET /v1{path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\r\n",
        key.secret
    );
    connection.write_all(head.as_bytes()).await.unwrap();
}

/// Reads an answer, all of whose body is one line of JSON.
async fn answer(connection: &mut TcpStream) -> String {
    let mut came = Vec::new();
    let is_whole = |came: &[u8]| {
        let text = String::from_utf8_lossy(came);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            return false;
        };
        let mut fields = head.lines().filter_map(|line| line.split_once(": "));
        let length = fields.find_map(|(name, value)| (name == "content-length").then_some(value));
        length.is_some_and(|length| body.len() == length.parse::<usize>().unwrap())
    };
    while !is_whole(&came) {
        came.push(connection.read_u8().await.unwrap());
    }
    String::from_utf8(came).unwrap()
}

#[sqlx::test]
async fn who_waits_too_long_is_turned_away_and_keeps_its_connection(pool: PgPool) {
    let turns = Turns {
        patience: Duration::from_millis(1),
        ..ONE
    };
    let busy = Busy::with(pool, turns).await;
    let mut second = TcpStream::connect(busy.port.address).await.unwrap();
    send(&mut second, &busy.key, "/me").await;
    let refused = answer(&mut second).await;
    assert!(
        refused.starts_with("HTTP/1.1 503 ") && refused.contains("retry-after: 1\r\n"),
        "{refused}"
    );
    assert!(refused.contains("\"code\":\"unavailable\""), "{refused}");
    assert!(!refused.contains("connection: close"), "{refused}");
    // When the first has gone, it is the second's turn.
    drop(busy.first);
    let mut me = refused;
    while me.starts_with("HTTP/1.1 503 ") {
        send(&mut second, &busy.key, "/me").await;
        me = answer(&mut second).await;
    }
    assert!(me.starts_with("HTTP/1.1 200 "), "{me}");
}

#[sqlx::test]
async fn who_is_turned_away_in_doubt_of_what_comes_next_is_let_go(pool: PgPool) {
    let turns = Turns {
        patience: Duration::from_millis(1),
        ..ONE
    };
    let busy = Busy::with(pool, turns).await;
    for doubtful in [
        "host: x\r\nhost: y\r\n",
        "host: x\r\nexpect: 100-continue\r\ncontent-length: 5\r\n",
    ] {
        let mut caller = TcpStream::connect(busy.port.address).await.unwrap();
        let head = format!("POST /v1/games HTTP/1.1\r\n{doubtful}\r\n");
        caller.write_all(head.as_bytes()).await.unwrap();
        let mut refused = String::new();
        caller.read_to_string(&mut refused).await.unwrap();
        assert!(
            refused.starts_with("HTTP/1.1 503 ") && refused.contains("connection: close\r\n"),
            "{doubtful}: {refused}"
        );
    }
}

#[sqlx::test]
async fn a_call_that_waits_for_a_service_keeps_its_turn_only_so_long(pool: PgPool) {
    let turns = Turns {
        length: Duration::from_millis(1),
        ..ONE
    };
    let busy = Busy::with(pool, turns).await;
    let mut second = TcpStream::connect(busy.port.address).await.unwrap();
    send(&mut second, &busy.key, "/me").await;
    let answered = answer(&mut second).await;
    assert!(answered.starts_with("HTTP/1.1 200 "), "{answered}");
}

/// Makes a call; its status and its body.
fn call(
    sender: &mut SendRequest<Empty<Bytes>>,
    busy: &Busy,
    method: &str,
) -> impl Future<Output = (u16, String)> + use<> {
    let request = http::Request::builder()
        .method(method)
        .uri(format!("http://{}/v1/me", busy.port.address))
        .header("authorization", format!("Bearer {}", busy.key.secret));
    let answer = sender.send_request(request.body(Empty::new()).unwrap());
    async {
        let (head, body) = answer.await.unwrap().into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        if head.status == 503 {
            assert_eq!(head.headers["retry-after"], "1");
            let id = head.headers["x-request-id"].to_str().unwrap();
            assert!(id.starts_with("req_"), "{id}");
        }
        (
            head.status.as_u16(),
            String::from_utf8(body.into()).unwrap(),
        )
    }
}

#[sqlx::test]
async fn over_http2_only_so_many_calls_wait_for_their_turn(pool: PgPool) {
    let turns = Turns { waiting: 1, ..ONE };
    let busy = Busy::with(pool, turns).await;
    let mut sender = busy.port.http2().await;
    let waits = call(&mut sender, &busy, "GET");
    let beyond = [
        call(&mut sender, &busy, "GET"),
        call(&mut sender, &busy, "HEAD"),
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
async fn over_http2_a_call_waits_only_so_long(pool: PgPool) {
    let turns = Turns {
        patience: Duration::from_millis(1),
        ..ONE
    };
    let busy = Busy::with(pool, turns).await;
    let mut sender = busy.port.http2().await;
    let (status, body) = call(&mut sender, &busy, "GET").await;
    assert_eq!(status, 503, "{body}");
    // Its connection stays.
    let (status, body) = call(&mut sender, &busy, "HEAD").await;
    assert_eq!((status, body.as_str()), (503, ""));
}
