//! Callers that let no byte of their answers through. What the answers hold in memory has a bound, however many connections and addresses
//! there are.

use e2e::raw::connect_from;
use e2e::{Client, KeyRequest, SmallFleet, Staff, may_open};
use futures::StreamExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::frames::*;
use super::peak;

/// Calls on a connection: as many as the gateway takes.
const CALLS: u32 = 100;
/// Bytes of answers that may wait for callers (`gateway/README.md`).
const BOUND: u64 = 128 * 1024 * 1024;
/// What all these connections and calls may hold beside their answers.
const MORE: u64 = 96 * 1024 * 1024;
/// Addresses that take nothing: together they may hold more than the bound.
const ADDRESSES: u64 = 20;
/// Connections at once that make their calls.
const AT_ONCE: usize = 8;

/// Makes calls of which no byte of an answer may be sent, and returns once each is answered or ended.
async fn call_and_take_nothing(mut connection: TcpStream, get: &[u8]) -> TcpStream {
    let calls: Vec<u8> = (0..CALLS)
        .flat_map(|n| frame(HEADERS, END_HEADERS | END_STREAM, 2 * n + 1, get))
        .collect();
    let hello = hello_with(&[(4, 0)]);
    connection
        .write_all(&[hello, calls].concat())
        .await
        .unwrap();
    let mut ended = 0;
    while ended < CALLS {
        let mut head = [0; 9];
        if connection.read_exact(&mut head).await.is_err() {
            // It was closed.
            break;
        }
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; usize::try_from(length).unwrap()];
        connection.read_exact(&mut payload).await.unwrap();
        ended += u32::from(matches!(head[3], HEADERS | RESET));
    }
    connection
}

#[tokio::test]
async fn answers_that_nobody_takes_have_a_bound() {
    let mut small = SmallFleet::patient();
    // Nothing is let go while the test runs.
    small.set("GATEWAY_HTTP_WRITE", "3600");
    small.set("GATEWAY_HTTP_CLIENT_UNSENT", "16");
    let plans = small.plans();
    let fleet = small.up_with(&["--plans", &plans]).await;
    let mut staff = Staff::of(&fleet).await;
    let account = staff.account("unlimited").await;
    // Samples are there without an import.
    let (_, key) = staff.key(&account, KeyRequest::default()).await;
    let pid = fleet.service("gateway").pid.unwrap();
    let caller = Client::new(&fleet, &key);
    let page = caller.get("/games?limit=100").await;
    assert_eq!(page.status, 200, "{}", page.text);

    let length = u64::try_from(page.text.len()).unwrap();
    let connections = 4 * BOUND / (length * u64::from(CALLS));
    may_open(connections + 256);
    let get = call("GET", "/v1/games?limit=100", &key);
    let before = peak(pid);
    let held: Vec<TcpStream> = futures::stream::iter(0..connections)
        .map(async |n| {
            let host = u8::try_from(2 + n % ADDRESSES).unwrap();
            call_and_take_nothing(connect_from(&fleet, host).await, &get).await
        })
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    let grown = peak(pid) - before;
    assert!(
        grown < BOUND + MORE,
        "grown by {grown} bytes with {connections} connections of {CALLS} answers of {length} bytes"
    );
    // Callers at another address that take their answers are served, also on one connection.
    for _ in 0..10 {
        assert_eq!(
            caller.get("/games?limit=100").await.text.len(),
            page.text.len()
        );
    }
    drop(held);
}
