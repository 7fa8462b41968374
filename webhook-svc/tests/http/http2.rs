//! HTTP/2, where a receiver offers it.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::{FutureExt as _, poll};
use h2::SendStream;
use http::Response;
use tokio::task::JoinSet;
use webhook::http::AttemptOutcome;

use super::receiver::{
    Authority, Behaviour, PATIENCE, Receiver, Stream, good, ping, ping_connected, post_of, sender,
};

/// Answers each request with a head, then sends frames of a body until the sender resets the stream.
fn serving(piece: &'static [u8]) -> Behaviour {
    Arc::new(move |stream: Stream| {
        async move {
            let mut connection = h2::server::handshake(stream)
                .await
                .map_err(std::io::Error::other)?;
            let mut bodies = JoinSet::new();
            while let Some(Ok((request, mut respond))) = connection.accept().await {
                assert_eq!(request.headers()["user-agent"], "Mchezo-Webhooks/1");
                let ends = piece.is_empty();
                let Ok(body) = respond.send_response(Response::new(()), ends) else {
                    continue;
                };
                if !ends {
                    bodies.spawn(until_reset(body, piece));
                }
            }
            Ok(())
        }
        .boxed()
    })
}

async fn until_reset(mut body: SendStream<Bytes>, piece: &'static [u8]) {
    while body.send_data(Bytes::from_static(piece), false).is_ok() {
        tokio::task::yield_now().await;
        if poll!(poll_fn(|context| body.poll_reset(context))).is_ready() {
            return;
        }
    }
}

pub(crate) async fn receiver(authority: &Authority, behaviour: Behaviour) -> Receiver {
    let identity = authority.identity(&good());
    Receiver::start_as(identity, &[b"h2", b"http/1.1"], "127.0.0.1:0", behaviour).await
}

#[tokio::test]
async fn attempts_share_a_connection() {
    let authority = Authority::new();
    let receiver = receiver(&authority, serving(b"")).await;
    let sender = sender(&authority.settings(&[&receiver]), &receiver);
    assert_eq!(ping(&sender).await.outcome, AttemptOutcome::Delivered);
    let mut attempts = JoinSet::new();
    for _ in 0..50 {
        let sender = sender.clone();
        attempts.spawn(async move { ping(&sender).await.outcome });
    }
    for outcome in attempts.join_all().await {
        assert_eq!(outcome, AttemptOutcome::Delivered);
    }
    assert_eq!(receiver.connections(), 1);
}

#[tokio::test]
async fn a_body_without_an_end_does_not_block_its_connection() {
    let authority = Authority::new();
    let receiver = receiver(&authority, serving(&[b'a'; 2048])).await;
    let sender = sender(&authority.settings(&[&receiver]), &receiver);
    for _ in 0..20 {
        let answer = ping(&sender).await;
        assert_eq!(answer.outcome, AttemptOutcome::Delivered);
        assert_eq!(answer.excerpt.len(), 1024);
    }
    assert_eq!(receiver.connections(), 1);
}

#[tokio::test]
async fn a_connection_that_falls_silent_is_a_failure_in_time() {
    let authority = Authority::new();
    let silent: Behaviour = Arc::new(|stream: Stream| {
        async move {
            let mut connection = h2::server::handshake(stream)
                .await
                .map_err(std::io::Error::other)?;
            let accepted = connection.accept().await;
            // Nothing polls the connection from here on: it answers no ping either.
            tokio::time::sleep(PATIENCE).await;
            drop(accepted);
            Ok(())
        }
        .boxed()
    });
    let receiver = receiver(&authority, silent).await;
    let mut settings = authority.settings(&[&receiver]);
    // Longer than the handshake takes, and sooner than an unanswered ping.
    settings.answer_timeout = Duration::from_secs(2);
    let sender = sender(&settings, &receiver);
    let answer = ping_connected(&sender).await;
    assert_eq!(
        answer.reason.as_deref(),
        Some("did not answer within 2 seconds")
    );
}

/// Streams that a connection of [`stalling`] allows.
const STREAMS: u32 = 2;

/// Answers at once, except requests to `/stall`, which it never answers; allows few streams at a time.
fn stalling(stalled: &Arc<AtomicUsize>) -> Behaviour {
    let stalled = Arc::clone(stalled);
    Arc::new(move |stream: Stream| {
        let stalled = Arc::clone(&stalled);
        async move {
            let mut connection = h2::server::Builder::new()
                .max_concurrent_streams(STREAMS)
                .handshake::<_, Bytes>(stream)
                .await
                .map_err(std::io::Error::other)?;
            let mut unanswered = Vec::new();
            while let Some(Ok((request, mut respond))) = connection.accept().await {
                if request.uri().path() == "/stall" {
                    unanswered.push((request, respond));
                    stalled.fetch_add(1, Ordering::SeqCst);
                } else {
                    respond.send_response(Response::new(()), true).ok();
                }
            }
            drop(unanswered);
            Ok(())
        }
        .boxed()
    })
}

#[tokio::test]
async fn an_endpoint_that_stalls_its_streams_does_not_slow_another_at_the_same_host() {
    let authority = Authority::new();
    let stalled = Arc::new(AtomicUsize::new(0));
    let receiver = receiver(&authority, stalling(&stalled)).await;
    let sender = sender(&authority.settings(&[&receiver]), &receiver);
    // The first answer tells the sender how many streams the connection of this endpoint allows.
    let first = post_of(&sender, 1, "https://hooks.example/in").await;
    assert_eq!(first.outcome, AttemptOutcome::Delivered);
    let mut attempts = JoinSet::new();
    for _ in 0..STREAMS {
        let sender = sender.clone();
        attempts.spawn(async move { post_of(&sender, 1, "https://hooks.example/stall").await });
    }
    while stalled.load(Ordering::SeqCst) < usize::try_from(STREAMS).unwrap() {
        tokio::task::yield_now().await;
    }
    let other = post_of(&sender, 2, "https://hooks.example/in").await;
    assert_eq!(other.outcome, AttemptOutcome::Delivered, "{other:?}");
    assert!(
        attempts.try_join_next().is_none(),
        "the first endpoint still waits"
    );
    assert_eq!(receiver.connections(), 2);
}
