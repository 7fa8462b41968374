//! Held reports, and the decisions of staff.

use contracts::economy::v1 as proto;
use kit::{Code, Fault};
use sqlx::PgPool;
use time::Duration;

use crate::support::{Economy, report, start};

async fn approve(economy: &Economy, report: i64) -> Result<bool, Fault> {
    let request = proto::ApproveReportRequest {
        report,
        reason: String::new(),
    };
    let answer = economy.staff.clone().approve_report(request).await?;
    Ok(answer.into_inner().unchanged)
}

async fn reject(economy: &Economy, report: i64, reason: &str) -> Result<bool, Fault> {
    let request = proto::RejectReportRequest {
        report,
        reason: reason.to_owned(),
    };
    let answer = economy.staff.clone().reject_report(request).await?;
    Ok(answer.into_inner().unchanged)
}

async fn held(economy: &Economy) -> Vec<proto::HeldReport> {
    let request = proto::ListHeldReportsRequest {};
    let answer = economy.staff.clone().list_held_reports(request).await;
    answer.unwrap().into_inner().reports
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
