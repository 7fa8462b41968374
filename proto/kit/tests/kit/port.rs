//! The public port: both versions of HTTP on one listener, its limits, and draining.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};
use axum::{Extension, Router};
use bytes::Bytes;
use futures::StreamExt as _;
use http::StatusCode;
use http_body_util::{BodyExt as _, Empty, Full};
use hyper::client::conn::http2::handshake;
use hyper_util::rt::{TokioExecutor, TokioIo};
use kit::http_server::{PortLimits, serve};
use kit::overload::{ConcurrencyLimit, QueueSlot};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

const GET: &str = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";
/// The preface of HTTP/2 and an empty SETTINGS frame.
const HELLO_2: &str = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

struct Port {
    address: SocketAddr,
    draining: CancellationToken,
    server: JoinSet<()>,
}

impl Port {
    async fn open(router: Router, connections: u32) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let limits = PortLimits {
            http_connections: connections,
            http_head: testing::LONG,
            http_idle: testing::LONG,
        };
        let (draining, mut server) = (CancellationToken::new(), JoinSet::new());
        server.spawn(serve(listener, limits, draining.clone(), router));
        Self { address, draining, server }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// A new connection that has sent `text`.
    async fn send(&self, text: &str) -> TcpStream {
        let mut stream = self.connect().await;
        stream.write_all(text.as_bytes()).await.unwrap();
        stream
    }
}

/// Answers `here`.
fn router() -> Router {
    Router::new().route("/", get(async || "here"))
}

/// Reads to the end of the answer `here`.
async fn read_answer(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\nhere") {
        answer.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(answer).unwrap()
}

/// Whether the server has closed its side.
async fn is_closed(mut stream: TcpStream) -> bool {
    let mut rest = Vec::new();
    // A reset also ends the connection.
    let reading = stream.read_to_end(&mut rest);
    tokio::time::timeout(2 * testing::LONG, reading).await.is_ok()
}

#[tokio::test]
async fn both_versions_of_http_are_served() {
    let port = Port::open(router(), 9).await;
    let mut stream = port.send(GET).await;
    let answer = read_answer(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    // The connection stays open.
    stream.write_all(GET.repeat(3).as_bytes()).await.unwrap();
    for _ in 0..3 {
        read_answer(&mut stream).await;
    }

    let stream = TokioIo::new(port.connect().await);
    let (mut sender, connection) = handshake(TokioExecutor::new(), stream).await.unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(connection);
    let request = http::Request::get("http://x/").body(Empty::<Bytes>::new());
    let response = sender.send_request(request.unwrap()).await.unwrap();
    assert_eq!(response.version(), http::Version::HTTP_2);
    let body = response.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, "here");
}

/// A client that has sent so many keeps the others back (§8).
#[tokio::test]
async fn a_connection_of_http2_has_eight_concurrent_streams() {
    let port = Port::open(router(), 9).await;
    let (mut sender, connection) = h2::client::handshake(port.connect().await).await.unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(connection);
    // The server's settings come before its first response.
    let request = http::Request::get("http://x/").body(()).unwrap();
    let (response, _) = sender.send_request(request, true).unwrap();
    assert_eq!(response.await.unwrap().status(), 200);
    assert_eq!(sender.current_max_send_streams(), 8);
}

#[tokio::test]
async fn a_request_whose_end_is_in_doubt_is_the_last_of_its_connection() {
    let port = Port::open(router(), 9).await;
    let waits = "host: x\r\nexpect: 100-continue\r\ncontent-length: 9";
    for doubt in ["host: x\r\nhost: y", waits] {
        let head = format!("GET / HTTP/1.1\r\n{doubt}\r\n\r\n");
        let mut stream = port.send(&head).await;
        let answer = read_answer(&mut stream).await;
        assert!(answer.contains("connection: close\r\n"), "{answer}");
        assert!(is_closed(stream).await);
    }
    let mut stream = port.send(GET).await;
    let answer = read_answer(&mut stream).await;
    assert!(!answer.contains("connection: close"), "{answer}");
}

