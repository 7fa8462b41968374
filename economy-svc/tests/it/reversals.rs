//! What staff reverse: tips and swaps, by counter-entries.

use contracts::common::v1::PageRequest;
use contracts::economy::v1 as proto;
use economy::store::reversal::Reversal;
use economy::store::{currencies, swaps};
use kit::pg::RowLock;
use kit::{Code, Fault};
use serde_json::json;
use sqlx::PgPool;

use crate::support::{EXCHANGE, Economy, START, start};

fn page(cursor: &str) -> PageRequest {
    PageRequest {
        limit: 2,
        cursor: cursor.to_owned(),
    }
}

async fn tips(economy: &Economy, cursor: &str) -> proto::ListTipsResponse {
    let request = proto::ListTipsRequest {
        game: "bao".to_owned(),
        page: Some(page(cursor)),
    };
    let answer = economy.staff.clone().list_tips(request).await;
    answer.unwrap().into_inner()
}

async fn swaps(economy: &Economy, cursor: &str) -> proto::ListSwapsResponse {
    let request = proto::ListSwapsRequest {
        game: String::new(),
        page: Some(page(cursor)),
    };
    let answer = economy.staff.clone().list_swaps(request).await;
    answer.unwrap().into_inner()
}

async fn reverse_tip(economy: &Economy, tip: &str, reason: &str) -> Result<bool, Fault> {
    let request = proto::ReverseTipRequest {
        tip: tip.to_owned(),
        reason: reason.to_owned(),
    };
    let answer = economy.staff.clone().reverse_tip(request).await?;
    Ok(answer.into_inner().unchanged)
}

