//! Sequential and pipelined requests on one HTTP/1.1 connection.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::routing::{get, post};
use futures::StreamExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;

use crate::port::{PATIENT, Port};

/// The timeout of a test.
const GIVE_UP: Duration = Duration::from_mins(2);

type Pieces = mpsc::UnboundedSender<&'static str>;

/// A port, and a sender of the body of `/pieces`.
async fn open() -> (Port, Pieces) {
    let (pieces, received) = mpsc::unbounded_channel();
    let received = Arc::new(Mutex::new(Some(received)));
    let streamed = move || {
        let received = received.lock().unwrap().take().unwrap();
        let stream = UnboundedReceiverStream::new(received);
        async { Body::from_stream(stream.map(Ok::<_, std::io::Error>)) }
    };
    let router = Router::new()
        .route("/", get(async || "here"))
        .route("/pieces", get(streamed))
        .route("/said", post(async |body: String| body));
    (Port::open(router, PATIENT, 100).await, pieces)
}

struct Client(TcpStream);

impl Client {
    async fn to(port: &Port) -> Self {
        Self(TcpStream::connect(port.address).await.unwrap())
    }

    async fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.unwrap();
    }

    /// Reads until the received text ends with `end`.
    async fn read_to(&mut self, end: &str) -> String {
        let mut came = Vec::new();
        let reading = async {
            while !came.ends_with(end.as_bytes()) {
                came.push(self.0.read_u8().await.unwrap());
            }
        };
        let outcome = tokio::time::timeout(GIVE_UP, reading).await;
        let came = String::from_utf8(came).unwrap();
        assert!(outcome.is_ok(), "no {end} in {came}");
        came
    }
}

const GET: &str = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";

#[tokio::test]
async fn a_connection_is_used_again_and_again() {
    let (port, _pieces) = open().await;
    let mut client = Client::to(&port).await;
    for length in 1..50 {
        client.send(GET).await;
        client.read_to("\r\n\r\nhere").await;
        let said = "x".repeat(length);
        let post = format!("POST /said HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n");
        client.send(&post).await;
        client.send(&said).await;
        client.read_to(&format!("\r\n\r\n{said}")).await;
    }
}

#[tokio::test]
async fn pipelined_requests_are_all_answered() {
    let (port, _pieces) = open().await;
    let mut client = Client::to(&port).await;
    for _ in 0..20 {
        client.send(&GET.repeat(5)).await;
        for _ in 0..5 {
            client.read_to("\r\n\r\nhere").await;
        }
    }
}

#[tokio::test]
async fn a_head_that_arrives_with_the_previous_request_is_not_lost() {
    let (port, _pieces) = open().await;
    for cut in 1..GET.len() {
        let (begin, rest) = GET.split_at(cut);
        let mut client = Client::to(&port).await;
        client.send(&format!("{GET}{begin}")).await;
        client.read_to("\r\n\r\nhere").await;
        client.send(rest).await;
        client.read_to("\r\n\r\nhere").await;
    }
}

#[tokio::test]
async fn a_streamed_response_is_sent_completely() {
    let (port, pieces) = open().await;
    let mut client = Client::to(&port).await;
    client.send("GET /pieces HTTP/1.1\r\nhost: x\r\n\r\n").await;
    for piece in ["bao", "oware", "morabaraba"] {
        pieces.send(piece).unwrap();
        client.read_to(&format!("{piece}\r\n")).await;
    }
    drop(pieces);
    client.read_to("0\r\n\r\n").await;
    client.send(GET).await;
    client.read_to("\r\n\r\nhere").await;
}
