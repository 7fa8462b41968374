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

#[testing::database_test(economy::MIGRATOR)]
async fn sums_of_hours_are_those_of_their_swaps(pool: PgPool) {
    let economy = start(pool.clone()).await;
    economy.currency("bao").await;
    economy.currency("kora").await;
    economy.clock.advance(Duration::hours(6));
    let minutes = [0, 1, 59, 60, 61, 119, 120, 150, 180, 299];
    for (number, minute) in (1_u64..).zip(minutes) {
        let (id, party) = (minute.to_string(), format!("party-{}", number % 3));
        let (from, to) = (("bao", number), ("kora", 2 * number));
        let at = START + Duration::minutes(minute);
        economy.swap_at(&id, &party, from, to, at).await.unwrap();
    }
    let check = async || {
        let moments = (-30..330).step_by(15).chain([1, 59, 61]);
        let moments: Vec<i64> = moments.collect();
        for (from, to) in moments
            .iter()
            .flat_map(|from| moments.iter().map(move |to| (from, to)))
        {
            let [from, to] = [from, to].map(|minute| START + Duration::minutes(*minute));
            let sums = sqlx::query_scalar!(
                r#"select concat_ws(' ', sum(swaps), sum(gave), sum(got), min(first_party collate "C"), max(last_party collate "C"), max(last))
                   from economy.swaps_within($1, $2) where $1::timestamptz < $2::timestamptz"#,
                from,
                to
            );
            let swaps = sqlx::query_scalar!(
                r#"select concat_ws(' ', nullif(count(*), 0), sum(gave), sum(got), min(exchange || ' ' || party collate "C"),
                       max(exchange || ' ' || party collate "C"), max(at))
                   from economy.swap where at > $1 and at <= $2 and reversed_at is null"#,
                from,
                to
            );
            let (sums, swaps) = (sums.fetch_one(&pool).await, swaps.fetch_one(&pool).await);
            assert_eq!(sums.unwrap(), swaps.unwrap(), "{from} {to}");
        }
    };
    check().await;
    for swap in ["59", "150"] {
        let booked = economy
            .staff
            .clone()
            .list_swaps(proto::ListSwapsRequest::default())
            .await;
        let booked = booked.unwrap().into_inner().swaps.remove(0);
        let request = proto::ReverseSwapRequest {
            swap: swap.to_owned(),
            exchange: booked.exchange,
            reason: "A test.".to_owned(),
        };
        economy.staff.clone().reverse_swap(request).await.unwrap();
    }
    check().await;
}

#[testing::database_test(economy::MIGRATOR)]
async fn an_exchange_dates_its_swaps_within_days_and_seconds(pool: PgPool) {
    let economy = start(pool).await;
    economy.currency("bao").await;
    economy.currency("kora").await;
    let record = async |id: &str, at| {
        let (from, to) = (("bao", 1), ("kora", 2));
        let recorded = economy.swap_at(id, "ada", from, to, at).await;
        recorded.map(|it| it.replayed)
    };
    // A clock that is a little fast; the call can be repeated.
    let ahead = START + Duration::milliseconds(100);
    assert!(!record("1", ahead).await.unwrap());
    assert!(record("1", ahead).await.unwrap());
    for at in [START + Duration::seconds(6), START - Duration::days(8)] {
        let refused = record("2", at).await.unwrap_err();
        assert!(refused.fields.contains_key("at"), "{refused:?}");
    }
    assert!(!record("2", START - Duration::days(6)).await.unwrap());
    // The same call, when it is old by then.
    economy.clock.advance(Duration::days(9));
    assert!(record("2", START - Duration::days(6)).await.unwrap());
    let refused = record("3", START).await.unwrap_err();
    assert!(refused.fields.contains_key("at"), "{refused:?}");
}
