//! Held reports, and the decisions of staff.

use contracts::common::v1::{Mode, PageRequest};
use contracts::economy::v1 as proto;
use contracts::public::HistoryRow;
use kit::{Code, Fault};
use prost::Message as _;
use sqlx::PgPool;
use time::Duration;

use crate::support::{ACCOUNT, Economy, report, start};

async fn approve(economy: &Economy, report: i64) -> Result<bool, Fault> {
    let request = proto::ApproveReportRequest {
        report,
        ..proto::ApproveReportRequest::default()
    };
    let answer = economy.staff.clone().approve_report(request).await?;
    Ok(answer.into_inner().unchanged)
}

async fn reject(economy: &Economy, report: i64, reason: &str) -> Result<bool, Fault> {
    let request = proto::RejectReportRequest {
        report,
        reason: reason.to_owned(),
        with_older: false,
    };
    let answer = economy.staff.clone().reject_report(request).await?;
    Ok(answer.into_inner().unchanged)
}

/// The held reports of a game, or the newest of each game (empty), read in pages of this many.
async fn held_pages(economy: &Economy, game: &str, limit: u32) -> Vec<proto::HeldReport> {
    let (mut reports, mut cursor) = (Vec::new(), String::new());
    loop {
        let request = proto::ListHeldReportsRequest {
            game: game.to_owned(),
            page: Some(PageRequest { limit, cursor }),
        };
        let answer = economy.staff.clone().list_held_reports(request).await;
        let answer = answer.unwrap().into_inner();
        assert!(answer.reports.len() <= usize::try_from(limit).unwrap());
        reports.extend(answer.reports);
        cursor = answer.next_cursor;
        if cursor.is_empty() {
            return reports;
        }
    }
}

async fn held(economy: &Economy) -> Vec<proto::HeldReport> {
    held_pages(economy, "", 100).await
}

/// Sends a report of each of these prices, all of which are held; returns their numbers.
async fn hold(economy: &Economy, game: &str, meals: &[u64]) -> Vec<i64> {
    let mut numbers = Vec::new();
    for meal in meals {
        economy.clock.advance(Duration::HOUR);
        let answer = economy.report(game, &report(*meal)).await.unwrap();
        assert!(!answer.counted);
        numbers.push(answer.report.unwrap());
    }
    numbers
}

/// Game, number and the number of older held reports of each.
fn numbers(held: &[proto::HeldReport]) -> Vec<(&str, i64, u64)> {
    let mut numbers = Vec::new();
    for held in held {
        let report = held.report.as_ref().unwrap();
        numbers.push((report.game.as_str(), report.id, held.older));
    }
    numbers
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_jump_moves_nothing_until_it_is_approved(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    economy.listed("kora", 10).await;
    economy.clock.advance(Duration::HOUR);
    let answer = economy.report("bao", &report(20)).await.unwrap();
    assert!(!answer.counted);
    let sentence = answer.held.unwrap();
    assert!(
        sentence.contains("meal contributed most, from 10 to 20"),
        "{sentence}"
    );
    assert_eq!(economy.rate("kora", "bao").await.rate.as_str(), "1");
    assert_eq!(economy.all_currencies().await[0].basket.meal, 10);

    let waiting = held(&economy).await;
    assert_eq!(waiting.len(), 1);
    let (new, last) = (
        waiting[0].report.clone().unwrap(),
        waiting[0].last_counted.clone().unwrap(),
    );
    assert_eq!(
        (new.meal, new.cost, last.meal, last.cost),
        (20, 1_200, 10, 600)
    );
    assert_eq!(
        (waiting[0].held.as_str(), new.currency.as_str()),
        (sentence.as_str(), "BAO")
    );

    assert!(!approve(&economy, new.id).await.unwrap());
    assert!(
        approve(&economy, new.id).await.unwrap(),
        "again it changes nothing"
    );
    assert!(held(&economy).await.is_empty());
    let rate = economy.rate("kora", "bao").await;
    assert_eq!(rate.rate.as_str(), "2");
    let bao = &economy.all_currencies().await[0];
    assert_eq!(bao.inflation_pct.as_ref().unwrap().as_str(), "100");
    // The report has its own time, not that of the approval.
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
    assert_eq!(
        approve(&economy, report + 1).await.unwrap_err().code,
        Code::NotFound
    );
}

/// Every order of three approvals leads to the same figures and rates.
#[testing::database_test(economy::MIGRATOR)]
async fn the_order_of_approvals_makes_no_difference(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("kora", 10).await;
    let mut ends = Vec::new();
    for (n, order) in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ]
    .into_iter()
    .enumerate()
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
        let figures = (
            bao.basket.meal,
            bao.inflation_pct.clone(),
            bao.growth_pct.clone(),
        );
        ends.push((figures, economy.rate("kora", &game).await.rate));
    }
    assert!(ends.iter().all(|end| *end == ends[0]), "{ends:?}");
    assert_eq!(ends[0].0.0, 30);
}

