//! Records the results of attempts to all endpoints, many in one transaction.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::Duration;

use kit::feed::NewChange;
use time::OffsetDateTime;
use tokio::sync::{Mutex, mpsc};
use uuid::Uuid;

use super::Shared;
use super::attempt::MadeAttempt;
use super::pages::DueDelivery;
use crate::domain::health::{self, DisablePolicy};
use crate::domain::schedule::JITTER;
use crate::http::AttemptOutcome;
use crate::notice;
use crate::store::attempts::{self, Completion};
use crate::store::deliveries::DeliveryState;
use crate::store::endpoints::{self, Endpoint, EndpointState};
use crate::store::queue::Claim;

/// Maximum records of one transaction.
const BATCH: usize = 1_000;
/// Delay before a failed transaction is repeated.
const BACKOFF: Duration = Duration::from_millis(500);

/// A result to record. The recorder sends the delivery's id to `acknowledge` after the commit.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) claim: Claim,
    pub(super) due: DueDelivery,
    pub(super) outcome: Outcome,
    pub(super) acknowledge: mpsc::UnboundedSender<i64>,
}

#[derive(Debug)]
pub(super) enum Outcome {
    Attempt(MadeAttempt),
    /// An attempt that is not made. It is logged with this reason, and counts as an attempt.
    Cancelled(&'static str),
}

/// Records until all senders are dropped. Several recorders share `records`: one collects a batch while the other waits for its commit.
pub(super) async fn run(shared: Arc<Shared>, records: Arc<Mutex<mpsc::Receiver<Record>>>) {
    let mut batch = Vec::with_capacity(BATCH);
    while records.lock().await.recv_many(&mut batch, BATCH).await > 0 {
        // A result is never dropped: its delivery would be sent again.
        while let Err(error) =
            shared.with_statement_timeout(Box::pin(record(&shared, &batch))).await
        {
            let error = format!("{error:#}");
            tracing::warn!(error, attempts = batch.len(), "cannot record attempts; trying again");
            tokio::time::sleep(BACKOFF).await;
        }
        for record in batch.drain(..) {
            count(&record.outcome);
            if record.acknowledge.send(record.due.id).is_err() {
                let delivery = record.due.id;
                tracing::debug!(delivery, "the worker ended before its attempt was recorded");
            }
        }
    }
}

fn count(outcome: &Outcome) {
    let name = match outcome {
        Outcome::Cancelled(_) => "cancelled",
        Outcome::Attempt(attempt) => match attempt.result.outcome {
            AttemptOutcome::Delivered => "delivered",
            AttemptOutcome::Failed => "failed",
            AttemptOutcome::Gone => "gone",
        },
    };
    metrics::counter!("webhook_attempts_total", "outcome" => name).increment(1);
}

async fn record(shared: &Shared, batch: &[Record]) -> anyhow::Result<()> {
    let now = shared.now();
    let completions: Vec<Completion> =
        (batch.iter()).map(|record| completion(shared, record, now)).collect();
    let reports: Vec<AttemptReport<'_>> = (batch.iter().zip(&completions))
        .filter_map(|(record, completion)| report(record, completion))
        .collect();
    if (reports.iter()).all(|it| it.outcome == health::Outcome::Delivered) {
        // The usual batch is one statement.
        let mut connection = shared.pool.acquire().await?;
        attempts::complete(&mut connection, shared.holder, &completions, now).await?;
        return Ok(());
    }
    let mut transaction = shared.producer.begin().await?;
    // All endpoints that the transaction may change, in one order: two recorders cannot wait for each other.
    let ids: HashSet<Uuid> = completions.iter().map(|it| it.claim.endpoint).collect();
    let endpoints = endpoints::lock_all(&mut transaction, &Vec::from_iter(ids)).await?;
    let recorded = attempts::complete(&mut transaction, shared.holder, &completions, now).await?;
    let mut counted = counted_reports(&reports, recorded.into_iter().collect());
    let mut notices = Vec::new();
    for mut endpoint in endpoints {
        // An attempt that was in flight when its endpoint got another address says nothing about that address.
        let mut reports = counted.remove(&endpoint.id).unwrap_or_default();
        reports.retain(|it| *it.url == endpoint.url);
        let outcomes: Vec<health::Outcome> = reports.iter().map(|it| it.outcome).collect();
        // `complete` has recorded successes already.
        if (outcomes.iter()).any(|it| *it != health::Outcome::Delivered) {
            let policy = shared.disable_policy;
            let before = endpoint.state;
            notices.extend(apply(&mut endpoint, &outcomes, policy, now));
            endpoints::set_health(&mut transaction, endpoint.id, endpoint.health()).await?;
            if endpoint.state != before {
                endpoints::set_state(&mut transaction, &endpoint, now).await?;
            }
        }
    }
    transaction.commit(&notices).await?;
    Ok(())
}

/// What the attempt of a delivery says about its endpoint.
#[derive(Debug, Clone, Copy)]
struct AttemptReport<'a> {
    endpoint: Uuid,
    delivery: i64,
    /// The URL of the attempt.
    url: &'a str,
    outcome: health::Outcome,
}

