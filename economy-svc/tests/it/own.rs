//! The reads of an account: the currencies and reports of its own games.

use contracts::common::v1::PageRequest;
use contracts::economy::v1 as proto;
use kit::{Code, Fault};
use sqlx::PgPool;
use time::Duration;

use crate::support::{ACCOUNT, Economy, report, start};

const OTHER: &str = "00000000-0000-7000-8000-000000000009";

async fn own(
    economy: &Economy,
    account: &str,
    game: &str,
) -> Result<Vec<proto::OwnCurrency>, Fault> {
    let request = proto::ListOwnCurrenciesRequest {
        account_id: account.to_owned(),
        game: game.to_owned(),
        page: None,
    };
    let listed = economy.currencies.clone().list_own_currencies(request).await?;
    Ok(listed.into_inner().currencies)
}

async fn reports(
    economy: &Economy,
    account: &str,
    game: &str,
    page: (u32, &str),
) -> Result<proto::ListOwnReportsResponse, Fault> {
    let request = proto::ListOwnReportsRequest {
        account_id: account.to_owned(),
        game: game.to_owned(),
        page: Some(PageRequest { limit: page.0, cursor: page.1.to_owned() }),
    };
    let listed = economy.reports.clone().list_own_reports(request).await?;
    Ok(listed.into_inner())
}

#[testing::database_test(economy::MIGRATOR)]
async fn an_account_sees_its_own_games_with_and_without_a_currency(pool: PgPool) {
    let economy = start(pool).await;
    economy.currency("bao").await;
    economy.game("kora", false).await;
    economy.owned_by(&[ACCOUNT]).await;
    let request = proto::SetOwnCurrencyRequest {
        account_id: ACCOUNT.to_owned(),
        game: "bao".to_owned(),
        name: "Cowrie".to_owned(),
    };
    economy.currencies.clone().set_own_currency(request).await.unwrap();
    let games = own(&economy, ACCOUNT, "").await.unwrap();
    let shown: Vec<(&str, &str, bool)> =
        (games.iter()).map(|own| (own.game.as_str(), own.title.as_str(), own.published)).collect();
    assert_eq!(shown, [("bao", "The bao", true), ("kora", "The kora", false)]);
    let name = games[0].name.as_ref().unwrap();
    assert_eq!((name.name.as_str(), name.given_by.as_str()), ("Cowrie", "account"));
    assert_eq!(games[1].name, None);
    assert_eq!(own(&economy, ACCOUNT, "kora").await.unwrap().len(), 1);
    assert_eq!(own(&economy, OTHER, "").await.unwrap(), []);
    for (account, game, code) in [
        (OTHER, "bao", Code::NotFound),
        (ACCOUNT, "nothing", Code::NotFound),
        (ACCOUNT, "b\0o", Code::NotFound),
        ("nobody", "bao", Code::Invalid),
    ] {
        assert_eq!(own(&economy, account, game).await.unwrap_err().code, code);
        let refused = reports(&economy, account, game, (0, "")).await;
        assert_eq!(refused.unwrap_err().code, code);
    }
}

#[testing::database_test(economy::MIGRATOR)]
async fn own_currencies_and_currency_names_are_paginated(pool: PgPool) {
    let economy = start(pool).await;
    let slugs: Vec<String> = (100..225).map(|n| format!("game-{n}")).collect();
    for slug in &slugs {
        economy.game(slug, true).await;
    }
    economy.owned_by(&[ACCOUNT]).await;
    for slug in &slugs[..3] {
        economy.name(slug, "Cowrie").await;
    }
    let (mut games, mut cursor) = (Vec::new(), String::new());
    loop {
        let request = proto::ListOwnCurrenciesRequest {
            account_id: ACCOUNT.to_owned(),
            game: String::new(),
            page: Some(PageRequest { limit: 50, cursor }),
        };
        let listed =
            economy.currencies.clone().list_own_currencies(request).await.unwrap().into_inner();
        assert!(listed.currencies.len() <= 50);
        games.extend(listed.currencies);
        let Some(next) = listed.page.unwrap().next_cursor else {
            break;
        };
        cursor = next;
    }
    let listed: Vec<&str> = games.iter().map(|own| own.game.as_str()).collect();
    assert_eq!(listed, slugs);
    assert_eq!(games[0].name.as_ref().unwrap().given_by, "staff");

    // Staff read the names of all currencies, in pages.
    let (mut named, mut cursor) = (Vec::new(), String::new());
    loop {
        let request =
            proto::ListCurrencyNamesRequest { page: Some(PageRequest { limit: 2, cursor }) };
        let listed = economy.staff.clone().list_currency_names(request).await.unwrap().into_inner();
        assert!(listed.currencies.len() <= 2);
        named.extend(listed.currencies.into_iter().map(|currency| currency.game));
        if listed.next_cursor.is_empty() {
            break;
        }
        cursor = listed.next_cursor;
    }
    assert_eq!(named, slugs[..3]);
}

