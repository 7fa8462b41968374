//! Hostile clients on the public port: the gateway closes their connections, its memory does not grow, and other clients are still served.

use std::time::Duration;

use e2e::raw::connect;
use e2e::{Client, Fleet, Process, SmallFleet};
use futures::future::join_all;
use tokio::io::AsyncWriteExt as _;

/// Timeout for the gateway to close a flooded connection.
const GIVE_UP: Duration = Duration::from_mins(2);
/// How many KiB all floods together may add to the gateway's memory.
const MEMORY: u32 = 64 * 1024;
/// Concurrent connections per flood.
const AT_ONCE: usize = 4;

/// The preface of an HTTP/2 connection, with an empty SETTINGS frame.
const HELLO: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// An endless stream of bytes from a client that never reads responses.
struct Flood {
    /// A name for messages.
    what: &'static str,
    begin: Vec<u8>,
    /// The bytes of the n-th wave.
    wave: Box<dyn Fn(u32) -> Vec<u8>>,
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A header block: GET, http, the authority `a` and the path `/v1/games`, without indexing.
const GET: &[u8] = b"\x82\x86\x01\x01a\x04\x09/v1/games";

fn floods(key: &str) -> [Flood; 3] {
    let call = format!(
        "GET /v1/games?limit=100 HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {key}\r\n\r\n"
    );
    [
        Flood {
            what: "calls that are taken back (CVE-2023-44487)",
            begin: HELLO.to_vec(),
            wave: Box::new(|n| {
                let call = frame(HEADERS, END_HEADERS | END_STREAM, 2 * n + 1, GET);
                [call, frame(RESET, 0, 2 * n + 1, &[0, 0, 0, 8])].concat()
            }),
        },
        Flood {
            what: "headers that never end (CVE-2024-27316)",
            begin: [HELLO, &frame(HEADERS, END_STREAM, 1, GET)].concat(),
            wave: Box::new(|_| frame(CONTINUATION, 0, 1, b"\0\x01x\x01a")),
        },
        Flood {
            what: "calls whose answers nobody takes",
            begin: Vec::new(),
            wave: Box::new(move |_| call.clone().into_bytes()),
        },
    ]
}

/// Floods until the server closes the connection, which a failed write shows.
async fn until_closed(fleet: &Fleet, flood: &Flood) {
    let mut connection = connect(fleet).await;
    let sending = async {
        let mut sent = connection.write_all(&flood.begin).await;
        for n in 0.. {
            if sent.is_err() {
                break;
            }
            sent = connection.write_all(&(flood.wave)(n)).await;
            // Let the other floods run.
            tokio::task::yield_now().await;
        }
    };
    let closed = tokio::time::timeout(GIVE_UP, sending).await;
    assert!(closed.is_ok(), "still open: {}", flood.what);
}

#[tokio::test]
#[ignore = "long: floods"]
async fn floods_end_and_nobody_else_notices() {
    let mut small = SmallFleet::patient();
    // With short timeouts, the gateway soon closes idle connections.
    for bound in ["HEAD", "IDLE"] {
        small.set(&format!("GATEWAY_HTTP_{bound}"), "5");
    }
    let fleet = small.up().await;
    let pid = fleet.service("gateway").pid.unwrap();
    let keys = &fleet.account("partner").keys;
    let caller = Client::new(&fleet, &keys.test);
    let games = caller.all("/games", 100).await;
    let gateway = Process::new("gateway", pid);
    let before = gateway.peak();

    let floods = floods(&keys.live);
    let flooding = floods.iter().flat_map(|flood| [flood; AT_ONCE]);
    let flooding = join_all(flooding.map(|flood| until_closed(&fleet, flood)));
    // Slowly enough for the limit per minute.
    let mut pace = tokio::time::interval(Duration::from_millis(100));
    let mut served = 0;
    let calling = async {
        loop {
            pace.tick().await;
            let page = caller.get("/games?limit=1").await;
            assert_eq!(page.status, 200, "{}", page.text);
            served += 1;
        }
    };
    tokio::select! {
        _ = flooding => {}
        () = calling => {}
    }
    assert!(served > 0, "no other caller was served");
    assert_eq!(caller.all("/games", 100).await, games);
    assert_eq!(small.fleet().service("gateway").pid, Some(pid), "the gateway was started anew");
    // A panic in the task of a connection closes it as well, so check the log.
    assert!(!small.log("gateway").contains("panicked"));
    let grown = gateway.peak() - before;
    assert!(grown < MEMORY, "grown by {grown} KiB");
}
