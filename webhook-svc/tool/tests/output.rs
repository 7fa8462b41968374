//! The exit status of `webhook listen` when its output cannot be written.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs::File;
use std::process::Stdio;
use std::time::Duration;

use axum::Router;
use axum::extract::RawQuery;
use axum::routing::get;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// A timeout that only a hanging test reaches.
const PATIENCE: Duration = Duration::from_mins(3);

/// The API: one message, and none after it.
async fn list(RawQuery(query): RawQuery) -> String {
    let is_first = query.is_some_and(|query| query.contains("since="));
    let message = json!({"cursor": "1", "id": "1", "event": "listing.updated", "body": "{}"});
    let rows: Vec<_> = is_first.then_some(message).into_iter().collect();
    json!({"success": true, "data": rows, "meta": {"next_cursor": "1"}}).to_string()
}

/// Starts `webhook listen`, which waits for an hour after the first message. The API ends with the
/// returned set.
async fn listen(stdout: Stdio) -> (Child, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let api = format!("http://{}/v1", listener.local_addr().unwrap());
    let app = Router::new().route("/v1/webhooks/messages", get(list));
    let mut server = JoinSet::new();
    server.spawn(async move { axum::serve(listener, app).await.unwrap() });
    let mut tool = Command::new(env!("CARGO_BIN_EXE_webhook"));
    tool.args(["listen", "--since", "2026-03-01T08:00:00Z", "--interval", "3600", "--api", &api]);
    tool.env("SERVICE_API_KEY", "svc_live_a").kill_on_drop(true);
    (tool.stdout(stdout).stderr(Stdio::piped()).spawn().unwrap(), server)
}

#[tokio::test]
async fn listen_ends_quietly_while_it_waits_when_its_reader_is_gone() {
    let (mut tool, _server) = listen(Stdio::piped()).await;
    let mut lines = BufReader::new(tool.stdout.take().unwrap()).lines();
    assert_eq!(lines.next_line().await.unwrap().unwrap(), "listing.updated 1");
    drop(lines);
    let ended = timeout(PATIENCE, tool.wait_with_output()).await.unwrap().unwrap();
    assert_eq!(ended.status.code(), Some(141));
    assert_eq!(String::from_utf8(ended.stderr).unwrap(), "");
}

#[tokio::test]
async fn listen_fails_with_a_reason_at_the_first_message_that_it_cannot_write() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let (tool, _server) = listen(full.into()).await;
    let ended = timeout(PATIENCE, tool.wait_with_output()).await.unwrap().unwrap();
    assert_eq!(ended.status.code(), Some(2));
    assert!(!ended.stderr.is_empty());
}
