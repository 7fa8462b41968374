//! Receivers that close connections and refuse streams as a matter of course: every delivery arrives with its first attempt, and once.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::{FutureExt as _, StreamExt as _, stream};
use h2::Reason;
use http::Response;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use webhook::http::{AttemptOutcome, Sender};

use super::http2::receiver;
use super::receiver::{Authority, Behaviour, Receiver, Stream, ping, request, sender};

const DELIVERIES: usize = 300;
/// The default of `WEBHOOK_IN_FLIGHT_PER_ENDPOINT`.
const IN_FLIGHT: usize = 64;

/// Sends this many deliveries, one attempt each; returns how many failed for which reason.
pub(crate) async fn failures(sender: &Sender, deliveries: usize) -> BTreeMap<String, usize> {
    let attempts = stream::iter(0..deliveries).map(|_| {
        let sender = sender.clone();
        async move {
            tokio::spawn(async move { ping(&sender).await })
                .await
                .unwrap()
        }
    });
    attempts
        .buffer_unordered(IN_FLIGHT)
        .filter_map(async |attempt| attempt.reason)
        .fold(BTreeMap::new(), async |mut failures, reason| {
            *failures.entry(reason).or_default() += 1;
            failures
        })
        .await
}

/// Frames of HTTP/2 (RFC 9113, 4.1 and 6).
mod frame {
    pub(super) const PREFACE: usize = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".len();
    pub(super) const DATA: u8 = 0x0;
    pub(super) const HEADERS: u8 = 0x1;
    pub(super) const SETTINGS: u8 = 0x4;
    pub(super) const PING: u8 = 0x6;
    pub(super) const GOAWAY: u8 = 0x7;
    pub(super) const ACK: u8 = 0x1;
    pub(super) const END_STREAM: u8 = 0x1;
    pub(super) const END_HEADERS: u8 = 0x4;
    /// `:status: 200`, entry 8 of the static table of HPACK.
    pub(super) const STATUS_200: &[u8] = &[0x88];

    pub(super) fn new(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        let mut frame = length[1..].to_vec();
        frame.extend([kind, flags]);
        frame.extend(stream.to_be_bytes());
        frame.extend(payload);
        frame
    }
}

