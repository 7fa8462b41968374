//! Held reports, and how staff decide them.

use contracts::common::v1::{Mode, PageRequest};
use contracts::economy::v1 as proto;
use contracts::economy::v1::ReportState::{Counted, Held, Rejected, Retracted};
use contracts::public::{HistoryRow, Number};
use economy::store::games;
use kit::api::timestamp;
use kit::{Code, Fault};
use prost::Message as _;
use sqlx::PgPool;
use time::Duration;
use uuid::Uuid;

use crate::support::{ACCOUNT, Economy, report, start};

pub(crate) async fn approve(economy: &Economy, report: i64) -> Result<bool, Fault> {
    let request = proto::ApproveReportRequest { report, ..proto::ApproveReportRequest::default() };
    let answer = economy.staff.clone().approve_report(request).await?;
    Ok(answer.into_inner().unchanged)
}

/// Approves a report as the first in a new unit, or as one in the same unit.
pub(crate) async fn approve_unit(
    economy: &Economy,
    report: i64,
    (new_unit, same_unit): (bool, bool),
) -> Result<bool, Fault> {
    let request = proto::ApproveReportRequest {
        report,
        new_unit,
        same_unit,
        ..proto::ApproveReportRequest::default()
    };
    let answer = economy.staff.clone().approve_report(request).await?;
    Ok(answer.into_inner().unchanged)
}

async fn approve_new_unit(economy: &Economy, report: i64) -> bool {
    let approved = approve_unit(economy, report, (true, false)).await;
    approved.unwrap()
}

pub(crate) async fn retract(economy: &Economy, report: i64, reason: &str) -> Result<bool, Fault> {
    let request = proto::RetractReportRequest { report, reason: reason.to_owned() };
    let answer = economy.staff.clone().retract_report(request).await?;
    Ok(answer.into_inner().unchanged)
}

async fn history(economy: &Economy, game: &str) -> Vec<HistoryRow> {
    let request = proto::ListHistoryRequest {
        mode: Mode::Live.into(),
        game: game.to_owned(),
        ..proto::ListHistoryRequest::default()
    };
    let answer = economy.history.clone().list_history(request).await;
    serde_json::from_slice(&answer.unwrap().into_inner().json).unwrap()
}

pub(crate) async fn reject(economy: &Economy, report: i64, reason: &str) -> Result<bool, Fault> {
    let request = proto::RejectReportRequest { report, reason: reason.to_owned() };
    let answer = economy.staff.clone().reject_report(request).await?;
    Ok(answer.into_inner().unchanged)
}

/// All held reports, read in pages of `limit`.
async fn held_pages(economy: &Economy, limit: u32) -> Vec<proto::HeldReport> {
    let (mut reports, mut cursor) = (Vec::new(), String::new());
    loop {
        let request = proto::ListHeldReportsRequest { page: Some(PageRequest { limit, cursor }) };
        let answer = economy.staff.clone().list_held_reports(request).await.unwrap().into_inner();
        assert!(answer.reports.len() <= usize::try_from(limit).unwrap());
        reports.extend(answer.reports);
        cursor = answer.next_cursor;
        if cursor.is_empty() {
            return reports;
        }
    }
}

async fn held(economy: &Economy) -> Vec<proto::HeldReport> {
    held_pages(economy, 100).await
}