/// Otherwise a client would lose the next request of the connection.
#[tokio::test]
async fn a_connection_ends_with_a_body_that_was_not_read_whole_and_the_response_says_so() {
    let partly = async |body: Body| {
        let mut body = body.into_data_stream();
        drop(body.next().await);
        "here"
    };
    let read = async |body: Bytes| format!("{} here", body.len());
    let router = router()
        .route("/read", post(read))
        .route("/partly", post(partly))
        .layer(DefaultBodyLimit::max(100_000));
    let port = Port::open(router, 9).await;
    let send = async |line: &str, length: usize, is_chunked: bool| {
        let body = "x".repeat(length);
        let head = format!("{line} HTTP/1.1\r\nhost: x\r\n");
        let request = if is_chunked {
            format!("{head}transfer-encoding: chunked\r\n\r\n{length:x}\r\n{body}\r\n0\r\n\r\n")
        } else {
            format!("{head}content-length: {length}\r\n\r\n{body}")
        };
        let mut stream = port.connect().await;
        // The server may close the connection before it has read everything.
        let (reading, mut writing) = stream.split();
        let (sent, head) = tokio::join!(writing.write_all(request.as_bytes()), read_head(reading));
        drop(sent);
        let is_last = head.contains("\r\nconnection: close\r\n");
        (head[9..12].to_owned(), is_last, stream)
    };
    for (line, status, length) in [
        ("GET /", "200", 60_000),
        ("GET /", "200", 9),
        ("DELETE /", "405", 60_000),
        ("POST /nowhere", "404", 60_000),
        ("POST /read", "413", 300_000),
        ("POST /partly", "200", 300_000),
    ] {
        for is_chunked in [false, true] {
            let (answered, is_last, stream) = send(line, length, is_chunked).await;
            assert_eq!((&*answered, is_last), (status, true), "{line}, {length}");
            assert!(is_closed(stream).await);
        }
    }
    for is_chunked in [false, true] {
        let (status, is_last, mut stream) = send("POST /read", 60_000, is_chunked).await;
        assert_eq!((&*status, is_last), ("200", false));
        stream.write_all(GET.as_bytes()).await.unwrap();
        read_answer(&mut stream).await;
    }
}

/// A client of HTTP/1.0 asks to keep the connection (RFC 9112, C.2.2).
#[tokio::test]
async fn over_http_1_0_a_response_says_whether_the_connection_is_kept() {
    let port = Port::open(router(), 9).await;
    for (head, kept) in [("", false), ("connection: keep-alive\r\n", true)] {
        let mut stream = port.send(&format!("GET / HTTP/1.0\r\n{head}\r\n")).await;
        let answer = read_answer(&mut stream).await;
        assert_eq!(answer.contains("connection: keep-alive\r\n"), kept);
        if kept {
            stream.write_all(GET.as_bytes()).await.unwrap();
            read_answer(&mut stream).await;
        } else {
            assert!(is_closed(stream).await);
        }
    }
    // The body of a GET is not read.
    let unread = "GET / HTTP/1.0\r\nconnection: keep-alive\r\ncontent-length: 9\r\n\r\n";
    let mut stream = port.send(unread).await;
    let answer = read_answer(&mut stream).await;
    assert!(answer.contains("connection: close\r\n"), "{answer}");
    assert!(is_closed(stream).await);
}

#[tokio::test]
async fn over_http2_a_body_that_is_not_read_ends_its_stream_alone() {
    let port = Port::open(router(), 9).await;
    let stream = TokioIo::new(port.connect().await);
    let (mut sender, connection) = handshake(TokioExecutor::new(), stream).await.unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(connection);
    for (method, length) in [("DELETE", 60_000), ("GET", 60_000), ("GET", 0)] {
        let body = Full::new(Bytes::from(vec![b'x'; length]));
        let request = http::Request::builder().method(method).uri("http://x/");
        sender.ready().await.unwrap();
        let response = sender.send_request(request.body(body).unwrap());
        assert!(response.await.unwrap().headers().get("connection").is_none());
    }
}

#[tokio::test]
async fn a_connection_whose_requests_wait_takes_one_place_in_the_queue() {
    let limit = Arc::new(ConcurrencyLimit::with_queue("a test", 1, 2));
    let (held, waits) = (limit.try_acquire().unwrap(), Arc::new(Notify::new()));
    let handler = get({
        let (limit, waits) = (Arc::clone(&limit), Arc::clone(&waits));
        async move |Extension(slot): Extension<QueueSlot>| {
            let mut permit = pin!(limit.acquire_in(Some(&slot), testing::LONG));
            let polled = futures::poll!(permit.as_mut());
            waits.notify_one();
            let is_shed = polled.is_ready() || permit.await.is_err();
            if is_shed { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK }
        }
    });
    let port = Port::open(Router::new().route("/", handler), 9).await;
    let (mut tasks, mut responses) = (JoinSet::new(), JoinSet::new());
    for requests in [3, 1] {
        let stream = TokioIo::new(port.connect().await);
        let (mut sender, connection) = handshake(TokioExecutor::new(), stream).await.unwrap();
        tasks.spawn(connection);
        for _ in 0..requests {
            let request = http::Request::get("http://x/").body(Empty::<Bytes>::new());
            responses.spawn(sender.send_request(request.unwrap()));
            waits.notified().await;
        }
    }
    drop(held);
    for response in responses.join_all().await {
        assert_eq!(response.unwrap().status(), StatusCode::OK);
    }
}