#[testing::database_test(economy::MIGRATOR)]
async fn an_account_reads_the_oldest_held_report_of_each_game(pool: PgPool) {
    let economy = start(pool).await;
    for game in ["zuri", "bao", "kora"] {
        economy.listed(game, 10).await;
    }
    economy.owned_by(&[ACCOUNT]).await;
    let mut held = Vec::new();
    for (game, meal) in [("zuri", 20), ("bao", 30), ("kora", 10), ("zuri", 40), ("bao", 10)] {
        economy.clock.advance(Duration::HOUR);
        let receipt = economy.report(game, &report(meal)).await.unwrap();
        if !receipt.counted {
            held.push((game.to_owned(), receipt.at, receipt.held.unwrap()));
        }
    }
    let list = async |account: &str| {
        let request = proto::ListOwnHeldReportsRequest { account_id: account.to_owned() };
        let listed = economy.reports.clone().list_own_held_reports(request).await;
        listed.unwrap().into_inner().reports
    };
    let rows = list(ACCOUNT).await.into_iter();
    let rows: Vec<_> = rows.map(|row| (row.game, row.at, row.held)).collect();
    assert_eq!(rows, held[..2]);
    assert_eq!(list(OTHER).await, []);
}

#[testing::database_test(economy::MIGRATOR)]
async fn an_account_reads_the_state_and_reason_of_a_held_report(pool: PgPool) {
    use proto::ReportState::{Counted, Held, Rejected};

    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    economy.owned_by(&[ACCOUNT]).await;
    let mut numbers = Vec::new();
    for meal in [20, 30, 40] {
        economy.clock.advance(Duration::HOUR);
        let held = economy.report("bao", &report(meal)).await.unwrap();
        assert!(!held.counted);
        numbers.push(held.report.unwrap());
    }
    let approve = proto::ApproveReportRequest {
        report: numbers[0],
        reason: "a note for staff".to_owned(),
        ..proto::ApproveReportRequest::default()
    };
    economy.staff.clone().approve_report(approve).await.unwrap();
    let reject = proto::RejectReportRequest {
        report: numbers[1],
        reason: "The meal is a misprint.".to_owned(),
    };
    economy.staff.clone().reject_report(reject).await.unwrap();

    let listed = reports(&economy, ACCOUNT, "bao", (0, "")).await.unwrap().reports;
    let states: Vec<(i64, proto::ReportState, bool, &str)> = (listed.iter())
        .map(|own| {
            let meal = own.report.as_ref().unwrap().meal;
            let meal = i64::try_from(meal).unwrap();
            let reason = own.ended.as_ref().map_or("", |ended| ended.reason.as_str());
            (meal, own.state(), own.held.is_empty(), reason)
        })
        .collect();
    assert_eq!(
        states,
        [
            (40, Held, false, ""),
            (30, Rejected, false, "The meal is a misprint."),
            (20, Counted, false, ""),
            (10, Counted, true, ""),
        ]
    );
    let approved: Vec<bool> = listed.iter().map(|own| own.approved_at.is_some()).collect();
    assert_eq!(approved, [false, false, true, false]);
    let ended = listed[1].ended.as_ref().unwrap();
    assert_eq!((ended.by_account.as_str(), ended.at.is_some()), ("", true));

    let first = reports(&economy, ACCOUNT, "bao", (3, "")).await.unwrap();
    let cursor = first.page.unwrap().next_cursor.unwrap();
    let second = reports(&economy, ACCOUNT, "bao", (3, &cursor)).await.unwrap();
    assert_eq!((first.reports.len(), second.reports.len()), (3, 1));
    assert_eq!(second.reports[0], listed[3]);
    assert_eq!(second.page.unwrap().next_cursor, None);
}