/// Submits a report with each of these prices of a meal, which must all be held; returns their numbers.
pub(crate) async fn hold(economy: &Economy, game: &str, meals: &[u64]) -> Vec<i64> {
    let mut numbers = Vec::new();
    for meal in meals {
        economy.clock.advance(Duration::HOUR);
        let answer = economy.report(game, &report(*meal)).await.unwrap();
        assert!(!answer.counted);
        numbers.push(answer.report.unwrap());
    }
    numbers
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_held_report_moves_no_rate_until_it_is_approved(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    economy.listed("kora", 10).await;
    economy.clock.advance(Duration::HOUR);
    let answer = economy.report("bao", &report(20)).await.unwrap();
    assert!(!answer.counted);
    let sentence = answer.held.unwrap();
    assert!(sentence.contains("meal contributed most, from 10 to 20"), "{sentence}");
    assert_eq!(economy.rate("kora", "bao").await.rate, Number(1.0));
    assert_eq!(economy.all_currencies().await[0].basket.meal, 10);

    let waiting = held(&economy).await;
    assert_eq!(waiting.len(), 1);
    let (new, last) =
        (waiting[0].report.clone().unwrap(), waiting[0].last_counted.clone().unwrap());
    assert_eq!((new.meal, new.cost, last.meal, last.cost), (20, 1_200, 10, 600));
    assert_eq!((waiting[0].held.as_str(), new.currency.as_str()), (sentence.as_str(), "BAO"));

    assert!(!approve(&economy, new.id).await.unwrap());
    assert!(approve(&economy, new.id).await.unwrap(), "again it changes nothing");
    assert!(held(&economy).await.is_empty());
    let rate = economy.rate("kora", "bao").await;
    assert_eq!(rate.rate, Number(2.0));
    let bao = &economy.all_currencies().await[0];
    assert_eq!(bao.inflation_pct, Some(Number(100.0)));
    // An approved report keeps the time at which it was submitted.
    economy.clock.advance(Duration::HOUR);
    assert_eq!(bao.reported_at.0, economy.clock.now() - Duration::HOUR);
    let fault = reject(&economy, new.id, "No.").await.unwrap_err();
    assert_eq!(fault.code, Code::PreconditionFailed);
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_rejected_report_never_counts(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    economy.clock.advance(Duration::HOUR);
    let report = economy.report("bao", &report(100)).await.unwrap();
    let report = report.report.unwrap();
    let fault = reject(&economy, report, " ").await.unwrap_err();
    assert_eq!(fault.code, Code::Invalid);
    let version = async || economy.rates_of(proto::ListRatesRequest::default()).await.0;
    let before = version().await;
    assert!(!reject(&economy, report, "A typing error.").await.unwrap());
    assert_eq!(version().await, before, "a rejection renders nothing anew");
    assert!(reject(&economy, report, "Again.").await.unwrap());
    let fault = approve(&economy, report).await.unwrap_err();
    assert_eq!(fault.code, Code::PreconditionFailed);
    assert!(held(&economy).await.is_empty());
    assert_eq!(economy.all_currencies().await[0].basket.meal, 10);
    assert_eq!(approve(&economy, report + 1).await.unwrap_err().code, Code::NotFound);
}

#[testing::database_test(economy::MIGRATOR)]
async fn every_order_of_approvals_gives_the_same_rates(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("kora", 10).await;
    let mut ends = Vec::new();
    for (n, order) in
        [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]].into_iter().enumerate()
    {
        let game = format!("bao-{n}");
        economy.listed(&game, 10).await;
        let mut reports = Vec::new();
        for meal in [20, 40, 30] {
            economy.clock.advance(Duration::HOUR);
            let answer = economy.report(&game, &report(meal)).await.unwrap();
            assert!(!answer.counted);
            reports.push(answer.report.unwrap());
        }
        for place in order {
            approve(&economy, reports[place]).await.unwrap();
        }
        let all = economy.all_currencies().await;
        let bao = all.iter().find(|currency| currency.slug == game).unwrap();
        let figures = (bao.basket.meal, bao.inflation_pct, bao.growth_pct);
        ends.push((figures, economy.rate("kora", &game).await.rate));
    }
    assert!(ends.iter().all(|end| *end == ends[0]), "{ends:?}");
    assert_eq!(ends[0].0.0, 30);
}

#[testing::database_test(economy::MIGRATOR)]
async fn actions_of_staff_are_in_the_audit_log(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    economy.clock.advance(Duration::HOUR);
    let report = economy.report("bao", &report(100)).await.unwrap();
    reject(&economy, report.report.unwrap(), "A typing error.").await.unwrap();
    let request = contracts::common::v1::ListAuditRequest::default();
    let entries = economy.staff.clone().list_audit(request).await;
    let entries = entries.unwrap().into_inner().entries;
    let said: Vec<(&str, &str)> =
        (entries.iter()).map(|entry| (entry.action.as_str(), entry.name.as_str())).collect();
    let number = report.report.unwrap().to_string();
    assert_eq!(said, [("reject_report", number.as_str()), ("set_currency", "bao")]);
    assert!(entries[0].details.contains("A typing error."));
}

#[testing::database_test(economy::MIGRATOR)]
async fn held_reports_are_paginated(pool: PgPool) {
    let economy = start(pool).await;
    for game in ["bao", "kora"] {
        economy.listed(game, 10).await;
    }
    let mut expected = Vec::new();
    for (game, meals) in [("bao", &[20, 30][..]), ("kora", &[30][..]), ("bao", &[40][..])] {
        let held = hold(&economy, game, meals).await.into_iter();
        expected.extend(held.map(|report| (game, report)));
    }
    for limit in [1, 2, 3, 100] {
        let listed = held_pages(&economy, limit).await;
        let listed: Vec<(&str, i64)> = (listed.iter())
            .map(|held| {
                assert!(held.last_counted.is_some());
                let report = held.report.as_ref().unwrap();
                (report.game.as_str(), report.id)
            })
            .collect();
        assert_eq!(listed, expected, "{limit}");
    }
}

#[testing::database_test(economy::MIGRATOR)]
async fn the_held_report_of_a_game_that_is_gone_ends_no_list(pool: PgPool) {
    let economy = start(pool).await;
    let mut reports = Vec::new();
    for game in ["bao", "kora", "mancala"] {
        economy.listed(game, 10).await;
        reports.extend(hold(&economy, game, &[20]).await);
    }
    // A rebuild of the feed lacks `kora`.
    let mut connection = economy.pool.acquire().await.unwrap();
    games::sweep(&mut connection, Uuid::max()).await.unwrap();
    for game in ["bao", "mancala"] {
        economy.game(game, true).await;
    }
    let listed: Vec<i64> =
        held_pages(&economy, 1).await.into_iter().map(|held| held.report.unwrap().id).collect();
    assert_eq!(listed, [reports[0], reports[2]]);
}

/// The number, state and reason of each report of `bao`, newest first, as its owner reads them.
async fn own_reports(economy: &Economy) -> Vec<(i64, proto::ReportState, String)> {
    let request = proto::ListOwnReportsRequest {
        account_id: ACCOUNT.to_owned(),
        game: "bao".to_owned(),
        page: None,
    };
    let answer = economy.reports.clone().list_own_reports(request).await;
    let reports = answer.unwrap().into_inner().reports.into_iter();
    reports.map(numbered).collect()
}

/// The reports of a game, newest first, as staff read them.
async fn staff_reports(economy: &Economy, game: &str) -> Vec<proto::StaffReport> {
    let request = proto::ListReportsRequest { game: game.to_owned(), page: None };
    let answer = economy.staff.clone().list_reports(request).await;
    answer.unwrap().into_inner().reports
}

/// The number, state and reason of a report.
fn numbered(own: proto::OwnReport) -> (i64, proto::ReportState, String) {
    let (state, ended) = (own.state(), own.ended.unwrap_or_default());
    (own.report.unwrap().id, state, ended.reason)
}

/// The reviews on the feed, which carry the owners' account ids: the event, the number of the report and the reason.
async fn reviews(economy: &Economy) -> Vec<(String, i64, String)> {
    let rows = sqlx::query!(
        "select event, happening, announced, state from economy.feed where entity = 'report_review' order by seq"
    ).fetch_all(&economy.pool).await.unwrap().into_iter();
    rows.map(|row| {
        assert!(row.happening && !row.announced);
        let review = proto::ReportReview::decode(&*row.state).unwrap();
        assert_eq!(review.account_ids, [ACCOUNT]);
        assert_eq!(review.game, "bao");
        (row.event, review.report, review.reason)
    })
    .collect()
}

#[testing::database_test(economy::MIGRATOR)]
async fn the_reviews_of_held_reports_are_published_to_the_owners(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    // A game without owners has no review on the feed.
    let first = hold(&economy, "bao", &[20]).await[0];
    assert_eq!(reviews(&economy).await, []);
    economy.owned_by(&[ACCOUNT]).await;
    let [second, third] = hold(&economy, "bao", &[21, 22]).await[..] else {
        unreachable!("two reports are held");
    };
    for _ in 0..2 {
        reject(&economy, second, "A typing error.").await.unwrap();
    }
    approve(&economy, third).await.unwrap();
    let reviews = reviews(&economy).await;
    let told: Vec<(&str, i64)> =
        reviews.iter().map(|(event, report, _)| (event.as_str(), *report)).collect();
    assert!(first < second);
    assert_eq!(
        told,
        [("held", second), ("held", third), ("rejected", second), ("counted", third),]
    );
    assert!(reviews[0].2.contains("meal contributed most"), "{reviews:?}");
    assert_eq!(reviews[2].2, "A typing error.");

    // The owners read the reason with the report.
    let own = own_reports(&economy).await;
    assert_eq!(own[1], (second, Rejected, "A typing error.".to_owned()));
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_retraction_ends_a_report_at_its_time_however_it_came_to_count(pool: PgPool) {
    let economy = start(pool).await;
    economy.owned_by(&[ACCOUNT]).await;
    economy.listed("bao", 10).await;
    let [approved, rejected] = hold(&economy, "bao", &[20, 21]).await[..] else {
        unreachable!("two reports are held");
    };
    approve(&economy, approved).await.unwrap();
    reject(&economy, rejected, "A typing error.").await.unwrap();
    economy.clock.advance(Duration::DAY);
    let retracted_at = Some(timestamp::encode(economy.clock.now()));
    let first = own_reports(&economy).await[2].0;
    for report in [first, approved] {
        retract(&economy, report, "A slip.").await.unwrap();
    }
    // Of the second time, nothing is left.
    economy.clock.advance(Duration::DAY);
    for report in [first, approved, rejected] {
        assert!(retract(&economy, report, "Again.").await.unwrap());
        assert!(reject(&economy, report, "Again.").await.unwrap());
        let fault = approve(&economy, report).await.unwrap_err();
        assert_eq!(fault.code, Code::PreconditionFailed);
    }
    let request = proto::ListOwnReportsRequest {
        account_id: ACCOUNT.to_owned(),
        game: "bao".to_owned(),
        page: None,
    };
    let listed = economy.reports.clone().list_own_reports(request).await;
    let own = listed.unwrap().into_inner().reports;
    let states: Vec<_> = own.iter().map(proto::OwnReport::state).collect();
    assert_eq!(states, [Rejected, Retracted, Retracted]);
    assert!(own.iter().all(|own| own.approved_at.is_none()));
    let ended = |own: &proto::OwnReport| own.ended.clone().unwrap();
    assert_eq!(ended(&own[0]).reason, "A typing error.");
    for own in &own[1..] {
        let ended = ended(own);
        assert_eq!((ended.at, ended.reason.as_str()), (retracted_at, "A slip."));
        assert_eq!(ended.by_account, "", "staff");
    }
}

#[testing::database_test(economy::MIGRATOR)]
async fn staff_read_the_unit_of_a_report_and_who_decided_on_it(pool: PgPool) {
    let economy = start(pool).await;
    economy.owned_by(&[ACCOUNT]).await;
    economy.listed("bao", 10).await;
    let [first, second] = hold(&economy, "bao", &[1_000, 1_001]).await[..] else {
        unreachable!("two reports are held");
    };
    let request = proto::ApproveReportRequest {
        report: first,
        reason: "redenominated".to_owned(),
        new_unit: true,
        same_unit: false,
    };
    economy.staff.clone().approve_report(request).await.unwrap();
    let decided_at = Some(timestamp::encode(economy.clock.now()));
    reject(&economy, second, "A typing error.").await.unwrap();
    let read = async || {
        let reports = staff_reports(&economy, "bao").await.into_iter();
        let reports: Vec<_> =
            reports.map(|it| (it.new_unit, it.decided_by, it.decided_at, it.note)).collect();
        reports
    };
    let decided =
        |new_unit, note: &str| (new_unit, "operator".to_owned(), decided_at, note.to_owned());
    let undecided = (false, String::new(), None, String::new());
    let rejected = decided(false, "A typing error.");
    let expected = [rejected.clone(), decided(true, "redenominated"), undecided.clone()];
    assert_eq!(read().await, expected);
    // Owners read no note of an approval.
    let own = own_reports(&economy).await;
    assert_eq!(own[1], (first, Counted, String::new()));
    // The unit is corrected.
    approve_unit(&economy, first, (false, true)).await.unwrap();
    assert_eq!(read().await, [rejected, decided(false, ""), undecided]);
}

/// The meal and the inflation of each row of a history.
fn prices(rows: &[HistoryRow]) -> Vec<(u64, Option<Number>)> {
    let rows = rows.iter();
    rows.map(|row| (row.basket.meal, row.inflation_pct)).collect()
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_retracted_report_is_as_if_it_had_never_counted(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("kora", 10).await;
    economy.currency("bao").await;
    economy.owned_by(&[ACCOUNT]).await;
    let mut numbers = Vec::new();
    for meal in [10, 14, 20] {
        let answer = economy.report("bao", &report(meal)).await.unwrap();
        assert!(answer.counted, "{meal}");
        numbers.push(answer.report.unwrap());
        economy.clock.advance(Duration::HOUR);
    }
    let fault = retract(&economy, numbers[1], " ").await.unwrap_err();
    assert!(fault.fields.contains_key("reason"), "{fault}");
    assert!(!retract(&economy, numbers[1], "A slip.").await.unwrap());
    assert!(retract(&economy, numbers[1], "Again.").await.unwrap());
    // The report after it is compared with the one before it.
    let rows = prices(&history(&economy, "bao").await);
    assert_eq!(rows, [(10, None), (20, Some(Number(100.0)))]);
    assert!(!retract(&economy, numbers[2], "A slip.").await.unwrap());
    assert_eq!(economy.rate("kora", "bao").await.rate, Number(1.0));
    let fault = approve(&economy, numbers[2]).await.unwrap_err();
    assert_eq!(fault.code, Code::PreconditionFailed);
    // The next report is compared with the last one that counts.
    let held = economy.report("bao", &report(18)).await.unwrap();
    assert!(!held.counted, "80 % more than 10");
    let held = held.report.unwrap();
    let fault = retract(&economy, held, "A slip.").await.unwrap_err();
    assert_eq!(fault.code, Code::PreconditionFailed);

    let listed: Vec<_> = staff_reports(&economy, "bao").await;
    let listed: Vec<_> = listed.into_iter().map(|it| numbered(it.report.unwrap())).collect();
    assert_eq!(listed, own_reports(&economy).await);
    let states: Vec<_> = listed.iter().map(|(_, state, _)| *state).collect();
    assert_eq!(states, [Held, Retracted, Retracted, Counted]);
    assert_eq!(listed[2].2, "A slip.");
    let told: Vec<_> = reviews(&economy).await.into_iter().take(2).collect();
    let retracted = |report| ("retracted".to_owned(), report, "A slip.".to_owned());
    assert_eq!(told, [retracted(numbers[1]), retracted(numbers[2])]);
    let request = contracts::common::v1::ListAuditRequest::default();
    let entries = economy.staff.clone().list_audit(request).await;
    let newest = entries.unwrap().into_inner().entries.remove(0);
    assert_eq!(newest.action, "retract_report");
    assert!(newest.details.contains("A slip."), "{newest:?}");
    // Without a counted report, the currency is not listed.
    assert!(!retract(&economy, numbers[0], "A slip.").await.unwrap());
    assert_eq!(economy.all_currencies().await.len(), 1);
}

#[testing::database_test(economy::MIGRATOR)]
async fn figures_begin_anew_with_a_new_unit(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("kora", 10).await;
    economy.owned_by(&[ACCOUNT]).await;
    let games = ["bao", "mancala"];
    for game in games {
        economy.listed(game, 1_000).await;
    }
    economy.clock.advance(Duration::DAY);
    for game in games {
        economy.report(game, &report(1_000)).await.unwrap();
        for (n, party) in [(1, "ada"), (2, "ada"), (3, "bayo")] {
            let id = format!("{game}-{n}");
            economy.swap(&id, party, (game, 1_000), ("kora", 9)).await;
        }
    }
    let rate = economy.rate("bao", "kora").await;
    assert_eq!((&*rate.source, rate.rate), ("market", Number(0.009)));
    let mut held = Vec::new();
    for meal in [10, 11] {
        economy.clock.advance(Duration::HOUR);
        for game in games {
            let answer = economy.report(game, &report(meal)).await.unwrap();
            assert!(!answer.counted);
            held.push(answer.report.unwrap());
        }
    }
    // Each order gives the same, also when the unit is said afterwards.
    assert!(!approve_new_unit(&economy, held[0]).await);
    assert!(!approve(&economy, held[2]).await.unwrap());
    assert!(!approve(&economy, held[3]).await.unwrap());
    assert!(!approve(&economy, held[1]).await.unwrap());
    assert!(!approve_new_unit(&economy, held[1]).await);
    assert!(approve_new_unit(&economy, held[1]).await);
    let told = sqlx::query_scalar!(
        r#"select count(*) as "count!" from economy.feed where entity = 'report_review' and event = 'counted'"#
    );
    assert_eq!(told.fetch_one(&economy.pool).await.unwrap(), 4);
    let currencies = economy.all_currencies().await;
    for game in games {
        let rows = history(&economy, game).await;
        let (some, none) = (|percent| Some(Number(percent)), None);
        let expected = [(1_000, none), (1_000, some(0.0)), (10, none), (11, some(10.0))];
        assert_eq!(prices(&rows), expected);
        let units: Vec<bool> = rows.iter().map(|row| row.new_unit).collect();
        assert_eq!(units, [false, false, true, false]);
        assert_eq!((rows[2].growth_pct, rows[2].money_growth_pct), (none, none));
        assert!(rows[3].growth_pct.is_some());
        let listed = currencies.iter().find(|listed| listed.slug == game).unwrap();
        assert_eq!((listed.inflation_pct, listed.trade_balance), (some(10.0), 0));
        // Swaps in the old unit make no market.
        let rate = economy.rate("kora", game).await;
        assert_eq!((&*rate.source, rate.rate), ("worked", Number(1.1)));
        assert_eq!(rate.day_change_pct, None);
    }
    economy.clock.advance(Duration::HOUR * 23);
    let rate = economy.rate("kora", "bao").await;
    assert_eq!(rate.day_change_pct, Some(Number(10.0)));
    // Without the report that began the unit, the next one is compared with the old unit, unless it is said to begin the unit.
    retract(&economy, held[0], "A slip.").await.unwrap();
    let rows = prices(&history(&economy, "bao").await);
    assert_eq!(rows[2], (11, Some(Number(-98.9))));
    assert!(!approve_new_unit(&economy, held[2]).await);
    let rows = prices(&history(&economy, "bao").await);
    assert_eq!(rows[2], (11, None));
    // Only an explicit correction takes back what was said by mistake.
    assert!(approve(&economy, held[2]).await.unwrap());
    let rows = prices(&history(&economy, "bao").await);
    assert_eq!(rows[2], (11, None));
    let both = approve_unit(&economy, held[2], (true, true)).await;
    assert!(both.unwrap_err().fields.contains_key("same_unit"));
    for unchanged in [false, true] {
        let approved = approve_unit(&economy, held[2], (false, true)).await;
        assert_eq!(approved.unwrap(), unchanged);
        let rows = prices(&history(&economy, "bao").await);
        assert_eq!(rows[2], (11, Some(Number(-98.9))));
    }
}
