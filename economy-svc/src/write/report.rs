//! A report of a game (§4.4).

use kit::feed::{Producer, Transaction};
use kit::idempotency;
use kit::{Code, Fault};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::report_review::{self, ReportReview, ReviewEvent};
use super::unknown_game;
use crate::SCHEMA;
use crate::domain::hold;
use crate::domain::report::Report;
use crate::domain::report_policy::ReportPolicy;
use crate::store::games;
use crate::store::reports;
use crate::store::reports::Entry;

/// Submits a report.
#[derive(Debug)]
pub struct SubmitReport {
    /// The game's slug.
    pub game: String,
    pub report: Report,
    pub idempotency_key: Option<idempotency::Key>,
}

/// The answer to a report. A call with an `Idempotency-Key` stores it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportReceipt {
    pub report: i64,
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// Why the report is held, if it does not count.
    pub held: Option<String>,
    /// The answer to an earlier call with the same `Idempotency-Key`.
    #[serde(skip)]
    pub replayed: bool,
}

/// Stores a report, which counts or is held.
pub(crate) async fn submit(
    producer: &Producer,
    submit: &SubmitReport,
    policy: &ReportPolicy,
) -> Result<ReportReceipt, Fault> {
    submit_in(producer.begin().await?, submit, policy).await
}

/// Stores a report in a transaction that has begun, perhaps before that of another report.
async fn submit_in(
    mut transaction: Transaction,
    submit: &SubmitReport,
    policy: &ReportPolicy,
) -> Result<ReportReceipt, Fault> {
    // Of two concurrent reports, the second waits for the first, and is refused as too soon.
    let game = games::lock(&mut transaction, &submit.game).await?.ok_or_else(unknown_game)?;
    if !game.has_currency {
        return Err(no_currency());
    }
    let game = game.id;
    // Under the lock: the time of a report that this one has waited for is earlier.
    let now = transaction.read_time().await?;
    if let Some(key) = &submit.idempotency_key {
        let stored: Option<ReportReceipt> = key.replay(&mut transaction, SCHEMA, now).await?;
        if let Some(receipt) = stored {
            transaction.commit(&[]).await?;
            return Ok(ReportReceipt { replayed: true, ..receipt });
        }
    }
    let baseline = reports::baseline(&mut transaction, game).await?;
    policy.check_interval(baseline.newest_at, now)?;
    let held = baseline.last_counted.and_then(|Entry { id, counted: last }| {
        let (new, percent) = (submit.report.basket, policy.most_jump_percent);
        Some((hold::reason(new, last.report.basket, last.at, percent)?, id))
    });
    let compared = held.as_ref().map(|(reason, id)| (reason.as_str(), *id));
    let (sent, before) = (&submit.report, baseline.newest_at);
    let report = reports::insert(&mut transaction, game, now, before, sent, compared).await?;
    let receipt =
        ReportReceipt { report, at: now, held: held.map(|(reason, _)| reason), replayed: false };
    if let Some(key) = &submit.idempotency_key {
        key.store(&mut transaction, SCHEMA, &receipt, now).await?;
    }
    let change = match &receipt.held {
        // Nobody follows counted reports: their commits do not wait for the head of the feed, which all games share.
        None => None,
        Some(reason) => {
            let review = ReportReview { game, report, event: ReviewEvent::Held, reason };
            report_review::change(&mut transaction, review).await?
        }
    };
    transaction.commit(change.as_slice()).await?;
    Ok(receipt)
}

/// The error for a report of a game without a currency.
pub(crate) fn no_currency() -> Fault {
    Fault::new(
        Code::BadRequest,
        "currency: the game has no currency yet; its owner must first register a name in the dashboard, or staff with `staff currency set`",
    )
}

#[cfg(test)]
mod tests {
    use kit::Clock;
    use kit::feed::Retention;
    use kit::jobs::Leader;
    use kit::lifecycle::Lifecycle;
    use sqlx::PgPool;
    use time::Duration;
    use time::macros::datetime;

    use super::*;
    use crate::domain::report::tests::body;

    const START: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);

    /// The transaction of the first report begins first, and gets the lock second.
    #[testing::database_test(crate::MIGRATOR)]
    #[expect(clippy::disallowed_methods, reason = "statements of a test")]
    async fn the_second_of_two_reports_at_once_leaves_the_first_its_time(pool: PgPool) {
        let (lifecycle, _supervisor) = Lifecycle::new();
        let clock = Clock::fixed(START);
        let leader = Leader::start(&lifecycle, pool.clone(), SCHEMA, clock.clone());
        let producer = Producer::start(&leader, &lifecycle, Retention::default());
        let fill = "insert into economy.game (id, generation, mode, slug, title, published)
                values ('00000000-0000-0000-0000-000000000001', gen_random_uuid(), 'live', 'bao', 'Bao', true);
            insert into economy.currency values ('00000000-0000-0000-0000-000000000001', 'Cowrie', 'epoch', 'staff')";
        sqlx::raw_sql(fill).execute(&pool).await.unwrap();
        let policy = ReportPolicy { report_interval: Duration::HOUR, most_jump_percent: 50 };
        let report = Report::parse(&body().to_string()).unwrap();
        let submit = SubmitReport { game: "bao".to_owned(), report, idempotency_key: None };

        let early = producer.begin().await.unwrap();
        clock.advance(Duration::milliseconds(3));
        let late = producer.begin().await.unwrap();
        let stored = submit_in(late, &submit, &policy).await.unwrap();
        let refused = submit_in(early, &submit, &policy).await.unwrap_err();
        assert_eq!((refused.code, refused.retry_after), (Code::TooSoon, Some(3_600)));
        let at = sqlx::query_scalar!("select at from economy.report").fetch_one(&pool).await;
        assert_eq!(at.unwrap(), stored.at);
        assert_eq!(stored.at, START + Duration::milliseconds(3));
        lifecycle.draining().cancel();
        lifecycle.stopping().cancel();
    }
}
