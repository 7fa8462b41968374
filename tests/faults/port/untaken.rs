//! Clients that allow the gateway to send no byte of the bodies of their responses. The memory of these responses is limited for any number
//! of connections and addresses.

use e2e::raw::connect_from;
use e2e::{Client, KeyRequest, SmallFleet, Staff, may_open};
use futures::StreamExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::frames::*;
use super::peak;

/// Calls per connection: as many as the gateway accepts.
const CALLS: u32 = 100;
/// The limit of unsent responses, in bytes (`gateway/README.md`).
const BOUND: u64 = 128 * 1024 * 1024;
/// The most memory that these connections and calls may take besides their responses.
const MORE: u64 = 96 * 1024 * 1024;
/// The number of addresses. Their own limits together are above the limit of all responses.
const ADDRESSES: u64 = 20;
/// The number of connections that make their calls at the same time.
const AT_ONCE: usize = 8;

/// Makes calls, allows the gateway to send no byte of a body, and returns when the gateway has answered or ended each call.
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
            // The gateway has closed the connection.
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
#[ignore = "long: fills the buffers of a thousand connections"]
async fn answers_that_nobody_takes_have_a_bound() {
    let mut small = SmallFleet::patient();
    // No timeout closes a connection while the test runs.
    small.set("GATEWAY_HTTP_WRITE", "3600");
    small.set("GATEWAY_HTTP_CLIENT_UNSENT", "16");
    let plans = small.plans();
    let fleet = small.up_with(&["--plans", &plans]).await;
    let mut staff = Staff::of(&fleet).await;
    let account = staff.account("unlimited").await;
    // Test keys read samples, which need no import.
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
    // The gateway serves clients at another address that receive their responses, also on one connection.
    for _ in 0..10 {
        assert_eq!(
            caller.get("/games?limit=100").await.text.len(),
            page.text.len()
        );
    }
    drop(held);
}
