//! Slow and silent clients, and clients that receive nothing: each is disconnected in time, and others are not affected.

use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::routing::get;
use contracts::gateway::v1::CreateKeyRequest;
use kit::http_server::Timeouts;
use sqlx::PgPool;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use crate::port::Port;
use crate::support::{LONG, Test, TestConfig, account_key};

/// As short as the tests allow, which wait for them: longer than a slow machine takes to read a request that is there. The deadlines
/// themselves are tested in `http_server/timeouts.rs` of the kit.
const SHORT: Timeouts = Timeouts {
    http_head: Duration::from_secs(12),
    http_body: Duration::from_secs(12),
    http_idle: Duration::from_secs(14),
    http_write: Duration::from_secs(14),
};
/// More than the kernel buffers.
const LARGE: usize = 32 * 1024 * 1024;

async fn open() -> Port {
    let router = Router::new()
        .route("/", get(async || "here"))
        .route("/large", get(async || Bytes::from(vec![b'x'; LARGE])));
    Port::open(router, SHORT, 300).await
}

/// The beginning of an HTTP/2 connection.
const HELLO_2: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/// A PING frame.
const PING_2: &[u8] = b"\0\0\x08\x06\0\0\0\0\0pingping";

/// An HTTP/2 connection with a GET of the path, whose client has a receive window of this size.
fn get_2(path: &str, window: u32) -> Vec<u8> {
    let length = |text: &[u8]| u8::try_from(text.len()).unwrap();
    let settings = [b"\0\x04", &window.to_be_bytes()[..]].concat();
    let path = [b"\x04", &[length(path.as_bytes())][..], path.as_bytes()].concat();
    let head = [b"\x82\x86\x41\x01x", &path[..]].concat();
    [
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        &[b"\0\0\x06\x04\0\0\0\0\0", &settings[..]].concat()[..],
        b"\0\0\x04\x08\0\0\0\0\0\x7f\0\0\0",
        &[&[0, 0, length(&head)], &b"\x01\x05\0\0\0\x01"[..], &head].concat(),
    ]
    .concat()
}

/// Sends `at_once`, then `again` repeatedly, until the server closes the connection. Returns what the server sent.
async fn until_closed(port: &Port, at_once: &[u8], again: &[u8]) -> String {
    let (mut read, mut write) = TcpStream::connect(port.address).await.unwrap().into_split();
    let sending = async {
        write.write_all(at_once).await?;
        let mut pace = tokio::time::interval(Duration::from_millis(50));
        while !again.is_empty() {
            pace.tick().await;
            write.write_all(again).await?;
        }
        std::future::pending::<std::io::Result<()>>().await
    };
    let mut said = Vec::new();
    let reading = async {
        // A reset also ends the connection.
        drop(read.read_to_end(&mut said).await);
    };
    let closed = async {
        tokio::select! {
            // What has arrived is read even if the connection has been reset since.
            biased;
            () = reading => {}
            // The server has closed the connection while we send.
            _ = sending => {}
        }
    };
    let closed = tokio::time::timeout(LONG, closed).await;
    assert!(
        closed.is_ok(),
        "still open: {:?}",
        String::from_utf8_lossy(at_once)
    );
    String::from_utf8_lossy(&said).into_owned()
}

/// A description, what the client sends at once and then repeatedly, and the number of responses.
type Slow<'a> = (&'static str, &'a [u8], &'a [u8], usize);

