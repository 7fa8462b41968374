//! `GET /economy/rates`: each version is read once, and long lists are shared by their readers.

use axum::body::Body;
use http_body_util::BodyExt as _;
use serde_json::Value;
use sqlx::PgPool;
use tower::ServiceExt as _;

use crate::economy::key_of_game;
use crate::support::Test;
use crate::support::economy::{RATES, VERSION};

/// The bytes of a long list.
const LONG: usize = 10_000_000;

#[testing::database_test(gateway::MIGRATOR)]
async fn each_version_of_the_rates_is_read_once(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = key_of_game(&test, "secret").await;
    let rates = async || test.get(&key, "/economy/rates").await.json["data"].clone();
    let first: Value = serde_json::from_str(RATES).unwrap();
    assert_eq!([rates().await, rates().await], [first.clone(), first]);
    // The next call has the new version.
    test.economy.set_rates("next", r#"[{"from":"bao"}]"#);
    let next = serde_json::json!([{"from": "bao"}]);
    assert_eq!([rates().await, rates().await], [next.clone(), next]);
    // The list of one currency is not the whole list.
    test.get(&key, "/economy/rates?to=bao").await;
    let requests = test.economy.rates();
    let known = requests
        .iter()
        .map(|request| request.known_version.as_str());
    let known: Vec<&str> = known.collect();
    assert_eq!(known, ["", VERSION, VERSION, "next", ""]);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn rates_are_never_older_than_those_of_the_service(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = key_of_game(&test, "secret").await;
    assert!(test.get(&key, "/economy/rates").await.is_ok());
    test.economy.fail_rates(true);
    let response = test.get(&key, "/economy/rates").await;
    assert_eq!(response.error(), (503, "unavailable"), "{}", response.text);
}

/// The HTTP server counts what a client has not received, and all clients together have 128 MiB: it must not count a whole list.
#[testing::database_test(gateway::MIGRATOR)]
async fn a_long_list_is_sent_in_parts(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = key_of_game(&test, "secret").await;
    let rows = format!("[{}]", " ".repeat(LONG - 2));
    test.economy.set_rates("long", rows);
    let request = key.get("/economy/rates").body(Body::empty()).unwrap();
    let response = test.router.clone().oneshot(request).await.unwrap();
    let length = response.headers()["content-length"].clone();
    let (mut body, mut received, mut longest) = (response.into_body(), Vec::new(), 0);
    while let Some(frame) = body.frame().await {
        let part = frame.unwrap().into_data().unwrap();
        longest = longest.max(part.len());
        received.extend_from_slice(&part);
    }
    assert!(longest <= LONG / 10, "{longest} bytes");
    assert_eq!(length, received.len().to_string().as_str());
    let received: Value = serde_json::from_slice(&received).unwrap();
    assert_eq!(received["data"], serde_json::json!([]));
}
