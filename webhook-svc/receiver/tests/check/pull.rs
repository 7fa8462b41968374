//! `webhook-listen --api` between a stub of the API and a receiver.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use bytes::Bytes;
use hyper::body::Frame;
use receiver::signature::Secrets as ReceiverSecrets;
use receiver::{clock, signed_headers};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use uuid::Uuid;
use webhook::domain::signature::Secret as ServiceSecret;
use webhook::domain::signed_headers::{Secrets, UnsignedMessage, sign};

use super::process::{SECRET, program};

const KEY: &str = "svc_live_AbCdEfGhIjKlMnOpQrStUvWxYz012345678901";
/// For giving up, not for measuring.
const PATIENCE: Duration = Duration::from_mins(3);

/// The API and a receiver in one: messages are the numbers up to `head`, and a cursor is `c` and a number.
#[derive(Default)]
struct World {
    head: usize,
    /// Statuses that the API answers with before it lists messages; after a 200, the response breaks off.
    failures: Vec<u16>,
    /// Messages that the receiver refuses, each as often as it is here.
    refused: Vec<usize>,
    /// Messages that the receiver can never work on.
    broken: Vec<usize>,
    /// The bodies that the receiver has accepted.
    accepted: Vec<String>,
    attempts: usize,
    queries: Vec<String>,
}

type Shared = Arc<Mutex<World>>;

struct Stub {
    shared: Shared,
    origin: String,
    _server: JoinSet<()>,
}

fn body(number: usize) -> String {
    format!(r#"{{"id":"{number}", "event":"listing.updated","n":{number}}}"#)
}

/// A body that breaks off.
enum Broken {
    Begins,
    /// The head and the first part are sent meanwhile.
    Pauses,
    Breaks,
}

impl hyper::body::Body for Broken {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match *self {
            Self::Begins => {
                *self = Self::Pauses;
                let part = Bytes::from_static(b"{\"success\": true, ");
                Poll::Ready(Some(Ok(Frame::data(part))))
            }
            Self::Pauses => {
                *self = Self::Breaks;
                context.waker().wake_by_ref();
                Poll::Pending
            }
            Self::Breaks => Poll::Ready(Some(Err(io::Error::other("a test")))),
        }
    }
}

async fn list(
    State(shared): State<Shared>,
    Query(query): Query<Vec<(String, String)>>,
    headers: HeaderMap,
) -> Response {
    let mut world = shared.lock().unwrap();
    let begin = query.iter().find(|(name, _)| name != "limit").unwrap();
    world.queries.push(format!("{}={}", begin.0, begin.1));
    assert_eq!(headers["authorization"], format!("Bearer {KEY}"));
    if !world.failures.is_empty() {
        let status = StatusCode::from_u16(world.failures.remove(0)).unwrap();
        if status == StatusCode::OK {
            return Body::new(Broken::Begins).into_response();
        }
        let error = json!({"success": false, "error": {"code": "gone", "message": "Start again."}});
        return (status, [("retry-after", "1")], error.to_string()).into_response();
    }
    let after = match begin.0.as_str() {
        "after" => begin.1.strip_prefix('c').unwrap().parse().unwrap(),
        _ if begin.1 == "now" => world.head,
        _ => 0,
    };
    let until = world.head.min(after + 2);
    let rows: Vec<_> = (after + 1..=until)
        .map(|number| {
            json!({"cursor": format!("c{number}"), "id": number.to_string(), "event": "listing.updated", "body": body(number)})
        })
        .collect();
    let page = json!({"success": true, "data": rows, "meta": {"next_cursor": format!("c{until}"), "total": rows.len()}});
    page.to_string().into_response()
}

