//! What an account reads of its own games: currencies, reports, and the rate of a pair over time.

use contracts::common::v1::PageRequest;
use contracts::economy::v1 as proto;
use kit::{Code, Fault, timestamp};
use sqlx::PgPool;
use time::Duration;

use crate::support::{ACCOUNT, Economy, START, report, start};

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
    let listed = economy
        .currencies
        .clone()
        .list_own_currencies(request)
        .await?;
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
        page: Some(PageRequest {
            limit: page.0,
            cursor: page.1.to_owned(),
        }),
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
    economy
        .currencies
        .clone()
        .set_own_currency(request)
        .await
        .unwrap();
    let games = own(&economy, ACCOUNT, "").await.unwrap();
    let shown: Vec<(&str, &str, bool, usize)> = (games.iter())
        .map(|own| {
            (
                own.game.as_str(),
                own.title.as_str(),
                own.published,
                own.names.len(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [("bao", "The bao", true, 2), ("kora", "The kora", false, 0)]
    );
    let names: Vec<(&str, &str)> = (games[0].names.iter())
        .map(|name| (name.name.as_str(), name.given_by.as_str()))
        .collect();
    assert_eq!(names, [("Cowrie", "account"), ("BAO", "staff")]);
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
async fn the_games_of_an_account_have_pages_and_a_currency_has_its_newest_names(pool: PgPool) {
    let economy = start(pool).await;
    let slugs: Vec<String> = (100..225).map(|n| format!("game-{n}")).collect();
    for slug in &slugs {
        economy.game(slug, true).await;
    }
    economy.owned_by(&[ACCOUNT]).await;
    for n in 0..102 {
        economy.name(&slugs[0], &format!("Name {n}")).await;
    }
    let (mut games, mut cursor) = (Vec::new(), String::new());
    loop {
        let request = proto::ListOwnCurrenciesRequest {
            account_id: ACCOUNT.to_owned(),
            game: String::new(),
            page: Some(PageRequest { limit: 50, cursor }),
        };
        let listed = economy
            .currencies
            .clone()
            .list_own_currencies(request)
            .await;
        let listed = listed.unwrap().into_inner();
        assert!(listed.currencies.len() <= 50);
        games.extend(listed.currencies);
        let Some(next) = listed.page.unwrap().next_cursor else {
            break;
        };
        cursor = next;
    }
    let listed: Vec<&str> = games.iter().map(|own| own.game.as_str()).collect();
    assert_eq!(listed, slugs);
    assert_eq!(games[0].names.len(), 100);
    assert_eq!(games[0].names[0].name, "Name 101");

    // Staff read all names, page by page.
    let (mut names, mut cursor) = (Vec::new(), String::new());
    loop {
        let request = proto::ListCurrencyNamesRequest {
            page: Some(PageRequest { limit: 100, cursor }),
        };
        let listed = economy.staff.clone().list_currency_names(request).await;
        let listed = listed.unwrap().into_inner();
        for currency in listed.currencies {
            assert_eq!(currency.game, slugs[0]);
            names.extend(currency.names.into_iter().map(|name| name.name));
        }
        if listed.next_cursor.is_empty() {
            break;
        }
        cursor = listed.next_cursor;
    }
    let expected: Vec<String> = (0..102).rev().map(|n| format!("Name {n}")).collect();
    assert_eq!(names, expected);
}

#[testing::database_test(economy::MIGRATOR)]
async fn an_account_reads_why_a_report_is_held_and_what_became_of_it(pool: PgPool) {
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
        with_older: false,
    };
    economy.staff.clone().approve_report(approve).await.unwrap();
    let reject = proto::RejectReportRequest {
        report: numbers[1],
        reason: "The meal is a misprint.".to_owned(),
        with_older: false,
    };
    economy.staff.clone().reject_report(reject).await.unwrap();

    let listed = reports(&economy, ACCOUNT, "bao", (0, ""))
        .await
        .unwrap()
        .reports;
    let states: Vec<(i64, proto::ReportState, bool, &str)> = (listed.iter())
        .map(|own| {
            let meal = own.report.as_ref().unwrap().meal;
            let meal = i64::try_from(meal).unwrap();
            (meal, own.state(), own.held.is_empty(), own.reason.as_str())
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
    assert!(listed[1].decided_at.is_some() && listed[0].decided_at.is_none());

    let first = reports(&economy, ACCOUNT, "bao", (3, "")).await.unwrap();
    let cursor = first.page.unwrap().next_cursor.unwrap();
    let second = reports(&economy, ACCOUNT, "bao", (3, &cursor))
        .await
        .unwrap();
    assert_eq!((first.reports.len(), second.reports.len()), (3, 1));
    assert_eq!(second.reports[0], listed[3]);
    assert_eq!(second.page.unwrap().next_cursor, None);
}

async fn series(
    economy: &Economy,
    from: &str,
    to: &str,
    days: u32,
) -> Result<Vec<proto::RatePoint>, Fault> {
    let request = proto::ListRateSeriesRequest {
        from: from.to_owned(),
        to: to.to_owned(),
        days,
    };
    let listed = economy.rates.clone().list_rate_series(request).await?;
    Ok(listed.into_inner().points)
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_series_has_the_rates_that_past_reads_have(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    economy.listed("kora", 20).await;
    for day in 0..3_u64 {
        economy.clock.advance(Duration::DAY);
        economy.report("bao", &report(11 + day)).await.unwrap();
        for (id, party) in [("a", "ada"), ("b", "bob"), ("c", "ada")] {
            if day == 1 {
                let swap = economy.swap(id, party, ("bao", 10), ("kora", 7));
                swap.await.unwrap();
            }
        }
    }
    let points = series(&economy, "bao", "kora", 10).await.unwrap();
    // The games were listed at 08:00 of the first day: the midnights of the next three, and now.
    assert_eq!(points.len(), 4, "{points:?}");
    let sources: Vec<&str> = points.iter().map(|point| point.source.as_str()).collect();
    assert_eq!(sources, ["worked", "worked", "market", "worked"]);
    for (from, to) in [("bao", "kora"), ("kora", "bao")] {
        for point in series(&economy, from, to, 10).await.unwrap() {
            let request = proto::ListRatesRequest {
                from: from.to_owned(),
                to: to.to_owned(),
                at: point.at,
                ..proto::ListRatesRequest::default()
            };
            let rate = economy.rates_of(request).await.1.remove(0);
            assert_eq!(rate.rate.as_str(), point.rate);
            assert_eq!(rate.source, point.source);
        }
    }
    let last = points[3].at.and_then(timestamp::decode);
    assert_eq!(last, Some(START + Duration::days(3)));
    for (from, to, days, field) in [
        ("bao", "bao", 1, "to"),
        ("nothing", "bao", 1, "from"),
        ("bao", "b\0o", 1, "to"),
        ("bao", "kora", 93, "days"),
    ] {
        let refused = series(&economy, from, to, days).await.unwrap_err();
        assert!(refused.fields.contains_key(field), "{refused}");
    }
}
