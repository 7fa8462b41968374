//! `GET /economy/rates`: the gateway reads each version once from economy-svc.

use contracts::gateway::v1::KeyKind;
use serde_json::Value;
use sqlx::PgPool;

use crate::economy::key_of_game;
use crate::support::Test;
use crate::support::economy::{RATES, VERSION};

#[testing::database_test(gateway::MIGRATOR)]
async fn each_version_of_the_rates_is_transferred_once(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = key_of_game(&test, KeyKind::Secret).await;
    let rates = async || test.get(&key, "/economy/rates").await.json["data"].clone();
    let first: Value = serde_json::from_str(RATES).unwrap();
    assert_eq!([rates().await, rates().await], [first.clone(), first]);
    // The next call returns the new version.
    test.economy.set_rates("next", r#"[{"from":"bao"}]"#);
    let next = serde_json::json!([{"from": "bao"}]);
    assert_eq!([rates().await, rates().await], [next.clone(), next]);
    // A filtered list is not cached.
    test.get(&key, "/economy/rates?to=bao").await;
    let requests = test.economy.rates();
    let known: Vec<&str> = requests.iter().map(|request| request.known_version.as_str()).collect();
    assert_eq!(known, ["", VERSION, VERSION, "next", ""]);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn cached_rates_are_not_returned_when_the_service_fails(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = key_of_game(&test, KeyKind::Secret).await;
    assert!(test.get(&key, "/economy/rates").await.is_ok());
    test.economy.fail_rates(true);
    let response = test.get(&key, "/economy/rates").await;
    assert_eq!(response.error(), (503, "unavailable"), "{}", response.text);
}