/// `None`: the delivery was cancelled, or waits for its next attempt.
fn report<'a>(record: &'a Record, completion: &Completion) -> Option<AttemptReport<'a>> {
    let Outcome::Attempt(attempt) = &record.outcome else {
        return None;
    };
    let outcome = match (attempt.result.outcome, completion.state) {
        (AttemptOutcome::Gone, _) => health::Outcome::Gone,
        (AttemptOutcome::Delivered, _) => health::Outcome::Delivered,
        (AttemptOutcome::Failed, DeliveryState::Failed) => health::Outcome::Failed(completion.at),
        (AttemptOutcome::Failed, _) => return None,
    };
    Some(AttemptReport {
        endpoint: record.claim.endpoint,
        delivery: record.due.id,
        url: &attempt.url,
        outcome,
    })
}

/// The reports by endpoint, in their order. Failures and 410s must be `recorded`, and count once: an attempt is in the batch twice when a worker
/// panicked before its results were recorded.
fn counted_reports<'a>(
    reports: &[AttemptReport<'a>],
    mut recorded: HashSet<(Uuid, i64)>,
) -> HashMap<Uuid, Vec<AttemptReport<'a>>> {
    let mut counted: HashMap<Uuid, Vec<AttemptReport<'a>>> = HashMap::new();
    for report in reports {
        let is_success = report.outcome == health::Outcome::Delivered;
        if is_success || recorded.remove(&(report.endpoint, report.delivery)) {
            counted.entry(report.endpoint).or_default().push(*report);
        }
    }
    counted
}

/// Applies outcomes to an endpoint, which they may switch off. Returns the notice for its owners.
fn apply(
    endpoint: &mut Endpoint,
    outcomes: &[health::Outcome],
    policy: DisablePolicy,
    now: OffsetDateTime,
) -> Option<NewChange> {
    let mut health = endpoint.health();
    health.apply(outcomes, now);
    // The owner is told once that the endpoint is off. The state of a newer version stays.
    let is_known_on = matches!(endpoint.state, EndpointState::On | EndpointState::Paused);
    let notice = is_known_on.then(|| health.notice(outcomes, policy, now)).flatten();
    endpoint.set_health(health);
    let notice = notice?;
    if let Some(reason) = notice.reason() {
        endpoint.state = EndpointState::Off;
        reason.clone_into(&mut endpoint.reason);
    }
    Some(notice::change(endpoint, notice))
}

/// The result of an attempt as it is stored, with the delivery's state after it. A 410 uses up no attempt: it switches the endpoint off, unless
/// the address was changed during the attempt.
fn completion(shared: &Shared, record: &Record, now: OffsetDateTime) -> Completion {
    let due = &record.due;
    let completion = Completion {
        claim: record.claim,
        delivery_id: due.id,
        number: due.attempts + 1,
        at: now,
        duration_ms: 0,
        status: None,
        reason: String::new(),
        answer: Vec::new(),
        state: DeliveryState::Cancelled,
        attempts_left: due.attempts_left - 1,
        was_due_at: due.due_at,
        due_at: None,
    };
    let (result, at) = match &record.outcome {
        Outcome::Attempt(MadeAttempt { result, at, .. }) => (result, at),
        Outcome::Cancelled(reason) => {
            let reason = (*reason).to_owned();
            return Completion { reason, ..completion };
        }
    };
    let schedule = &shared.schedule;
    let (attempts_left, due_at) = match result.outcome {
        AttemptOutcome::Delivered => (completion.attempts_left, None),
        AttemptOutcome::Gone => (due.attempts_left, Some(now)),
        AttemptOutcome::Failed => {
            let left = completion.attempts_left;
            let next = schedule.next_attempt_at(left, jitter(due), result.retry_after, now);
            (left, next)
        }
    };
    let reason = result.reason.clone().unwrap_or_default();
    Completion {
        at: *at,
        duration_ms: i32::try_from(result.duration.as_millis()).unwrap_or(i32::MAX),
        status: result.status.map(i32::from),
        // PostgreSQL texts cannot contain NUL.
        reason: reason.replace('\0', "\u{FFFD}"),
        answer: result.excerpt.clone(),
        state: match result.outcome {
            AttemptOutcome::Delivered => DeliveryState::Delivered,
            _ if due_at.is_some() => DeliveryState::Waiting,
            _ => DeliveryState::Failed,
        },
        attempts_left,
        due_at,
        ..completion
    }
}

/// Spreads the next attempts of deliveries that failed together. Deterministic for an attempt.
fn jitter(due: &DueDelivery) -> u32 {
    let mut hasher = DefaultHasher::new();
    (due.id, due.attempts).hash(&mut hasher);
    u32::try_from(hasher.finish() % u64::from(JITTER + 1)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDPOINT: Uuid = Uuid::from_u128(7);

    #[test]
    fn each_recorded_failure_counts_once() {
        let counted = |deliveries: &[i64], recorded: &[i64]| {
            let report = |delivery: &i64| AttemptReport {
                endpoint: ENDPOINT,
                delivery: *delivery,
                url: "",
                outcome: health::Outcome::Failed(OffsetDateTime::UNIX_EPOCH),
            };
            let reports: Vec<_> = deliveries.iter().map(report).collect();
            let recorded = recorded.iter().map(|id| (ENDPOINT, *id)).collect();
            let counted = counted_reports(&reports, recorded)
                .remove(&ENDPOINT)
                .unwrap_or_default()
                .into_iter();
            counted.map(|it| it.delivery).collect::<Vec<_>>()
        };
        assert_eq!(counted(&[1, 2], &[1, 2]), [1, 2]);
        assert_eq!(counted(&[1, 1], &[1]), [1], "twice");
        assert_eq!(counted(&[1, 2], &[2]), [2], "lost");
    }
}
