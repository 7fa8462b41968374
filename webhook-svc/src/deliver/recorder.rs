//! Records the results of attempts to all endpoints, many in one transaction.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::Duration;

use kit::feed::NewChange;
use sqlx::PgConnection;
use time::{Date, OffsetDateTime};
use tokio::sync::{Mutex, mpsc};
use uuid::Uuid;

use super::Shared;
use super::attempt::Attempted;
use super::pages::DueDelivery;
use crate::domain::health::{Health, Notice};
use crate::domain::schedule::JITTER;
use crate::http::AttemptOutcome;
use crate::notice;
use crate::store::attempts::{self, Completion};
use crate::store::deliveries::DeliveryState;
use crate::store::endpoints::{self, Endpoint, EndpointState};
use crate::store::partitions;
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
    Attempted(Attempted),
    /// An attempt that is not made. It is logged with this reason, and counts as an attempt.
    Cancelled(&'static str),
}

/// The URLs of attempts to endpoints with failures, by endpoint and delivery.
type Urls<'a> = HashMap<(Uuid, i64), &'a str>;

/// Records until all senders are dropped. Several recorders share `records`: one collects a batch while the other waits for its commit.
pub(super) async fn run(shared: Arc<Shared>, records: Arc<Mutex<mpsc::Receiver<Record>>>) {
    let mut batch = Vec::with_capacity(BATCH);
    // The days whose partitions exist.
    let mut days = BTreeSet::new();
    let today = partitions::day(shared.dependencies.clock.now());
    let created = create_partitions(&shared, [today], &mut days);
    if let Err(error) = shared.with_statement_timeout(created).await {
        tracing::warn!(%error, "cannot create a partition ahead of the first attempt of the day");
    }
    while records.lock().await.recv_many(&mut batch, BATCH).await > 0 {
        // A result is never dropped: its delivery would be sent again.
        while let Err(error) = shared
            .with_statement_timeout(Box::pin(record(&shared, &batch, &mut days)))
            .await
        {
            let error = format!("{error:#}");
            tracing::warn!(
                error,
                attempts = batch.len(),
                "cannot record attempts; trying again"
            );
            // A partition may have been dropped.
            days.clear();
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
        Outcome::Attempted(attempted) => match attempted.result.outcome {
            AttemptOutcome::Delivered => "delivered",
            AttemptOutcome::Failed => "failed",
            AttemptOutcome::Gone => "gone",
        },
    };
    metrics::counter!("webhook_attempts_total", "outcome" => name).increment(1);
}

async fn record(
    shared: &Shared,
    batch: &[Record],
    days: &mut BTreeSet<Date>,
) -> anyhow::Result<()> {
    let (pool, now) = (&shared.dependencies.pool, shared.dependencies.clock.now());
    let needed = batch.iter().map(|it| partitions::day(it.due.created_at));
    create_partitions(shared, needed, days).await?;
    let completions = batch.iter().map(|it| completion_of(shared, it, true, now));
    let mut completions: Vec<Completion> = completions.collect();
    if (completions.iter()).all(|it| it.state != DeliveryState::Failed && !is_gone(it)) {
        // The usual batch needs no transaction around its one statement.
        attempts::complete(pool, shared.holder, &completions, now).await?;
        return Ok(());
    }
    let mut transaction = shared.dependencies.producer.begin().await?;
    // All endpoints that the transaction may change, in one order: two recorders cannot wait for each other.
    let ids: BTreeSet<Uuid> = completions.iter().map(|it| it.claim.endpoint).collect();
    let ids: Vec<Uuid> = ids.into_iter().collect();
    let endpoints = endpoints::lock_all(&mut transaction, &ids).await?;
    for (record, completion) in batch.iter().zip(&mut completions) {
        if is_gone(completion) && !is_current(record, &endpoints) {
            *completion = completion_of(shared, record, false, now);
        }
    }
    let failed = attempts::complete(&mut *transaction, shared.holder, &completions, now).await?;
    let failures = failures(&completions, failed);
    let urls = batch.iter().filter_map(|it| match &it.outcome {
        Outcome::Attempted(attempted) if failures.contains_key(&it.claim.endpoint) => {
            Some(((it.claim.endpoint, it.due.id), &*attempted.url))
        }
        _ => None,
    });
    let urls: Urls<'_> = urls.collect();
    let notices = update_endpoints(shared, &mut transaction, &failures, &urls, now).await?;
    transaction.commit(&notices).await?;
    Ok(())
}

/// Creates the partitions of these days and of the days after them.
///
/// They must exist before their day. A list that was planned before a partition was attached finds no row of it: a delivery that is recorded at
/// that moment would seem to be gone.
async fn create_partitions(
    shared: &Shared,
    needed: impl IntoIterator<Item = Date>,
    days: &mut BTreeSet<Date>,
) -> Result<(), sqlx::Error> {
    let needed: BTreeSet<Date> = needed
        .into_iter()
        .filter(|day| !days.contains(day))
        .collect();
    if needed.is_empty() {
        return Ok(());
    }
    let next = needed.iter().filter_map(|day| day.next_day());
    let both = needed.iter().copied().chain(next).collect();
    partitions::create(&shared.dependencies.pool, &both).await?;
    days.extend(needed);
    Ok(())
}

/// The failed deliveries of each endpoint since its last success in the batch, and those that it answered with 410. `failed` are those that the
/// statement has recorded.
fn failures(
    completions: &[Completion],
    failed: Vec<(Uuid, i64)>,
) -> BTreeMap<Uuid, Vec<&Completion>> {
    let mut failed: HashSet<(Uuid, i64)> = failed.into_iter().collect();
    let mut failures: BTreeMap<Uuid, Vec<&Completion>> = BTreeMap::new();
    for completion in completions {
        let endpoint = completion.claim.endpoint;
        match completion.state {
            // A success resets earlier failures.
            DeliveryState::Delivered => {
                let earlier = failures.entry(endpoint).or_default();
                earlier.retain(|failure| is_gone(failure));
            }
            // An attempt that is in the batch twice, since a worker panicked before its results were recorded, counts once.
            _ if failed.remove(&(endpoint, completion.delivery_id)) => {
                failures.entry(endpoint).or_default().push(completion);
            }
            _ => {}
        }
    }
    failures.retain(|_, failures| !failures.is_empty());
    failures
}

/// Whether the endpoint still has the URL of the attempt.
fn is_current(record: &Record, endpoints: &[Endpoint]) -> bool {
    let Outcome::Attempted(attempted) = &record.outcome else {
        return false;
    };
    let mut endpoints = endpoints.iter();
    endpoints.any(|it| it.id == record.claim.endpoint && *it.url == *attempted.url)
}

/// The result of an attempt as it is stored, with the delivery's state after it. A 410 of the endpoint's current URL switches the endpoint off, and
/// the delivery waits with its attempts; one of another URL is a failure like others.
fn completion_of(
    shared: &Shared,
    record: &Record,
    is_current: bool,
    now: OffsetDateTime,
) -> Completion {
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
        Outcome::Attempted(Attempted { result, at, .. }) => (result, at),
        Outcome::Cancelled(reason) => {
            let reason = (*reason).to_owned();
            return Completion {
                reason,
                ..completion
            };
        }
    };
    let schedule = &shared.dependencies.schedule;
    let is_gone = result.outcome == AttemptOutcome::Gone && is_current;
    let attempts_left = due.attempts_left - i32::from(!is_gone);
    let due_at = match result.outcome {
        AttemptOutcome::Delivered => None,
        AttemptOutcome::Gone if is_gone => Some(now),
        AttemptOutcome::Failed | AttemptOutcome::Gone => {
            schedule.next_attempt_at(attempts_left, jitter(due), result.retry_after, now)
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

/// Whether the endpoint answered 410.
fn is_gone(completion: &Completion) -> bool {
    completion.status == Some(410)
}

/// Spreads the next attempts of deliveries that failed together. Deterministic for an attempt.
fn jitter(due: &DueDelivery) -> u32 {
    let mut hasher = DefaultHasher::new();
    (due.id, due.attempts).hash(&mut hasher);
    u32::try_from(hasher.finish() % u64::from(JITTER + 1)).unwrap_or_default()
}

/// Counts failed deliveries to endpoints, and switches endpoints off. Returns the notices for their owners.
///
/// An attempt that was in flight when its endpoint got another address says nothing about that address.
async fn update_endpoints(
    shared: &Shared,
    connection: &mut PgConnection,
    failures: &BTreeMap<Uuid, Vec<&Completion>>,
    urls: &Urls<'_>,
    now: OffsetDateTime,
) -> Result<Vec<NewChange>, sqlx::Error> {
    let ids: Vec<Uuid> = failures.keys().copied().collect();
    let mut notices = Vec::new();
    for mut endpoint in endpoints::lock_all(connection, &ids).await? {
        let failures = failures.get(&endpoint.id).into_iter().flatten();
        let failures = failures.filter(|it| {
            let url = urls.get(&(endpoint.id, it.delivery_id));
            url.is_none_or(|url| *url == endpoint.url)
        });
        let failures: Vec<&Completion> = failures.copied().collect();
        if failures.is_empty() {
            continue;
        }
        let mut health = Health {
            failures: endpoint.failures,
            first_failure_at: endpoint.first_failure_at,
            last_failure_at: endpoint.last_failure_at,
            mailed_at: endpoint.failure_mailed_at,
            failures_since_mail: endpoint.failures_since_mail,
        };
        let mut gone = None;
        for failure in failures {
            if is_gone(failure) {
                gone = Some(Notice::DisabledByGone);
            } else {
                health.add_failure(failure.at);
            }
        }
        // The owner is told once that the endpoint is off. The state of a newer version stays.
        if matches!(endpoint.state, EndpointState::On | EndpointState::Paused) {
            let policy = shared.dependencies.disable_policy;
            let notice = gone.or_else(|| health.notice(policy, now));
            if let Some(reason) = notice.and_then(Notice::reason) {
                endpoint.state = EndpointState::Off;
                reason.clone_into(&mut endpoint.reason);
            }
            if let Some(notice) = notice {
                notices.push(notice::change(&endpoint, notice));
            }
        }
        endpoint.failures = health.failures;
        endpoint.first_failure_at = health.first_failure_at;
        endpoint.last_failure_at = health.last_failure_at;
        endpoint.failure_mailed_at = health.mailed_at;
        endpoint.failures_since_mail = health.failures_since_mail;
        endpoints::update(connection, &endpoint, now).await?;
    }
    Ok(notices)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDPOINT: Uuid = Uuid::from_u128(7);

    fn completion(delivery_id: i64, state: DeliveryState) -> Completion {
        Completion {
            claim: Claim {
                endpoint: ENDPOINT,
                token: 1,
            },
            delivery_id,
            number: 6,
            at: OffsetDateTime::UNIX_EPOCH,
            duration_ms: 0,
            status: Some(500),
            reason: String::new(),
            answer: Vec::new(),
            state,
            attempts_left: 0,
            was_due_at: OffsetDateTime::UNIX_EPOCH,
            due_at: None,
        }
    }

    #[test]
    fn each_recorded_failure_since_the_last_success_counts_once() {
        let counted = |batch: &[(i64, DeliveryState)], recorded: &[i64]| {
            let batch: Vec<Completion> = batch.iter().map(|it| completion(it.0, it.1)).collect();
            let recorded = recorded.iter().map(|id| (ENDPOINT, *id)).collect();
            let failures = failures(&batch, recorded).remove(&ENDPOINT);
            let failures = failures.unwrap_or_default().into_iter();
            failures.map(|it| it.delivery_id).collect::<Vec<_>>()
        };
        let failed = |id| (id, DeliveryState::Failed);
        assert_eq!(counted(&[failed(1), failed(2)], &[1, 2]), [1, 2]);
        assert_eq!(counted(&[failed(1), failed(1)], &[1]), [1], "twice");
        assert_eq!(counted(&[failed(1), failed(2)], &[2]), [2], "lost");
        let batch = [failed(1), (2, DeliveryState::Delivered), failed(3)];
        assert_eq!(counted(&batch, &[1, 3]), [3]);
    }
}
