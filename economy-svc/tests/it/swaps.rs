//! Staff import and remove swaps.

use contracts::common::v1::{ListAuditRequest, PageRequest};
use contracts::economy::v1 as proto;
use contracts::public::Number;
use kit::Fault;
use kit::api::timestamp;
use sqlx::PgPool;
use time::Duration;

use crate::support::{Economy, START, start};

#[testing::database_test(economy::MIGRATOR)]
async fn every_bad_field_of_a_swap_is_named(pool: PgPool) {
    let economy = start(pool).await;
    economy.currency("bao").await;
    economy.game("kora", true).await;
    let swap = |id: &str, party: &str, from: (&str, u64), to: (&str, u64)| proto::Swap {
        id: id.to_owned(),
        party: party.to_owned(),
        from: from.0.to_owned(),
        to: to.0.to_owned(),
        gave: from.1,
        got: to.1,
        at: None,
    };
    let swaps = vec![
        swap("a b", " ", ("kora", 0), ("no\u{0}thing", 1 << 53)),
        swap("s", "ada", ("bao", 1), ("bao", 1)),
    ];
    let request = proto::ImportSwapsRequest { swaps };
    let answer = economy.staff.clone().import_swaps(request).await;
    let refused = answer.unwrap().into_inner().refused;
    for (refused, fields) in
        refused.iter().zip([&["from", "gave", "got", "id", "party", "to"][..], &["to"]])
    {
        let named = |field: &&str| refused.reason.contains(&format!("{field}: "));
        assert!(fields.iter().all(named), "{}", refused.reason);
    }
    assert_eq!(refused.len(), 2);
}

#[testing::database_test(economy::MIGRATOR)]
async fn an_old_swap_without_its_party_is_still_recognized_as_repeated(pool: PgPool) {
    let economy = start(pool.clone()).await;
    economy.currency("bao").await;
    economy.currency("kora").await;
    let swap = |got| proto::Swap {
        id: "1".to_owned(),
        party: "ada".to_owned(),
        from: "bao".to_owned(),
        to: "kora".to_owned(),
        gave: 10,
        got,
        at: Some(timestamp::encode(START)),
    };
    let import = async |got| {
        let request = proto::ImportSwapsRequest { swaps: vec![swap(got)] };
        let answer = economy.staff.clone().import_swaps(request).await.unwrap().into_inner();
        (answer.recorded, answer.repeated, answer.refused.len())
    };
    assert_eq!(import(20).await, (1, 0, 0));
    for (days, party) in [(90, "ada"), (91, "")] {
        let now = START + Duration::days(days);
        economy::jobs::retention::remove(&pool, now).await.unwrap();
        let stored = sqlx::query_scalar!("select party from economy.swap");
        assert_eq!(stored.fetch_one(&pool).await.unwrap(), party);
        assert_eq!(import(20).await, (0, 1, 0));
        assert_eq!(import(21).await, (0, 0, 1));
    }
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_repeated_import_of_swaps_records_only_new_ones(pool: PgPool) {
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
        swaps: vec![swap("6", START, 20), swap("6", START, 21), swap("5", START, 20)],
    };
    let answer = economy.staff.clone().import_swaps(other).await.unwrap().into_inner();
    assert_eq!((answer.recorded, answer.repeated), (1, 0));
    let refused: Vec<u32> = answer.refused.iter().map(|refused| refused.index).collect();
    assert_eq!(refused, [1, 2]);
    assert!(answer.refused[0].reason.contains("A different swap"), "{answer:?}");
    let rate = economy.rate("bao", "kora").await;
    assert_eq!((&*rate.source, rate.rate), ("market", Number(2.0)));
    assert_eq!(rate.at.0, START);
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_swap_without_a_time_is_repeated_by_a_second_import(pool: PgPool) {
    let economy = start(pool).await;
    economy.currency("bao").await;
    economy.currency("kora").await;
    let swap = |got| proto::Swap {
        id: "1".to_owned(),
        party: "ada".to_owned(),
        from: "bao".to_owned(),
        to: "kora".to_owned(),
        gave: 10,
        got,
        at: None,
    };
    let import = async |swaps| {
        let request = proto::ImportSwapsRequest { swaps };
        let answer = economy.staff.clone().import_swaps(request).await.unwrap().into_inner();
        (answer.recorded, answer.repeated, answer.refused.len())
    };
    assert_eq!(import(vec![swap(20), swap(20)]).await, (1, 1, 0));
    economy.clock.advance(Duration::HOUR);
    assert_eq!(import(vec![swap(20)]).await, (0, 1, 0));
    assert_eq!(import(vec![swap(21)]).await, (0, 0, 1));
    let stored = sqlx::query_scalar!("select at from economy.swap");
    assert_eq!(stored.fetch_one(&economy.pool).await.unwrap(), START);
}

/// Removes a swap; returns the ids of the removed swaps.
pub(crate) async fn remove(
    economy: &Economy,
    swap: &str,
    reason: &str,
) -> Result<Vec<String>, Fault> {
    let request = proto::RemoveSwapsRequest {
        swaps: vec![swap.to_owned(), "no\u{0}thing".to_owned()],
        reason: reason.to_owned(),
    };
    let answer = economy.staff.clone().remove_swaps(request).await?;
    Ok(answer.into_inner().removed)
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_removed_swap_moves_no_rate(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    economy.listed("kora", 10).await;
    for (id, party) in [("1", "ada"), ("2", "ada"), ("3", "bayo")] {
        economy.swap(id, party, ("bao", 1), ("kora", 2)).await;
    }
    assert_eq!(economy.rate("bao", "kora").await.source, "market");
    let fault = remove(&economy, "3", " ").await.unwrap_err();
    assert!(fault.fields.contains_key("reason"), "{fault}");
    assert_eq!(remove(&economy, "3", "A test.").await.unwrap(), ["3"]);
    assert_eq!(economy.rate("bao", "kora").await.source, "worked");
    let traded = economy.all_currencies().await;
    assert_eq!(traded[0].trade_balance, 2);
    // A repeated removal changes nothing and is not in the audit log.
    let again = remove(&economy, "3", "Again.").await.unwrap();
    assert!(again.is_empty(), "{again:?}");
    let request = ListAuditRequest::default();
    let entries = economy.staff.clone().list_audit(request).await;
    let newest = &entries.unwrap().into_inner().entries[0];
    assert_eq!((newest.action.as_str(), newest.name.as_str()), ("remove_swaps", "3"));
    assert!(newest.details.contains("A test."), "{newest:?}");
    // A removed swap can be imported again.
    economy.swap("3", "bayo", ("bao", 1), ("kora", 2)).await;
    assert_eq!(economy.rate("bao", "kora").await.source, "market");
}

#[testing::database_test(economy::MIGRATOR)]
async fn swaps_are_paginated(pool: PgPool) {
    let economy = start(pool).await;
    economy.currency("bao").await;
    economy.currency("kora").await;
    for id in ["1", "2", "3"] {
        economy.swap(id, "ada", ("bao", 1), ("kora", 2)).await;
    }
    let (mut ids, mut cursor) = (Vec::new(), String::new());
    loop {
        let request = proto::ListSwapsRequest {
            game: "kora".to_owned(),
            page: Some(PageRequest { limit: 2, cursor }),
        };
        let answer = economy.staff.clone().list_swaps(request).await.unwrap().into_inner();
        assert!(answer.swaps.len() <= 2);
        ids.extend(answer.swaps.into_iter().map(|swap| swap.id));
        cursor = answer.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(ids, ["3", "2", "1"]);
}
