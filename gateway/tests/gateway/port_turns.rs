//! More connections with something to ask than are worked on at once: further ones wait for their turn, or are turned away.

use std::time::Duration;

use gateway::serve::Turns;
use sqlx::PgPool;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::port::{PATIENT, Port};
use crate::support::{Held, Script, Test};

/// Longer than the test waits for anything.
const FOREVER: Duration = Duration::from_mins(10);

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
        let port = Port::with_turns(test.router.clone(), PATIENT, 100, turns).await;
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
        at_once: 1,
        length: FOREVER,
        patience: Duration::from_millis(1),
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
async fn a_call_that_waits_for_a_service_keeps_its_turn_only_so_long(pool: PgPool) {
    let turns = Turns {
        at_once: 1,
        length: Duration::from_millis(1),
        patience: FOREVER,
    };
    let busy = Busy::with(pool, turns).await;
    let mut second = TcpStream::connect(busy.port.address).await.unwrap();
    send(&mut second, &busy.key, "/me").await;
    let answered = answer(&mut second).await;
    assert!(answered.starts_with("HTTP/1.1 200 "), "{answered}");
}
