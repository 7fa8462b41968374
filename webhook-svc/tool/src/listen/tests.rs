//! `webhook listen` between a stub of the API and a receiver.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use futures::stream;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use webhook::domain::signature::Secret as ServiceSecret;

use super::*;

const SECRET: &str = "svc_whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

/// A stub whose messages are the numbers up to `head`; a cursor is a number.
#[derive(Default)]
struct Stub {
    head: usize,
    /// The statuses of the first responses; a 200 among them breaks off in its body.
    failures: Vec<u16>,
    /// The message that the receiver never accepts.
    refused: usize,
    /// The body of a response of the receiver never ends.
    is_endless: bool,
    /// The messages that the receiver got, in order.
    posted: Vec<usize>,
}

type Shared = Arc<Mutex<Stub>>;

async fn list(
    State(shared): State<Shared>,
    Query(query): Query<Vec<(String, String)>>,
) -> Response {
    let mut stub = shared.lock().unwrap();
    if !stub.failures.is_empty() {
        let status = StatusCode::from_u16(stub.failures.remove(0)).unwrap();
        if status == StatusCode::OK {
            let parts = [Ok(Bytes::from_static(b"{")), Err("it breaks off")];
            return Body::from_stream(stream::iter(parts)).into_response();
        }
        let error = json!({"success": false, "error": {"code": "gone", "message": "Start again."}});
        return (status, [("retry-after", "0")], error.to_string()).into_response();
    }
    let begin = query.iter().find(|(name, _)| name != "limit").unwrap();
    let after = match begin.0.as_str() {
        "after" => begin.1.parse().unwrap(),
        _ => 0,
    };
    let until = stub.head.min(after + 2);
    let row = |number: usize| {
        let body = format!(r#"{{"id": "{number}"}}"#);
        json!({"cursor": number.to_string(), "id": number.to_string(), "event": "listing.updated", "body": body})
    };
    let rows: Vec<_> = (after + 1..=until).map(row).collect();
    let page = json!({"success": true, "data": rows, "meta": {"next_cursor": until.to_string()}});
    page.to_string().into_response()
}

async fn receive(State(shared): State<Shared>, headers: HeaderMap, body: Bytes) -> Response {
    let secret = ServiceSecret::parse(SECRET).unwrap();
    let timestamp = headers["x-service-timestamp"].to_str().unwrap();
    assert_eq!(headers["x-service-signature"], secret.sign(timestamp, &body));
    let number = headers["x-service-delivery"].to_str().unwrap().parse().unwrap();
    let mut stub = shared.lock().unwrap();
    stub.posted.push(number);
    if stub.refused == number {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    }
    if stub.is_endless {
        let endless = stream::pending::<Result<Bytes, std::convert::Infallible>>();
        return Body::from_stream(endless).into_response();
    }
    StatusCode::NO_CONTENT.into_response()
}

/// Pulls until the receiver has got that many posts or the program ends; returns the posted messages.
async fn posted(stub: Stub, posts: usize) -> anyhow::Result<Vec<usize>> {
    let shared = Arc::new(Mutex::new(stub));
    let app = Router::new()
        .route("/v1/webhooks/messages", get(list))
        .route("/in", post(receive))
        .with_state(Arc::clone(&shared));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let mut server = JoinSet::new();
    server.spawn(async move { axum::serve(listener, app).await.unwrap() });
    let client = Client::new(None).unwrap();
    let soon = Duration::from_millis(1);
    let puller = Puller {
        api: Api::new(client.clone(), &format!("{origin}/v1"), "svc_live_a").unwrap(),
        receiver: Some((format!("{origin}/in").parse().unwrap(), SECRET.parse().unwrap())),
        client,
        interval: soon,
        first_wait: soon,
        show: |_| {},
    };
    let enough = async {
        while shared.lock().unwrap().posted.len() < posts {
            sleep(soon).await;
        }
    };
    tokio::select! {
        ended = puller.run("2026-03-01T08:00:00Z".to_owned()) => ended?,
        () = enough => {}
    }
    let posted = shared.lock().unwrap().posted.clone();
    Ok(posted)
}

#[tokio::test]
async fn messages_are_posted_in_order_and_one_that_is_always_refused_is_set_aside() {
    let stub = Stub { head: 5, failures: vec![503, 200, 429], refused: 2, ..Stub::default() };
    let expected = [1, 2, 2, 2, 2, 2, 3, 4, 5];
    assert_eq!(posted(stub, expected.len()).await.unwrap(), expected);
}

/// The status decides, as it does for the service.
#[tokio::test]
async fn a_message_whose_response_does_not_end_is_posted_once() {
    let stub = Stub { head: 2, is_endless: true, ..Stub::default() };
    assert_eq!(posted(stub, 2).await.unwrap(), [1, 2]);
}

#[tokio::test]
async fn a_refused_call_ends_the_program() {
    for status in [401, 403, 410] {
        let stub = Stub { failures: vec![status], ..Stub::default() };
        let reason = posted(stub, 1).await.unwrap_err().to_string();
        assert_eq!(reason, format!("{status} gone: Start again."));
    }
}