#[rustfmt::skip]
const SLOW: &[Slow<'_>] = &[
    ("says nothing", b"", b"", 0),
    ("says half a word of HTTP/2", b"PRI * HTTP/", b"", 0),
    ("speaks HTTP/2 and asks for nothing", HELLO_2, b"", 0),
    ("pings for ever", HELLO_2, PING_2, 0),
    ("settles settings for ever", HELLO_2, b"\0\0\0\x04\0\0\0\0\0", 0),
    ("stops in the middle of a frame", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0\0\0\x09\x01\x04", b"", 0),
    ("stops in the middle of a head", b"GET / HTTP/1.1\r\nho", b"", 0),
    ("sends a head byte by byte", b"GET / HTTP/1.1\r\nx: ", b"x", 0),
    ("sends empty lines for ever", b"\r\n", b"\r\n", 0),
    ("stays after its response", b"GET / HTTP/1.1\r\nhost: x\r\n\r\n", b"", 1),
    ("stops in the middle of its second head", b"GET / HTTP/1.1\r\nhost: x\r\n\r\nGET / HT", b"", 1),
    ("sends its second head byte by byte", b"GET / HTTP/1.1\r\nhost: x\r\n\r\nGET /", b"x", 1),
    ("sends no body", b"GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n", b"", 1),
    ("sends a body byte by byte", b"GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 9999\r\n\r\n", b"x", 1),
    ("sends chunks byte by byte", b"GET / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n", b"1\r\nx\r\n", 1),
];

#[tokio::test]
async fn slow_clients_are_disconnected_and_others_are_served() {
    let port = open().await;
    let all_taken = until_closed(&port, &get_2("/", 9), PING_2).await;
    assert!(all_taken.contains("here"), "{all_taken:?}");
    let nothing_taken = get_2("/", 0);
    let over_http2 = (
        "takes nothing of its response over HTTP/2",
        &*nothing_taken,
        PING_2,
        0,
    );
    let slow = SLOW
        .iter()
        .chain([&over_http2])
        .map(async |(who, at_once, again, responses)| {
            let said = until_closed(&port, at_once, again).await;
            assert_eq!(
                said.matches("HTTP/1.1 200 OK").count(),
                *responses,
                "one that {who}: {said}"
            );
            assert!(!said.contains(" 500 "), "one that {who}: {said}");
        });
    let crowd = (0..200).map(async |_| until_closed(&port, b"", b"").await);
    let slow = futures::future::join(
        futures::future::join_all(slow),
        futures::future::join_all(crowd),
    );
    let mut slow = std::pin::pin!(slow);
    let mut served = 0;
    loop {
        tokio::select! {
            biased;
            _ = slow.as_mut() => break,
            said = until_closed(&port, b"GET / HTTP/1.0\r\n\r\n", b"") => assert!(said.ends_with("here"), "{said}"),
        }
        served += 1;
    }
    assert!(served > 0);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_slow_or_endless_body_is_rejected(pool: PgPool) {
    let with = TestConfig {
        body_timeout: SHORT.http_body,
        ..TestConfig::default()
    };
    let test = Test::with(pool, with).await;
    let account = test.account("free").await;
    let request = CreateKeyRequest {
        may_write: true,
        ..account_key(&account, "test")
    };
    let key = test.key_like(request).await.unwrap();
    let port = Port::open(test.router.clone(), SHORT, 300).await;
    let head = format!(
        "POST /v1/games HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n",
        key.secret
    );
    let slow = format!("{head}content-length: 9\r\n\r\nslow");
    let said = until_closed(&port, slow.as_bytes(), b"").await;
    assert!(said.contains("connection: close"), "{said}");
    assert!(said.contains("\"code\":\"bad_json\""), "{said}");
    assert!(said.contains("The body came too slowly"), "{said}");
    assert!(said.contains("within 12s"), "{said}");

    let endless = format!("{head}transfer-encoding: chunked\r\n\r\n");
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x1_0000));
    let said = until_closed(&port, endless.as_bytes(), chunk.as_bytes()).await;
    assert!(said.contains("connection: close"), "{said}");
    assert!(said.contains("\"code\":\"too_large\""), "{said}");
}

#[tokio::test]
async fn a_client_that_does_not_receive_is_disconnected() {
    let port = open().await;
    let over_http1 = b"GET /large HTTP/1.1\r\nhost: x\r\n\r\n".to_vec();
    let over_http2 = get_2("/large", i32::MAX.cast_unsigned());
    for (asks, again) in [(over_http1, &b"\r\n"[..]), (over_http2, PING_2)] {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4_096).unwrap();
        let mut stream = socket.connect(port.address).await.unwrap();
        stream.write_all(&asks).await.unwrap();
        // The server's end is seen without reading: it hangs up in the middle, so that writing fails.
        let refused = async {
            let mut pace = tokio::time::interval(Duration::from_millis(50));
            while stream.write_all(again).await.is_ok() {
                pace.tick().await;
            }
        };
        tokio::time::timeout(LONG, refused)
            .await
            .expect("the connection is still open");
        let mut taken = Vec::new();
        drop(stream.read_to_end(&mut taken).await);
        assert!(taken.len() > 1_000, "nothing of it came");
        assert!(taken.len() < LARGE, "it was all taken");
    }
}

#[tokio::test]
async fn a_client_that_still_sends_gets_its_response() {
    let port = open().await;
    let head = "GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 8000000\r\n\r\n";
    let all = [head.as_bytes(), &vec![b'x'; 8_000_000]].concat();
    let send = async || {
        let mut stream = TcpStream::connect(port.address).await?;
        stream.write_all(&all).await?;
        let mut said = String::new();
        stream.read_to_string(&mut said).await?;
        Ok::<_, std::io::Error>(said)
    };
    // The server reads for a second what still comes. A machine that pauses for so long needs another try.
    let said = testing::eventually("a response", async || send().await.ok()).await;
    assert!(
        said.starts_with("HTTP/1.1 200 OK") && said.ends_with("here"),
        "{said}"
    );
}