#[tokio::test]
async fn a_client_of_http2_is_told_of_the_end_of_its_connection() {
    // A GOAWAY frame without an error, before its last stream.
    const GOAWAY: [u8; 9] = [0, 0, 8, 7, 0, 0, 0, 0, 0];
    let port = Port::open(router(), 9).await;
    let mut stream = port.send(HELLO_2).await;
    let mut read = vec![stream.read_u8().await.unwrap()];
    port.draining.cancel();
    while !read.ends_with(&GOAWAY) {
        read.push(stream.read_u8().await.unwrap());
    }
}

/// Reads the head of a response.
async fn read_head(mut stream: impl AsyncRead + Unpin) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(head).unwrap()
}

/// It answers PINGs, so that it is not taken for lost.
#[tokio::test]
async fn an_http2_client_that_takes_nothing_of_a_response_loses_its_connection() {
    let port = Port::open(router(), 9).await;
    let stream = TokioIo::new(port.connect().await);
    let builder = hyper::client::conn::http2::Builder::new(TokioExecutor::new())
        .initial_stream_window_size(0)
        .clone();
    let (mut sender, connection) = builder.handshake(stream).await.unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(connection);
    let request = http::Request::get("http://x/").body(Empty::<Bytes>::new());
    let response = sender.send_request(request.unwrap()).await.unwrap();
    assert_eq!(response.status(), 200);
    // With paused time, timers fire when all tasks wait.
    tokio::time::pause();
    let ended = tokio::time::timeout(2 * testing::LONG, tasks.join_next());
    assert!(ended.await.is_ok(), "the connection is still open");
}

#[tokio::test]
async fn connections_without_a_request_are_closed() {
    let port = Port::open(router(), 9).await;
    let mut idle = port.send(GET).await;
    read_answer(&mut idle).await;
    let silent = [
        port.connect().await,
        port.send("GET / HTTP/1.1\r\nho").await,
        port.send("PRI * HTTP/").await,
        port.send(HELLO_2).await,
    ];
    // With paused time, timers fire when all tasks wait.
    tokio::time::pause();
    assert!(is_closed(idle).await);
    for stream in silent {
        assert!(is_closed(stream).await);
    }
}

#[tokio::test]
async fn a_connection_beyond_the_limit_waits_for_another_to_end() {
    let port = Port::open(router(), 1).await;
    let mut first = port.send(GET).await;
    read_answer(&mut first).await;
    let mut second = port.send(GET).await;
    let mut waiting = Box::pin(read_answer(&mut second));
    // Meanwhile the server answers requests on the first connection.
    for _ in 0..3 {
        first.write_all(GET.as_bytes()).await.unwrap();
        read_answer(&mut first).await;
        assert!(futures::poll!(&mut waiting).is_pending());
    }
    drop(first);
    waiting.await;
}

#[tokio::test]
async fn draining_finishes_running_requests_and_closes_idle_connections() {
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (notify, wait) = (Arc::clone(&begun), Arc::clone(&go_on));
    let slow = get(async move || {
        notify.notify_one();
        wait.notified().await;
        "here"
    });
    let mut port = Port::open(router().route("/slow", slow), 9).await;
    let mut idle = port.send(GET).await;
    read_answer(&mut idle).await;
    let mut running = port.send("GET /slow HTTP/1.1\r\nhost: x\r\n\r\n").await;
    begun.notified().await;
    port.draining.cancel();
    assert!(is_closed(idle).await);
    go_on.notify_one();
    read_answer(&mut running).await;
    assert!(is_closed(running).await);
    port.server.join_next().await.unwrap().unwrap();
    assert!(TcpStream::connect(port.address).await.is_err());
}

#[tokio::test]
async fn a_client_that_still_sends_gets_its_response() {
    let port = Port::open(router(), 9).await;
    let head = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 8000000\r\n\r\n";
    let all = [head.as_bytes(), &vec![b'x'; 8_000_000]].concat();
    let send = async || {
        let mut stream = port.connect().await;
        stream.write_all(&all).await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        Ok::<_, std::io::Error>(answer)
    };
    // The server reads for one second what the client still sends. Retry, because a busy machine may pause for longer.
    let answer = testing::eventually("a response", async || send().await.ok()).await;
    assert!(answer.starts_with("HTTP/1.1 405 "), "{answer}");
}
