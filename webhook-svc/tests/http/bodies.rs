//! Receivers whose response is slow, endless, partial or absent. The deadline ends each attempt, and its connection is closed.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::join_all;
use tokio::io::AsyncWriteExt as _;
use tokio::time::sleep;
use webhook::http::{AttemptOutcome, AttemptResult};

use super::receiver::{
    Authority, Behaviour, PATIENCE, Receiver, Stream, ping, ping_connected, request, sender,
};

/// A deadline that these receivers miss, but that leaves time to connect and read a byte.
const SOON: Duration = Duration::from_secs(2);

/// Reads the request, writes `first`, then repeats `then` with a pause.
fn writing(first: &'static str, then: &'static str, pause: Duration) -> Behaviour {
    Arc::new(move |mut stream: Stream| {
        async move {
            request(&mut stream).await?;
            stream.write_all(first.as_bytes()).await?;
            loop {
                stream.write_all(then.as_bytes()).await?;
                stream.flush().await?;
                sleep(pause).await;
            }
        }
        .boxed()
    })
}

/// Reads the request, writes `first`, then nothing until the sender closes the connection.
fn stopping(first: &'static str) -> Behaviour {
    Arc::new(move |mut stream: Stream| {
        async move {
            request(&mut stream).await?;
            stream.write_all(first.as_bytes()).await?;
            stream.flush().await?;
            request(&mut stream).await.map(drop)
        }
        .boxed()
    })
}

/// Reads the request, writes `first`, then closes the connection.
fn closing(first: &'static str) -> Behaviour {
    Arc::new(move |mut stream: Stream| {
        async move {
            request(&mut stream).await?;
            stream.write_all(first.as_bytes()).await?;
            stream.shutdown().await
        }
        .boxed()
    })
}

/// The result of a test event; returns after the connection is closed.
async fn answer(
    behaviour: Behaviour,
    answer_timeout: Duration,
    excerpt_timeout: Duration,
) -> AttemptResult {
    let authority = Authority::new();
    let mut receiver = Receiver::start(&authority, behaviour).await;
    let mut settings = authority.settings(&[&receiver]);
    settings.answer_timeout = answer_timeout;
    settings.excerpt_timeout = excerpt_timeout;
    let sender = sender(&settings, &receiver);
    let answer = ping_connected(&sender).await;
    receiver.ended().await;
    drop(sender);
    answer
}

#[tokio::test]
async fn a_response_after_the_deadline_is_a_failure() {
    let tick = Duration::from_millis(20);
    let receivers = [
        ("nothing", stopping("")),
        ("half a status line", stopping("HTTP/1.1 20")),
        ("half a head", stopping("HTTP/1.1 200 OK\r\ncontent-le")),
        ("one byte at a time", writing("HTTP/1.1 200 OK\r\na: ", "b", tick)),
        ("headers without an end", writing("HTTP/1.1 200 OK\r\n", "a: b\r\n", tick)),
        ("interim answers without an end", writing("", "HTTP/1.1 103 Early Hints\r\n\r\n", tick)),
    ];
    join_all(receivers.map(async |(what, behaviour)| {
        let answer = answer(behaviour, SOON, PATIENCE).await;
        assert_eq!(answer.outcome, AttemptOutcome::Failed, "{what}");
        assert_eq!(answer.reason.as_deref(), Some("did not answer within 2 seconds"), "{what}");
        assert_eq!(answer.status, None, "{what}");
        assert!(answer.duration >= SOON, "{what}");
    }))
    .await;
}

#[tokio::test]
async fn a_connection_that_closes_before_the_response_is_a_failure() {
    for first in ["", "HTTP/1.1 20", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n"] {
        let answer = answer(closing(first), PATIENCE, PATIENCE).await;
        assert_eq!(answer.outcome, AttemptOutcome::Failed, "{first}");
        assert_eq!(
            answer.reason.as_deref(),
            Some("closed the connection before it answered"),
            "{first}"
        );
    }
}

#[tokio::test]
async fn a_response_that_is_not_http_is_a_failure() {
    for first in [
        "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 two hundred\r\n\r\n",
        "HTTP/9.9 200 OK\r\n\r\n",
        "\u{0}\u{0}\u{0}\u{0}",
    ] {
        let answer = answer(stopping(first), PATIENCE, PATIENCE).await;
        assert_eq!(answer.outcome, AttemptOutcome::Failed, "{first}");
        assert_eq!(answer.reason.as_deref(), Some("its answer is not HTTP"), "{first}");
    }
}

#[tokio::test]
async fn a_body_neither_decides_nor_delays_the_outcome() {
    const LONG: &str = "HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n";
    const BEGUN: &str = "HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\na";
    const CHUNKED: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    const UNBOUNDED: &str = "HTTP/1.1 200 OK\r\n\r\n";
    let tick = Duration::from_millis(20);
    for (what, behaviour, excerpt_timeout, at_least) in [
        ("endless, fast", writing(LONG, "abcdefgh", Duration::ZERO), PATIENCE, 1024),
        ("endless, chunked", writing(CHUNKED, "8\r\nabcdefgh\r\n", Duration::ZERO), PATIENCE, 1024),
        ("endless, unbounded", writing(UNBOUNDED, "abcdefgh", Duration::ZERO), PATIENCE, 1024),
        // The head and the first byte arrive together, so that a pause of the machine cannot separate them.
        ("a byte at a time", writing(BEGUN, "a", tick), SOON, 1),
        ("announced, then nothing", stopping(LONG), SOON, 0),
        ("broken off", closing("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab"), PATIENCE, 2),
        (
            "broken chunk",
            closing("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"),
            PATIENCE,
            0,
        ),
    ] {
        let answer = answer(behaviour, PATIENCE, excerpt_timeout).await;
        assert_eq!(answer.outcome, AttemptOutcome::Delivered, "{what}");
        assert_eq!(answer.reason, None, "{what}");
        let length = answer.excerpt.len();
        assert!((at_least..=1024).contains(&length), "{what}: {length}");
    }
}

#[tokio::test]
async fn the_first_kilobyte_of_a_body_is_kept() {
    let authority = Authority::new();
    for length in [0_usize, 1, 1023, 1024, 1025, 5000] {
        let body: String = ('a'..='z').cycle().take(length).collect();
        let answer = format!("HTTP/1.1 500 Oh\r\ncontent-length: {length}\r\n\r\n{body}");
        let receiver = Receiver::answering(&authority, &answer).await;
        let sender = sender(&authority.settings(&[&receiver]), &receiver);
        let answer = ping(&sender).await;
        assert_eq!(answer.excerpt, &body.as_bytes()[..length.min(1024)]);
    }
}