/// Answers the first requests of each connection, says which one is the last (GOAWAY), and ignores the others, as nginx does after
/// `keepalive_requests`.
fn going_away_after(most: usize, answered: &Arc<AtomicUsize>) -> Behaviour {
    let answered = Arc::clone(answered);
    Arc::new(move |mut stream: Stream| {
        let answered = Arc::clone(&answered);
        async move {
            stream.read_exact(&mut [0; frame::PREFACE]).await?;
            let settings = frame::new(frame::SETTINGS, 0, 0, &[]);
            stream.write_all(&settings).await?;
            let (mut accepted, mut last) = (0, 0);
            loop {
                let mut head = [0; 9];
                stream.read_exact(&mut head).await?;
                let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
                let mut payload = vec![0; usize::try_from(length).unwrap()];
                stream.read_exact(&mut payload).await?;
                let (kind, flags) = (head[3], head[4]);
                let id = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
                match kind {
                    frame::SETTINGS | frame::PING if flags & frame::ACK == 0 => {
                        let payload = if kind == frame::PING {
                            &payload[..]
                        } else {
                            &[]
                        };
                        let ack = frame::new(kind, frame::ACK, 0, payload);
                        stream.write_all(&ack).await?;
                    }
                    frame::HEADERS if accepted < most => {
                        (accepted, last) = (accepted + 1, id);
                        if accepted == most {
                            let mut payload = id.to_be_bytes().to_vec();
                            payload.extend(u32::from(Reason::NO_ERROR).to_be_bytes());
                            let goaway = frame::new(frame::GOAWAY, 0, 0, &payload);
                            stream.write_all(&goaway).await?;
                        }
                    }
                    frame::DATA if flags & frame::END_STREAM != 0 && id <= last => {
                        answered.fetch_add(1, Ordering::SeqCst);
                        let flags = frame::END_HEADERS | frame::END_STREAM;
                        let answer = frame::new(frame::HEADERS, flags, id, frame::STATUS_200);
                        stream.write_all(&answer).await?;
                    }
                    _ => {}
                }
                stream.flush().await?;
            }
        }
        .boxed()
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_that_goes_away_after_five_streams_gets_each_delivery_once() {
    let authority = Authority::new();
    let answered = Arc::new(AtomicUsize::new(0));
    let receiver = receiver(&authority, going_away_after(5, &answered)).await;
    let sender = sender(&authority.settings(&[&receiver]), &receiver);
    let failures = failures(&sender, DELIVERIES).await;
    assert_eq!(failures, BTreeMap::new());
    assert_eq!(answered.load(Ordering::SeqCst), DELIVERIES);
}

/// Refuses streams; answers each `answer_every`th one, none if that is 0.
fn refusing(answer_every: usize, answered: &Arc<AtomicUsize>) -> Behaviour {
    let answered = Arc::clone(answered);
    Arc::new(move |stream: Stream| {
        let answered = Arc::clone(&answered);
        async move {
            let connection = h2::server::handshake(stream).await;
            let mut connection = connection.map_err(io::Error::other)?;
            let mut streams = 0;
            while let Some(Ok((_, mut respond))) = connection.accept().await {
                streams += 1;
                if answer_every > 0 && streams % answer_every == 0 {
                    answered.fetch_add(1, Ordering::SeqCst);
                    respond.send_response(Response::new(()), true).ok();
                } else {
                    respond.send_reset(Reason::REFUSED_STREAM);
                }
            }
            Ok(())
        }
        .boxed()
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_that_refuses_every_second_stream_gets_each_delivery_once() {
    let authority = Authority::new();
    let answered = Arc::new(AtomicUsize::new(0));
    let receiver = receiver(&authority, refusing(2, &answered)).await;
    let sender = sender(&authority.settings(&[&receiver]), &receiver);
    let failures = failures(&sender, DELIVERIES).await;
    assert_eq!(failures, BTreeMap::new());
    assert_eq!(answered.load(Ordering::SeqCst), DELIVERIES);
}

#[tokio::test]
async fn the_reason_names_what_a_receiver_did_until_the_deadline() {
    let authority = Authority::new();
    let receiver = receiver(&authority, refusing(0, &Arc::default())).await;
    let mut settings = authority.settings(&[&receiver]);
    settings.answer_timeout = Duration::from_secs(2);
    let sender = sender(&settings, &receiver);
    // A busy machine may make the first connection just before the deadline.
    let reason = testing::eventually("a refused request", async || {
        let attempt = ping(&sender).await;
        assert_eq!(attempt.outcome, AttemptOutcome::Failed);
        attempt
            .reason
            .filter(|reason| reason.contains("before that"))
    });
    let reason = reason.await;
    let cause = "did not answer within 2 seconds; before that it refused the request without processing it \
                 (HTTP/2 REFUSED_STREAM), ";
    assert!(reason.starts_with(cause), "{reason}");
}

/// Answers one request of HTTP/1.1 on each connection, and closes it, without having said so, when the next one arrives.
fn closing(answered: &Arc<AtomicUsize>) -> Behaviour {
    let answered = Arc::clone(answered);
    Arc::new(move |mut stream: Stream| {
        let answered = Arc::clone(&answered);
        async move {
            if request(&mut stream).await?.is_some() {
                answered.fetch_add(1, Ordering::SeqCst);
                let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
                stream.write_all(answer).await?;
                stream.flush().await?;
            }
            request(&mut stream).await.map(drop)
        }
        .boxed()
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_that_answers_once_on_a_connection_gets_each_delivery_once() {
    let authority = Authority::new();
    let answered = Arc::new(AtomicUsize::new(0));
    let receiver = Receiver::start(&authority, closing(&answered)).await;
    let sender = sender(&authority.settings(&[&receiver]), &receiver);
    let failures = failures(&sender, DELIVERIES).await;
    assert_eq!(failures, BTreeMap::new());
    assert_eq!(answered.load(Ordering::SeqCst), DELIVERIES);
}