async fn receive(State(shared): State<Shared>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let secret: ReceiverSecrets = SECRET.parse().unwrap();
    if secret.verify(&headers, &body, clock::now()).is_err() {
        return StatusCode::UNAUTHORIZED;
    }
    let mut world = shared.lock().unwrap();
    world.attempts += 1;
    let number: usize = headers["x-service-delivery"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    if world.broken.contains(&number) {
        return StatusCode::INTERNAL_SERVER_ERROR;
    }
    if let Some(place) = world.refused.iter().position(|refused| *refused == number) {
        world.refused.remove(place);
        return StatusCode::SERVICE_UNAVAILABLE;
    }
    world.accepted.push(String::from_utf8(body.into()).unwrap());
    StatusCode::NO_CONTENT
}

impl Stub {
    async fn start() -> Self {
        let shared = Shared::default();
        let app = Router::new()
            .route("/v1/webhooks/messages", get(list))
            .route("/in", post(receive))
            .with_state(Arc::clone(&shared));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self {
            shared,
            origin,
            _server: server,
        }
    }

    fn set(&self, change: impl FnOnce(&mut World)) {
        change(&mut self.shared.lock().unwrap());
    }

    fn command(&self, state: &Path) -> Command {
        let mut command = Command::new(program("webhook-listen"));
        command
            .args(["--api", &format!("{}/v1", self.origin), "--interval", "1"])
            .args(["--forward-to", &format!("{}/in", self.origin)])
            .arg("--state")
            .arg(state)
            .env("SERVICE_API_KEY", KEY)
            .env("SERVICE_WEBHOOK_SECRET", SECRET)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    async fn until(&self, what: &str, holds: impl Fn(&World) -> bool) {
        let waited = tokio::time::timeout(PATIENCE, async {
            while !holds(&self.shared.lock().unwrap()) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        assert!(waited.await.is_ok(), "gave up waiting until {what}");
    }

    fn accepted(&self) -> Vec<String> {
        self.shared.lock().unwrap().accepted.clone()
    }
}

/// Kills it, and returns what it has printed.
fn kill(mut child: Child) -> String {
    child.kill().unwrap();
    printed(&child.wait_with_output().unwrap())
}

fn printed(output: &Output) -> String {
    let text = [output.stdout.clone(), output.stderr.clone()].concat();
    let text = String::from_utf8(text).unwrap();
    assert!(
        !text.contains("AbCdEf") && !text.contains("whsec_"),
        "{text}"
    );
    text
}

#[tokio::test]
async fn messages_are_forwarded_in_order_once_across_restarts() {
    let (stub, folder) = (Stub::start().await, tempfile::tempdir().unwrap());
    let state = folder.path().join("state");
    stub.set(|world| world.head = 3);
    let child = stub.command(&state).spawn().unwrap();
    // It begins with now, and remembers that before the first message.
    stub.until("it asks after the first cursor", |world| {
        world.queries.iter().any(|query| query == "after=c3")
    })
    .await;
    stub.set(|world| {
        world.head = 8;
        world.failures = vec![503, 200];
        world.refused = vec![5, 5];
    });
    stub.until("five messages are forwarded", |world| {
        world.accepted.len() == 5
    })
    .await;
    let asked_at_end = |world: &World| world.queries.last().is_some_and(|last| last == "after=c8");
    stub.until("it asks for more", asked_at_end).await;
    let text = kill(child);
    assert!(
        text.contains("listing.updated 5 503; again in 1 s"),
        "{text}"
    );
    assert!(text.contains("listing.updated 8 204"), "{text}");
    assert!(
        text.contains("503 gone: Start again.; next call in 1 s"),
        "{text}"
    );
    assert!(text.contains("the response broke off"), "{text}");
    assert_eq!(stub.shared.lock().unwrap().queries[0], "since=now");

    stub.set(|world| world.head = 11);
    let child = stub.command(&state).spawn().unwrap();
    stub.until("the others are forwarded", |world| {
        world.accepted.len() == 8
    })
    .await;
    kill(child);
    let expected: Vec<String> = (4..=11).map(body).collect();
    assert_eq!(stub.accepted(), expected);
    assert_eq!(stub.shared.lock().unwrap().attempts, 10);
}

#[tokio::test]
async fn a_message_that_is_always_refused_is_set_aside() {
    let (stub, folder) = (Stub::start().await, tempfile::tempdir().unwrap());
    let state = folder.path().join("state");
    stub.set(|world| {
        world.head = 4;
        world.broken = vec![2];
        // That the receiver is down is said of the whole.
        world.refused = vec![3, 3];
    });
    let mut command = stub.command(&state);
    let child = command.args(["--since", "2026-03-01T08:00:00Z"]).spawn();
    let child = child.unwrap();
    stub.until("the others are forwarded", |world| {
        world.accepted.len() == 3
    })
    .await;
    let text = kill(child);
    let line = "webhook-listen: listing.updated 2 500; set aside after 5 attempts\n";
    assert!(text.contains(line), "{text}");
    assert_eq!(text.matches("set aside").count(), 1, "{text}");
    assert_eq!(stub.accepted(), [1, 3, 4].map(body));
    assert_eq!(stub.shared.lock().unwrap().attempts, 1 + 5 + 3 + 1);
}

/// The bodies without those that came again.
fn distinct(bodies: &[String]) -> BTreeSet<String> {
    bodies.iter().cloned().collect()
}

#[tokio::test]
async fn a_kill_in_the_middle_loses_nothing() {
    let (stub, folder) = (Stub::start().await, tempfile::tempdir().unwrap());
    let state = folder.path().join("state");
    stub.set(|world| world.head = 40);
    for accepted in [7, 19, 40] {
        let mut command = stub.command(&state);
        let child = command
            .args(["--since", "2026-03-01T08:00:00Z"])
            .spawn()
            .unwrap();
        let enough = |world: &World| distinct(&world.accepted).len() >= accepted;
        stub.until("some are forwarded", enough).await;
        kill(child);
    }
    let bodies = stub.accepted();
    assert_eq!(distinct(&bodies), (1..=40).map(body).collect());
    // A message whose answer was not stored before the kill comes again.
    assert!(bodies.len() <= 42, "{}", bodies.len());
}

// The program is waited for on this thread, while the stub answers on another.
#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_succeed_ends_the_program() {
    let (stub, folder) = (Stub::start().await, tempfile::tempdir().unwrap());
    let state = folder.path().join("state");
    for (status, expected) in [
        (401, "401 gone: Start again."),
        (410, "410 gone"),
        (403, "403"),
    ] {
        stub.set(|world| world.failures = vec![status]);
        let output = stub.command(&state).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let text = printed(&output);
        assert!(text.contains(expected), "{text}");
    }
    let mut keyless = stub.command(&state);
    let output = keyless.env_remove("SERVICE_API_KEY").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(printed(&output).contains("set SERVICE_API_KEY"));
    std::fs::write(&state, "not a cursor").unwrap();
    let output = stub.command(&state).output().unwrap();
    assert!(printed(&output).contains("not a file of webhook-listen"));
    let mut without = Command::new(program("webhook-listen"));
    without
        .args(["--api", &stub.origin])
        .env("SERVICE_WEBHOOK_SECRET", SECRET);
    let output = without.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(printed(&output).contains("--forward-to"));
}

/// The receiver tells a pulled message from a delivered one by nothing but `user-agent`.
#[test]
fn the_headers_are_those_of_the_service() {
    let (id, body, timestamp) = (Uuid::from_u128(7), b"{\"id\": 7}", 1_700_000_000);
    let secret = ServiceSecret::parse(SECRET).unwrap();
    let theirs = UnsignedMessage {
        event: "tip.paid",
        id,
        timestamp: &timestamp.to_string(),
        body,
    };
    let secrets = Secrets {
        current: &secret,
        next: None,
    };
    let theirs: BTreeSet<(String, String)> = sign(theirs, secrets)
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    let ours = signed_headers::UnsignedMessage {
        event: "tip.paid",
        id: &id.to_string(),
        timestamp: &timestamp.to_string(),
        body,
        agent: "Mchezo-Webhooks/1",
    };
    let ours: BTreeSet<(String, String)> = signed_headers::sign(ours, &SECRET.parse().unwrap())
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    assert_eq!(ours, theirs);
}
