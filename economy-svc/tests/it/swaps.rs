//! Swaps, as an exchange records them and as staff load their history.

use contracts::economy::v1 as proto;
use kit::{Code, timestamp};
use sqlx::PgPool;
use time::Duration;

use crate::support::{START, start};

#[testing::database_test(economy::MIGRATOR)]
async fn a_swap_is_booked_once_in_both_currencies(pool: PgPool) {
    let economy = start(pool).await;
    economy.currency("bao").await;
    economy.currency("kora").await;
    let swap = economy
        .swap("s-1", "ada", ("bao", 100), ("kora", 50))
        .await
        .unwrap();
    assert!(!swap.replayed);
    economy.clock.advance(Duration::HOUR);
    let again = economy
        .swap("s-1", "ada", ("bao", 100), ("kora", 50))
        .await
        .unwrap();
    assert!(again.replayed);
    assert_eq!(again.swap.unwrap().at, Some(timestamp::encode(START)));
    let other = economy.swap("s-1", "ada", ("bao", 101), ("kora", 50)).await;
    assert_eq!(other.unwrap_err().code, Code::IdempotencyMismatch);
    let side = |kind: &str, holder: &str, units| (kind.to_owned(), holder.to_owned(), units);
    let bao = [side("exchange", "", 100), side("party", "ada", -100)];
    let kora = [side("exchange", "", -50), side("party", "ada", 50)];
    assert_eq!(economy.balances("bao").await, bao);
    assert_eq!(economy.balances("kora").await, kora);
}

#[testing::database_test(economy::MIGRATOR)]
async fn every_bad_field_of_a_swap_is_named(pool: PgPool) {
    let economy = start(pool).await;
    economy.currency("bao").await;
    economy.game("kora", true).await;
    let fault = economy
        .swap("a b", " ", ("kora", 0), ("no\u{0}thing", 1 << 53))
        .await
        .unwrap_err();
    let names: Vec<&str> = fault.fields.keys().map(String::as_str).collect();
    assert_eq!(names, ["from", "gave", "got", "id", "party", "to"]);
    let same = economy
        .swap("s", "ada", ("bao", 1), ("bao", 1))
        .await
        .unwrap_err();
    assert!(same.fields.contains_key("to"), "{same}");
}

#[testing::database_test(economy::MIGRATOR)]
async fn history_is_loaded_and_loaded_again(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    economy.listed("kora", 10).await;
    let swap = |id: &str, at, got| proto::Swap {
        id: id.to_owned(),
        party: format!("party of {id}"),
        from: "bao".to_owned(),
        to: "kora".to_owned(),
        gave: 10,
        got,
        at: Some(timestamp::encode(at)),
    };
    let swaps = vec![
        swap("1", START - Duration::HOUR, 20),
        swap("2", START - Duration::HOUR, 20),
        swap("3", START - Duration::DAY, 0),
        swap("4", START + Duration::HOUR, 20),
        swap("5", START - Duration::MINUTE, 20),
    ];
    let request = proto::ImportSwapsRequest { swaps };
    let import = async || {
        let answer = economy.staff.clone().import_swaps(request.clone()).await;
        answer.unwrap().into_inner()
    };
    let answer = import().await;
    assert_eq!((answer.recorded, answer.repeated), (3, 0));
    let refused: Vec<u32> = answer.refused.iter().map(|refused| refused.index).collect();
    assert_eq!(refused, [2, 3]);
    assert!(answer.refused[0].reason.starts_with("got:"), "{answer:?}");
    assert!(answer.refused[1].reason.starts_with("at:"), "{answer:?}");
    let answer = import().await;
    assert_eq!((answer.recorded, answer.repeated), (0, 3));
    let other = proto::ImportSwapsRequest {
        swaps: vec![
            swap("6", START, 20),
            swap("6", START, 21),
            swap("5", START, 20),
        ],
    };
    let answer = economy.staff.clone().import_swaps(other).await;
    let answer = answer.unwrap().into_inner();
    assert_eq!((answer.recorded, answer.repeated), (1, 0));
    let refused: Vec<u32> = answer.refused.iter().map(|refused| refused.index).collect();
    assert_eq!(refused, [1, 2]);
    assert!(
        answer.refused[0].reason.contains("A different swap"),
        "{answer:?}"
    );
    let rate = economy.rate("bao", "kora").await;
    assert_eq!((&*rate.source, rate.rate.as_str()), ("market", "2"));
    assert_eq!(rate.at.0, START);
}