async fn reverse_swap(economy: &Economy, swap: &str, reason: &str) -> Result<bool, Fault> {
    let request = proto::ReverseSwapRequest {
        exchange: EXCHANGE.to_owned(),
        swap: swap.to_owned(),
        reason: reason.to_owned(),
    };
    let answer = economy.staff.clone().reverse_swap(request).await?;
    Ok(answer.into_inner().unchanged)
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_tip_is_reversed_once_and_stays_in_the_list(pool: PgPool) {
    let economy = start(pool).await;
    economy.currency("bao").await;
    let mut ids = Vec::new();
    for amount in [5, 6, 7] {
        let body = json!({"player": "ada", "amount": amount});
        ids.push(economy.tip("bao", &body, "").await.unwrap().tip.unwrap());
    }
    let fault = reverse_tip(&economy, &ids[1], " ").await.unwrap_err();
    assert!(fault.fields.contains_key("reason"), "{fault}");
    assert!(!reverse_tip(&economy, &ids[1], "Paid twice.").await.unwrap());
    assert!(reverse_tip(&economy, &ids[1], "Again.").await.unwrap());
    let nothing = uuid::Uuid::nil().to_string();
    let fault = reverse_tip(&economy, &nothing, "No.").await.unwrap_err();
    assert_eq!(fault.code, Code::NotFound);
    let player = ("player".to_owned(), "ada".to_owned(), -12);
    let maker = ("maker".to_owned(), String::new(), 12);
    assert_eq!(economy.balances("bao").await, [maker, player]);

    let first = tips(&economy, "").await;
    let second = tips(&economy, &first.next_cursor).await;
    assert!(second.next_cursor.is_empty());
    let all = [first.tips, second.tips].concat();
    let mut listed: Vec<(u64, String)> = (all.into_iter())
        .map(|tip| (tip.amount, tip.reversal.unwrap_or_default().reason))
        .collect();
    listed.sort();
    let reason = |text: &str| text.to_owned();
    let expected = [(5, reason("")), (6, reason("Paid twice.")), (7, reason(""))];
    assert_eq!(listed, expected);
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_reversed_swap_moves_no_rate(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    economy.listed("kora", 10).await;
    for (id, party) in [("1", "ada"), ("2", "ada"), ("3", "bayo")] {
        let swap = economy.swap(id, party, ("bao", 1), ("kora", 2)).await;
        swap.unwrap();
    }
    assert_eq!(economy.rate("bao", "kora").await.source, "market");
    assert!(!reverse_swap(&economy, "3", "A test.").await.unwrap());
    assert!(reverse_swap(&economy, "3", "Again.").await.unwrap());
    let fault = reverse_swap(&economy, "4", "No.").await.unwrap_err();
    assert_eq!(fault.code, Code::NotFound);
    assert_eq!(economy.rate("bao", "kora").await.source, "worked");
    let traded = economy.all_currencies().await;
    assert_eq!(traded[0].trade_balance.as_str(), "2");
    let side = |kind: &str, holder: &str, units| (kind.to_owned(), holder.to_owned(), units);
    let kora = [
        side("exchange", "", -4),
        side("party", "ada", 4),
        side("party", "bayo", 0),
    ];
    assert_eq!(economy.balances("kora").await, kora);

    // Sent again, it stays reversed.
    let again = economy.swap("3", "bayo", ("bao", 1), ("kora", 2)).await;
    let again = again.unwrap();
    assert!(again.replayed);
    // The exchange learns of it.
    assert!(again.reversed_at.is_some());
    assert_eq!(again.reversal_reason, "A test.");
    let stands = economy.swap("1", "ada", ("bao", 1), ("kora", 2)).await;
    assert_eq!(stands.unwrap().reversed_at, None);
    let first = swaps(&economy, "").await;
    let second = swaps(&economy, &first.next_cursor).await;
    let all = [first.swaps, second.swaps].concat();
    let reversed: Vec<String> = (all.iter())
        .filter(|booked| booked.reversal.is_some())
        .map(|booked| booked.swap.clone().unwrap().id)
        .collect();
    assert_eq!((all.len(), reversed), (3, vec!["3".to_owned()]));

    let request = contracts::common::v1::ListAuditRequest::default();
    let entries = economy.staff.clone().list_audit(request).await;
    let newest = &entries.unwrap().into_inner().entries[0];
    assert_eq!(
        (newest.action.as_str(), newest.name.as_str()),
        ("reverse_swap", "3")
    );
}

#[testing::database_test(economy::MIGRATOR)]
async fn balances_come_page_by_page(pool: PgPool) {
    let economy = start(pool).await;
    economy.currency("bao").await;
    for player in ["ada", "bayo", "chi"] {
        let body = json!({"player": player, "amount": 1});
        economy.tip("bao", &body, "").await.unwrap();
    }
    let (mut holders, mut cursor) = (Vec::new(), String::new());
    loop {
        let request = proto::ListBalancesRequest {
            game: "bao".to_owned(),
            page: Some(page(&cursor)),
        };
        let answer = economy.staff.clone().list_account_balances(request).await;
        let answer = answer.unwrap().into_inner();
        assert!(answer.balances.len() <= 2);
        holders.extend(answer.balances.into_iter().map(|balance| balance.holder));
        cursor = answer.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(holders, ["", "ada", "bayo", "chi"]);
}

/// Two replicas reverse the swaps of an hour at once; the second waits for the first.
#[testing::database_test(economy::MIGRATOR)]
async fn the_last_two_swaps_of_an_hour_are_reversed_at_once(pool: PgPool) {
    let economy = start(pool.clone()).await;
    for game in ["bao", "kora"] {
        economy.currency(game).await;
    }
    for id in ["1", "2"] {
        let swap = economy.swap(id, "ada", ("bao", 1), ("kora", 2)).await;
        swap.unwrap();
    }
    let mut other = pool.begin().await.unwrap();
    let row = swaps::row(&mut other, EXCHANGE, "1").await.unwrap();
    let (row, game) = row.unwrap();
    let locked = currencies::lock(&mut other, game).await.unwrap();
    assert_ne!(locked, RowLock::Busy);
    let reversal = Reversal {
        at: START,
        by: "bea".to_owned(),
        reason: "A wash trade".to_owned(),
    };
    assert!(swaps::reverse(&mut other, &row, &reversal).await.unwrap());
    let second = reverse_swap(&economy, "2", "A wash trade");
    let first = async {
        tokio::task::yield_now().await;
        other.commit().await.unwrap();
    };
    let (second, ()) = futures::join!(second, first);
    assert!(!second.unwrap());
    let left = sqlx::query_scalar!(r#"select count(*) as "count!" from economy.swap_hour"#);
    assert_eq!(left.fetch_one(&pool).await.unwrap(), 0);
}
