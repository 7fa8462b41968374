//! Tips of players.

use contracts::common::v1::{Mode, PageRequest};
use contracts::economy::v1 as proto;
use futures::future::join_all;
use kit::Code;
use prost::Message as _;
use serde_json::json;
use sqlx::PgPool;

use crate::support::{ACCOUNT, START, start};

#[testing::database_test(economy::MIGRATOR)]
async fn a_tip_is_stored_and_published(pool: PgPool) {
    let economy = start(pool).await;
    economy.currency("bao").await;
    economy.owned_by(&[ACCOUNT]).await;
    let body = json!({"player": "ada", "amount": 5, "note": "well played"});
    let tip = economy.tip("bao", &body, "").await.unwrap();
    assert_eq!((tip.game.as_str(), tip.amount), ("bao", 5));
    assert_eq!(tip.at, Some(kit::api::timestamp::encode(START)));
    assert_eq!(economy.tips_of("bao").await, [("ada".to_owned(), 5)]);
    let row = sqlx::query!(
        "select state, happening, announced, event from economy.feed where entity = 'tip'"
    )
    .fetch_one(&economy.pool)
    .await
    .unwrap();
    assert!(row.happening && row.announced);
    assert_eq!(row.event, "paid");
    let told = proto::Tip::decode(row.state.as_slice()).unwrap();
    assert_eq!((&*told.slug, &*told.title), ("bao", "The bao"));
    assert_eq!(told.account_ids, [ACCOUNT.to_owned()]);
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_tip_loses_its_player_after_ninety_days(pool: PgPool) {
    let economy = start(pool.clone()).await;
    economy.currency("bao").await;
    let body = json!({"player": "ada", "amount": 5, "note": "well played"});
    economy.tip("bao", &body, "").await.unwrap();
    for (days, player) in [(90, "ada"), (91, "")] {
        let now = START + time::Duration::days(days);
        economy::jobs::retention::remove(&pool, now).await.unwrap();
        assert_eq!(economy.tips_of("bao").await, [(player.to_owned(), 5)]);
    }
    let notes = sqlx::query_scalar!("select note from economy.tip");
    assert_eq!(notes.fetch_all(&pool).await.unwrap(), [""]);
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_tip_with_a_repeated_key_is_booked_once(pool: PgPool) {
    let economy = start(pool.clone()).await;
    let other = start(pool).await;
    economy.currency("bao").await;
    let body = json!({"player": "ada", "amount": 5});
    let sent = (0..8).map(|n| if n % 2 == 0 { &economy } else { &other });
    let answers = join_all(sent.map(|replica| replica.tip("bao", &body, "k"))).await;
    let mut ids: Vec<String> = Vec::new();
    for answer in answers {
        ids.extend(answer.unwrap().tip);
    }
    ids.dedup();
    assert_eq!(ids.len(), 1);
    // A program whose numbers are floats writes 5.0.
    for same in [body, json!({"player": "ada", "amount": 5.0})] {
        let again = other.tip("bao", &same, "k").await.unwrap();
        assert!(again.replayed, "{same}");
        assert_eq!(again.tip.as_ref(), ids.first());
    }
    assert_eq!(economy.tips_of("bao").await.len(), 1);
    for (other, code) in [
        (json!({"player": "ada", "amount": 6}), Code::IdempotencyMismatch),
        (json!({"player": "ada", "amount": 0}), Code::IdempotencyMismatch),
        (json!({"player": "ada", "amount": 5, "game": "kora"}), Code::IdempotencyMismatch),
        (json!([5]), Code::BadJson),
    ] {
        let fault = economy.tip("bao", &other, "k").await.unwrap_err();
        assert_eq!(fault.code, code, "{other}");
    }
}

#[testing::database_test(economy::MIGRATOR)]
async fn refused_tips_and_tips_of_test_keys_are_not_booked(pool: PgPool) {
    let economy = start(pool).await;
    economy.game("kora", true).await;
    economy.currency("bao").await;
    let good = json!({"player": "ada", "amount": 5});
    let fault = economy.tip("kora", &good, "").await.unwrap_err();
    assert!(fault.fields["game"].contains("currency"), "{fault}");
    let other = json!({"player": "ada", "amount": 5, "game": "kora"});
    let fault = economy.tip("bao", &other, "").await.unwrap_err();
    assert_eq!(fault.code, Code::NotFound);
    let bad = json!({"amount": 0});
    let fault = economy.tip("bao", &bad, "").await.unwrap_err();
    assert!(fault.fields.keys().eq(["amount", "player"]), "{fault}");
    let request = proto::SendTipRequest {
        account_id: ACCOUNT.to_owned(),
        mode: Mode::Test.into(),
        game: "bao".to_owned(),
        body: good.to_string().into(),
        dry_run: false,
        idempotency_key: "k".to_owned(),
    };
    let checked = economy.tips.clone().send_tip(request).await.unwrap();
    assert_eq!(checked.into_inner(), proto::SendTipResponse::default());
    assert!(economy.tips_of("bao").await.is_empty());
}

#[testing::database_test(economy::MIGRATOR)]
async fn tips_are_paginated(pool: PgPool) {
    let economy = start(pool).await;
    economy.currency("bao").await;
    for amount in [5, 6, 7] {
        let body = json!({"player": "ada", "amount": amount});
        economy.tip("bao", &body, "").await.unwrap();
    }
    let (mut amounts, mut cursor) = (Vec::new(), String::new());
    loop {
        let request = proto::ListTipsRequest {
            game: "bao".to_owned(),
            page: Some(PageRequest { limit: 2, cursor }),
        };
        let answer = economy.staff.clone().list_tips(request).await.unwrap().into_inner();
        assert!(answer.tips.len() <= 2);
        amounts.extend(answer.tips.into_iter().map(|tip| tip.amount));
        cursor = answer.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    amounts.sort_unstable();
    assert_eq!(amounts, [5, 6, 7]);
}
