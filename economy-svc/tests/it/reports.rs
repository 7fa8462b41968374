//! Reports: which count, which come too soon, and idempotency keys.

use contracts::common::v1::Mode;
use contracts::economy::v1 as proto;
use futures::future::join_all;
use kit::Code;
use kit::api::timestamp;
use serde_json::json;
use sqlx::PgPool;
use time::Duration;

use crate::support::{ACCOUNT, START, report, start};

#[testing::database_test(economy::MIGRATOR)]
async fn a_report_is_stored_and_counts(pool: PgPool) {
    let economy = start(pool).await;
    economy.currency("bao").await;
    let answer = economy.report("bao", &report(10)).await.unwrap();
    assert!(answer.counted && answer.held.is_none() && !answer.replayed);
    assert_eq!(answer.at, Some(timestamp::encode(START)));
    let stored = sqlx::query!(
        "select supply, meal, output, active_players from economy.report where id = $1",
        answer.report
    )
    .fetch_one(&economy.pool)
    .await
    .unwrap();
    let sent = report(10);
    let sent = [&sent["supply"], &sent["basket"]["meal"], &sent["output"], &sent["active_players"]];
    let stored = [stored.supply, stored.meal, stored.output, stored.active_players];
    assert_eq!(sent.map(|value| value.as_i64().unwrap()), stored);
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_report_within_the_hour_is_told_how_many_seconds_to_wait(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    for (later, wait) in [
        (Duration::ZERO, 3_600),
        (Duration::milliseconds(500), 3_600),
        (Duration::milliseconds(500), 3_599),
        (Duration::minutes(59), 59),
    ] {
        economy.clock.advance(later);
        let fault = economy.report("bao", &report(10)).await.unwrap_err();
        assert_eq!((fault.code, fault.retry_after), (Code::TooSoon, Some(wait)));
    }
    economy.clock.advance(Duration::seconds(59));
    // A held report starts the interval as well.
    let held = economy.report("bao", &report(100)).await.unwrap();
    assert!(!held.counted);
    let fault = economy.report("bao", &report(10)).await.unwrap_err();
    assert_eq!(fault.code, Code::TooSoon);
}

#[testing::database_test(economy::MIGRATOR)]
async fn one_of_many_concurrent_reports_is_stored(pool: PgPool) {
    let economy = start(pool.clone()).await;
    let other = start(pool).await;
    economy.currency("bao").await;
    let body = report(10);
    let sent = (0..8).map(|n| if n % 2 == 0 { &economy } else { &other });
    let answers = join_all(sent.map(|replica| replica.report("bao", &body))).await;
    let stored = answers.iter().filter(|answer| answer.is_ok()).count();
    assert_eq!(stored, 1, "{answers:?}");
    let mut refused = answers.iter().filter_map(|answer| answer.as_ref().err());
    assert!(refused.all(|fault| fault.code == Code::TooSoon));
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_repeated_key_gets_the_stored_answer(pool: PgPool) {
    let economy = start(pool).await;
    economy.currency("bao").await;
    economy.currency("kora").await;
    let first = economy.report_with("bao", &report(10), "k").await.unwrap();
    economy.clock.advance(Duration::minutes(5));
    let again = economy.report_with("bao", &report(10), "k").await.unwrap();
    assert!(again.replayed);
    assert_eq!((again.report, again.at), (first.report, first.at));
    let other = economy.report_with("bao", &report(11), "k").await;
    assert_eq!(other.unwrap_err().code, Code::IdempotencyMismatch);
    // The key is compared before the fields are validated.
    let bad = json!({"supply": -1});
    let other = economy.report_with("bao", &bad, "k").await;
    assert_eq!(other.unwrap_err().code, Code::IdempotencyMismatch);
    let new = economy.report_with("bao", &bad, "new").await;
    assert_eq!(new.unwrap_err().code, Code::BadRequest);
    let list = economy.report_with("bao", &json!([1]), "k").await;
    assert_eq!(list.unwrap_err().code, Code::BadJson);
    // A key is scoped to its game.
    economy.currency("mancala").await;
    let kora = economy.report_with("kora", &report(11), "k").await.unwrap();
    assert!(!kora.replayed);
    // A day later the key can be used again.
    economy.clock.advance(Duration::DAY);
    let later = economy.report_with("bao", &report(11), "k").await.unwrap();
    assert!(!later.replayed);
    // The response to a held report is stored too.
    economy.clock.advance(Duration::HOUR);
    let held = economy.report_with("bao", &report(100), "h").await.unwrap();
    assert!(!held.counted);
    let again = economy.report_with("bao", &report(100), "h").await.unwrap();
    assert_eq!((again.replayed, again.held), (true, held.held));
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_report_of_a_game_without_a_currency_is_refused(pool: PgPool) {
    let economy = start(pool).await;
    economy.game("bao", true).await;
    let fault = economy.report("bao", &report(10)).await.unwrap_err();
    assert_eq!(fault.code, Code::BadRequest);
    assert!(fault.message.contains("currency"), "{}", fault.message);
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_dry_run_and_a_test_key_store_nothing(pool: PgPool) {
    let economy = start(pool).await;
    economy.currency("bao").await;
    economy.report_with("bao", &report(10), "k").await.unwrap();
    let send = async |mode: Mode, dry_run: bool, body: String| {
        let request = proto::SubmitReportRequest {
            account_id: ACCOUNT.to_owned(),
            mode: mode.into(),
            game: "bao".to_owned(),
            body: body.into(),
            dry_run,
            idempotency_key: "k".to_owned(),
        };
        let answer = economy.reports.clone().submit_report(request).await;
        answer.map(tonic::Response::into_inner).map_err(kit::Fault::from)
    };
    let good = report(10).to_string();
    let checked = send(Mode::Test, false, good.clone()).await.unwrap();
    assert_eq!(checked, proto::SubmitReportResponse::default());
    // Dry runs and test keys ignore the idempotency key.
    for (mode, dry_run) in [(Mode::Test, false), (Mode::Live, true)] {
        let bad = send(mode, dry_run, json!({"supply": 1}).to_string()).await;
        assert_eq!(bad.unwrap_err().code, Code::BadRequest);
    }
    let soon = send(Mode::Live, true, good.clone()).await.unwrap_err();
    assert_eq!(soon.code, Code::TooSoon);
    economy.clock.advance(Duration::HOUR);
    assert_eq!(send(Mode::Live, true, good).await.unwrap().report, None);
    let stored = sqlx::query_scalar!(r#"select count(*) as "count!" from economy.report"#)
        .fetch_one(&economy.pool)
        .await
        .unwrap();
    assert_eq!(stored, 1);
}
