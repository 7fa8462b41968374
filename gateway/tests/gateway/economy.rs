//! The economy's routes: reports, tips and rates.

use contracts::common::v1::Mode;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::KeyKind;
use http::header::IF_NONE_MATCH;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::economy::RATES;
use crate::support::{Test, TestKey, TestResponse, account_key};

/// A live key of the game `kora`.
pub(crate) async fn key_of_game(test: &Test, kind: KeyKind) -> TestKey {
    crate::keys::publish(test, "kora", true).await;
    let account = test.account("partner").await;
    let request = proto::CreateKeyRequest {
        kind: kind.into(),
        game: Some("kora".to_owned()),
        ..account_key(&account, "live")
    };
    test.key_like(request).await.unwrap()
}

async fn post(test: &Test, key: &TestKey, path: &str, body: &Value) -> TestResponse {
    let call = key.request("POST", path);
    test.send(call.body(body.to_string().into()).unwrap()).await
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_report_is_forwarded_with_the_game_of_its_key(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = key_of_game(&test, KeyKind::Secret).await;
    let response = post(&test, &key, "/economy/report", &json!({"supply": 1})).await;
    assert_eq!(response.status, 201, "{}", response.text);
    assert_eq!(response.header("location"), "");
    let data = json!({
        "stored": true, "report": 7, "at": "2026-03-22T08:00:00.500Z", "counted": true, "held": null,
    });
    assert_eq!(response.json["data"], data);
    let dry = post(&test, &key, "/economy/report?dry_run=true", &json!({})).await;
    assert_eq!(dry.status, 200);
    assert_eq!(dry.json["data"], json!({"stored": false, "dry_run": true}));
    let reports = test.economy.reports();
    assert_eq!(reports.len(), 2);
    assert_eq!(reports[0].game, "kora");
    assert_eq!(reports[0].mode(), Mode::Live);
    assert_eq!(reports[0].body, r#"{"supply":1}"#);
    assert!(reports[1].dry_run);
    for replayed in ["", "true"] {
        let call = key.request("POST", "/economy/report").header("idempotency-key", "a-key");
        let response = test.send(call.body("{}".into()).unwrap()).await;
        assert_eq!(response.status, 201, "{}", response.text);
        assert_eq!(response.header("idempotency-replayed"), replayed);
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_form_of_an_idempotency_key_is_checked_for_every_key_and_dry_run(pool: PgPool) {
    let test = Test::new(pool).await;
    let live = key_of_game(&test, KeyKind::Secret).await;
    let request = proto::CreateKeyRequest {
        kind: KeyKind::Secret.into(),
        game: Some("kora".to_owned()),
        ..account_key(&test.account("free").await, "test")
    };
    let sample = test.key_like(request).await.unwrap();
    for (key, path) in [
        (&live, "/economy/report"),
        (&live, "/economy/report?dry_run"),
        (&sample, "/economy/report"),
    ] {
        let call = key.request("POST", path).header("idempotency-key", "a b");
        let response = test.send(call.body("{}".into()).unwrap()).await;
        assert_eq!(response.error(), (400, "invalid"), "{path}");
        assert_eq!(response.fields(), ["Idempotency-Key"], "{path}");
    }
    assert!(test.economy.reports().iter().all(|it| it.dry_run), "nothing is written");
    test.economy.refuse_tips(true);
    let call = live.request("POST", "/play/tips").header("idempotency-key", "a b");
    let response = test.send(call.body("{}".into()).unwrap()).await;
    assert_eq!(response.fields(), ["Idempotency-Key", "amount"]);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_player_can_tip_thirty_times_a_minute(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = key_of_game(&test, KeyKind::Public).await;
    // Tests share a Redis, and the game.
    let run = kit::ids::row_id();
    let tip =
        |player: &str| json!({"player": player.replace("ad", &format!("{run}-ad")), "amount": 5});
    // A refused tip counts against the minute as well.
    test.economy.refuse_tips(true);
    let refused = post(&test, &key, "/play/tips", &tip("adé")).await;
    assert_eq!(refused.error(), (400, "invalid"));
    test.economy.refuse_tips(false);
    for number in 0..29 {
        // The other normalization form is the same name.
        let player = if number % 2 == 0 { "adé" } else { "ade\u{301}" };
        let response = post(&test, &key, "/play/tips", &tip(player)).await;
        assert_eq!(response.status, 201, "{}", response.text);
        assert_eq!(response.json["data"]["game"], "kora");
    }
    // Spaces around the name are ignored.
    let more = post(&test, &key, "/play/tips", &tip(" adé ")).await;
    assert_eq!(more.error(), (429, "rate_limited"));
    assert_eq!(more.header("retry-after"), "60");
    // The page of the game may have another owner, with a key of its own.
    let other_key = key_of_game(&test, KeyKind::Public).await;
    let more = post(&test, &other_key, "/play/tips", &tip("adé")).await;
    assert_eq!(more.error(), (429, "rate_limited"));
    let other = post(&test, &key, "/play/tips", &tip("adebayo")).await;
    assert_eq!(other.status, 201);
    test.clock.advance(time::Duration::MINUTE);
    let later = post(&test, &key, "/play/tips", &tip("adé")).await;
    assert_eq!(later.status, 201);
    assert_eq!(test.economy.tips().len(), 31);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn dry_runs_and_test_tips_do_not_count_against_the_player(pool: PgPool) {
    let test = Test::new(pool).await;
    crate::keys::publish(&test, "kora", true).await;
    let account = test.account("partner").await;
    let key = async |mode: &str| {
        let request = proto::CreateKeyRequest {
            kind: KeyKind::Public.into(),
            game: Some("kora".to_owned()),
            ..account_key(&account, mode)
        };
        test.key_like(request).await.unwrap()
    };
    let (live, sample) = (key("live").await, key("test").await);
    let tip = json!({"player": format!("{}-ada", kit::ids::row_id()), "amount": 5});
    for (key, path) in [
        (&sample, "/play/tips"),
        (&sample, "/play/tips?dry_run=true"),
        (&live, "/play/tips?dry_run=true"),
    ] {
        for _ in 0..31 {
            let response = post(&test, key, path, &tip).await;
            assert_eq!(response.status, 200, "{path}: {}", response.text);
        }
    }
    for _ in 0..30 {
        let response = post(&test, &live, "/play/tips", &tip).await;
        assert_eq!(response.status, 201, "{}", response.text);
    }
    let more = post(&test, &live, "/play/tips", &tip).await;
    assert_eq!(more.error(), (429, "rate_limited"));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn rates_are_a_list_with_an_etag(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = key_of_game(&test, KeyKind::Secret).await;
    let plain = test.get(&key, "/economy/rates?from=bao").await;
    assert!(plain.is_ok(), "{}", plain.text);
    let rows: Value = serde_json::from_str(RATES).unwrap();
    assert_eq!(plain.json["data"], rows);
    assert_eq!(plain.json["meta"]["total"], 2);
    assert_eq!(plain.json["meta"]["next_cursor"], Value::Null);
    assert_eq!(plain.header("content-length"), plain.text.len().to_string());
    let tag = plain.header("etag");
    let known = key.get("/economy/rates?from=bao").header(IF_NONE_MATCH, tag);
    assert_eq!(test.call(known).await.status, 304);
    let requests = test.economy.rates();
    assert!(requests.iter().all(|request| request.from == "bao"));
    let twice = test.get(&key, "/economy/rates?from=a&from=b").await;
    assert_eq!(twice.error(), (400, "invalid"));
}