#[testing::database_test(economy::MIGRATOR)]
async fn what_staff_do_is_in_the_audit(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    economy.clock.advance(Duration::HOUR);
    let report = economy.report("bao", &report(100)).await.unwrap();
    reject(&economy, report.report.unwrap(), "A typing error.")
        .await
        .unwrap();
    let request = contracts::common::v1::ListAuditRequest::default();
    let entries = economy.staff.clone().list_audit(request).await;
    let entries = entries.unwrap().into_inner().entries;
    let said: Vec<(&str, &str)> = (entries.iter())
        .map(|entry| (entry.action.as_str(), entry.name.as_str()))
        .collect();
    let number = report.report.unwrap().to_string();
    assert_eq!(
        said,
        [("reject_report", number.as_str()), ("set_currency", "bao")]
    );
    assert!(entries[0].details.contains("A typing error."));
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_game_with_many_held_reports_hides_no_other_game(pool: PgPool) {
    let economy = start(pool).await;
    for game in ["bao", "kora", "mbira"] {
        economy.listed(game, 10).await;
    }
    let bao = hold(&economy, "bao", &[20; 101]).await;
    let kora = hold(&economy, "kora", &[30]).await;
    let mbira = hold(&economy, "mbira", &[30, 40]).await;
    let newest = [
        ("bao", bao[100], 100),
        ("kora", kora[0], 0),
        ("mbira", mbira[1], 1),
    ];
    for limit in [1, 2, 3, 100] {
        let listed = held_pages(&economy, "", limit).await;
        assert_eq!(numbers(&listed), newest, "{limit}");
    }
    // All of one game, newest first.
    for limit in [7, 100] {
        let listed = held_pages(&economy, "bao", limit).await;
        let with_older = bao.iter().rev().zip((0..101).rev());
        let expected: Vec<(&str, i64, u64)> =
            with_older.map(|(id, older)| ("bao", *id, older)).collect();
        assert_eq!(numbers(&listed), expected, "{limit}");
        let (first, last) = (&listed[0], &listed[100]);
        assert_eq!(first.last_counted, last.last_counted);
        assert!(first.last_counted.is_some());
    }
    assert_eq!(held_pages(&economy, "kora", 100).await.len(), 1);
    let unknown = proto::ListHeldReportsRequest {
        game: "nothing".to_owned(),
        page: None,
    };
    let fault = economy
        .staff
        .clone()
        .list_held_reports(unknown)
        .await
        .unwrap_err();
    assert_eq!(Fault::from(fault).code, Code::NotFound);
}

#[testing::database_test(economy::MIGRATOR)]
async fn one_call_decides_on_a_report_and_the_older_ones_of_its_game(pool: PgPool) {
    let economy = start(pool).await;
    for game in ["bao", "kora"] {
        economy.listed(game, 10).await;
    }
    let bao = hold(&economy, "bao", &[20, 30, 40, 50]).await;
    let kora = hold(&economy, "kora", &[30, 40]).await;
    let approve = async |report| {
        let request = proto::ApproveReportRequest {
            report,
            with_older: true,
            ..proto::ApproveReportRequest::default()
        };
        let answer = economy.staff.clone().approve_report(request).await?;
        let answer = answer.into_inner();
        Ok::<_, Fault>((answer.unchanged, answer.older))
    };
    // A report that came after the member of staff looked stays held, and so do those of other games.
    assert_eq!(approve(bao[2]).await.unwrap(), (false, 2));
    let waiting = held(&economy).await;
    assert_eq!(
        numbers(&waiting),
        [("bao", bao[3], 0), ("kora", kora[1], 1)]
    );
    assert_eq!(approve(bao[2]).await.unwrap(), (true, 0));
    let all = economy.all_currencies().await;
    assert_eq!((all[0].slug.as_str(), all[0].basket.meal), ("bao", 40));

    let reject = async |report| {
        let request = proto::RejectReportRequest {
            report,
            reason: "The prices are in cents.".to_owned(),
            with_older: true,
        };
        let answer = economy.staff.clone().reject_report(request).await?;
        let answer = answer.into_inner();
        Ok::<_, Fault>((answer.unchanged, answer.older))
    };
    assert!(
        !self::reject(&economy, kora[1], "A typing error.")
            .await
            .unwrap()
    );
    assert_eq!(reject(kora[1]).await.unwrap(), (false, 1), "the older one");
    assert_eq!(numbers(&held(&economy).await), [("bao", bao[3], 0)]);
    let fault = reject(bao[2]).await.unwrap_err();
    assert_eq!(fault.code, Code::PreconditionFailed);
    assert_eq!(approve(bao[3]).await.unwrap(), (false, 0));
    assert!(held(&economy).await.is_empty());
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_report_that_counts_is_taken_back(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("kora", 10).await;
    economy.currency("bao").await;
    economy.owned_by(&[ACCOUNT]).await;
    // The first report of a game is never held.
    let wrong = economy.report("bao", &report(1_000)).await.unwrap();
    let wrong = wrong.report.unwrap();
    let void = async |report, reason: &str| {
        let request = proto::VoidReportRequest {
            report,
            reason: reason.to_owned(),
        };
        let answer = economy.staff.clone().void_report(request).await;
        answer
            .map(|it| it.into_inner().unchanged)
            .map_err(Fault::from)
    };
    assert_eq!(economy.all_currencies().await.len(), 2);
    assert_eq!(void(wrong, "").await.unwrap_err().code, Code::Invalid);
    assert!(!void(wrong, "In cents.").await.unwrap());
    assert!(
        void(wrong, "In cents.").await.unwrap(),
        "again it changes nothing"
    );
    assert_eq!(economy.all_currencies().await.len(), 1);
    let rejected = proto::ReportState::Rejected;
    assert_eq!(
        own_reports(&economy).await,
        [(wrong, rejected, "In cents.".to_owned())]
    );
    economy.clock.advance(Duration::HOUR);
    // The corrected report is compared with no wrong one.
    assert!(economy.report("bao", &report(10)).await.unwrap().counted);
    assert_eq!(economy.rate("bao", "kora").await.rate.as_str(), "1");
    let held = hold(&economy, "bao", &[100]).await[0];
    let refused = void(held, "No.").await.unwrap_err();
    assert_eq!(refused.code, Code::PreconditionFailed);
}

#[testing::database_test(economy::MIGRATOR)]
async fn past_rates_and_figures_are_those_without_a_voided_report(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("kora", 20).await;
    economy.listed("bao", 10).await;
    let mut reports = Vec::new();
    for meal in [12, 15] {
        economy.clock.advance(Duration::HOUR);
        let answer = economy.report("bao", &report(meal)).await.unwrap();
        assert!(answer.counted);
        reports.push(answer);
    }
    economy.clock.advance(Duration::HOUR);
    let rate_then = async || {
        let request = proto::ListRatesRequest {
            from: "bao".to_owned(),
            to: "kora".to_owned(),
            at: reports[0].at,
            ..proto::ListRatesRequest::default()
        };
        let rate = economy.rates_of(request).await.1.remove(0);
        rate.rate.as_str().to_owned()
    };
    // Price of the meal, and inflation.
    let history = async || {
        let request = proto::ListHistoryRequest {
            mode: Mode::Live.into(),
            game: "bao".to_owned(),
            ..proto::ListHistoryRequest::default()
        };
        let answer = economy.history.clone().list_history(request).await;
        let rows: Vec<HistoryRow> =
            serde_json::from_slice(&answer.unwrap().into_inner().json).unwrap();
        let rows = rows.into_iter();
        rows.map(|row| {
            (
                row.basket.meal,
                row.inflation_pct.map(|it| it.as_str().to_owned()),
            )
        })
        .collect::<Vec<_>>()
    };
    let percent = |number: &str| Some(number.to_owned());
    assert_eq!(rate_then().await, "1.66666666666667");
    assert_eq!(
        history().await,
        [(10, None), (12, percent("20")), (15, percent("25"))]
    );

    let void = proto::VoidReportRequest {
        report: reports[0].report.unwrap(),
        reason: "In cents.".to_owned(),
    };
    economy.staff.clone().void_report(void).await.unwrap();
    assert_eq!(rate_then().await, "2");
    assert_eq!(history().await, [(10, None), (15, percent("50"))]);
}

/// Number, state and reason of each report of `bao`, as its owner reads them: the newest first.
async fn own_reports(economy: &Economy) -> Vec<(i64, proto::ReportState, String)> {
    let request = proto::ListOwnReportsRequest {
        account_id: ACCOUNT.to_owned(),
        game: "bao".to_owned(),
        page: None,
    };
    let answer = economy.reports.clone().list_own_reports(request).await;
    let reports = answer.unwrap().into_inner().reports.into_iter();
    reports
        .map(|own| (own.report.as_ref().unwrap().id, own.state(), own.reason))
        .collect()
}

/// What became of held reports, as the feed says it to the owners: the event, the number of the report and the reason.
async fn reviews(economy: &Economy) -> Vec<(String, i64, String)> {
    let rows = sqlx::query!(
        "select event, happening, announced, state from economy.feed where entity = 'report_review' order by seq"
    );
    let rows = rows.fetch_all(&economy.pool).await.unwrap().into_iter();
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
async fn the_owners_of_a_game_learn_what_becomes_of_its_held_reports(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    // Nobody owns the game yet.
    let first = hold(&economy, "bao", &[20]).await[0];
    assert_eq!(reviews(&economy).await, []);
    economy.owned_by(&[ACCOUNT]).await;
    let [second, third] = hold(&economy, "bao", &[21, 22]).await[..] else {
        unreachable!("two reports are held");
    };
    let reject_older = proto::RejectReportRequest {
        report: second,
        reason: "A typing error.".to_owned(),
        with_older: true,
    };
    for _ in 0..2 {
        let mut staff = economy.staff.clone();
        staff.reject_report(reject_older.clone()).await.unwrap();
    }
    approve(&economy, third).await.unwrap();
    let void = proto::VoidReportRequest {
        report: third,
        reason: "It was wrong.".to_owned(),
    };
    economy.staff.clone().void_report(void).await.unwrap();
    let reviews = reviews(&economy).await;
    let told: Vec<(&str, i64)> = reviews
        .iter()
        .map(|(event, report, _)| (event.as_str(), *report))
        .collect();
    assert!(first < second);
    assert_eq!(
        told,
        [
            ("held", second),
            ("held", third),
            // One for both that were rejected.
            ("rejected", second),
            ("counted", third),
            ("voided", third),
        ]
    );
    assert!(
        reviews[0].2.contains("meal contributed most"),
        "{reviews:?}"
    );
    assert_eq!(reviews[2].2, "A typing error.");
    assert_eq!(reviews[4].2, "It was wrong.");

    // They read it with their reports.
    let own = own_reports(&economy).await;
    let rejected = proto::ReportState::Rejected;
    assert_eq!(
        own[..3],
        [
            (third, rejected, "It was wrong.".to_owned()),
            (second, rejected, "A typing error.".to_owned()),
            (first, rejected, "A typing error.".to_owned()),
        ]
    );
}

#[testing::database_test(economy::MIGRATOR)]
async fn the_owners_of_a_game_learn_that_a_report_which_was_never_held_is_voided(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    economy.owned_by(&[ACCOUNT]).await;
    let counted = own_reports(&economy).await[0].0;
    assert_eq!(reviews(&economy).await, []);
    let void = proto::VoidReportRequest {
        report: counted,
        reason: "In cents.".to_owned(),
    };
    for _ in 0..2 {
        let mut staff = economy.staff.clone();
        staff.void_report(void.clone()).await.unwrap();
    }
    let voided = ("voided".to_owned(), counted, "In cents.".to_owned());
    assert_eq!(reviews(&economy).await, [voided], "once");
}
