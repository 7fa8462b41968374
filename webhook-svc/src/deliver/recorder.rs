//! Records the results of attempts to all endpoints, many in one transaction.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::Duration;

use sqlx::PgConnection;
use time::OffsetDateTime;
use tokio::sync::mpsc;
use uuid::Uuid;

use super::Shared;
use crate::domain::health::{Health, Notification};
use crate::domain::schedule::JITTER;
use crate::http::{AttemptOutcome, AttemptResult};
use crate::notification;
use crate::store::attempts::{self, Completion};
use crate::store::endpoints::{self, EndpointState};
use crate::store::queue::DueDelivery;

/// Maximum records of one transaction.
const BATCH: usize = 1_000;
/// Delay before a failed transaction is repeated.
const BACKOFF: Duration = Duration::from_millis(500);

/// A result to record. The recorder sends the delivery's id to `recorded` after the commit.
#[derive(Debug)]
pub(super) enum Record {
    Attempt(Box<FinishedAttempt>),
    /// The delivery's listing is no longer public.
    Cancellation {
        endpoint: Uuid,
        delivery: i64,
        recorded: mpsc::UnboundedSender<i64>,
    },
}

#[derive(Debug)]
pub(super) struct FinishedAttempt {
    pub(super) endpoint: Uuid,
    pub(super) due: DueDelivery,
    pub(super) result: AttemptResult,
    pub(super) at: OffsetDateTime,
    pub(super) recorded: mpsc::UnboundedSender<i64>,
}

/// Records until all senders are dropped.
pub(super) async fn run(shared: Arc<Shared>, mut records: mpsc::Receiver<Record>) {
    let mut batch = Vec::with_capacity(BATCH);
    while records.recv_many(&mut batch, BATCH).await > 0 {
        // A result is never dropped: its delivery would be sent again.
        while let Err(error) = record(&shared, &batch).await {
            tracing::warn!(%error, attempts = batch.len(), "cannot record attempts; trying again");
            tokio::time::sleep(BACKOFF).await;
        }
        for record in batch.drain(..) {
            let (delivery, recorded) = match record {
                Record::Attempt(attempt) => {
                    count(attempt.result.outcome);
                    (attempt.due.id, attempt.recorded)
                }
                Record::Cancellation {
                    delivery, recorded, ..
                } => (delivery, recorded),
            };
            if recorded.send(delivery).is_err() {
                tracing::debug!(delivery, "the worker ended before its attempt was recorded");
            }
        }
    }
}

fn count(outcome: AttemptOutcome) {
    let name = match outcome {
        AttemptOutcome::Delivered => "delivered",
        AttemptOutcome::Failed => "failed",
        AttemptOutcome::Gone => "gone",
    };
    metrics::counter!("webhook_tries_total", "outcome" => name).increment(1);
}

/// Changes of endpoints that result from a batch.
#[derive(Debug, Default)]
struct Endpoints {
    succeeded: BTreeSet<Uuid>,
    /// When deliveries failed for the last time.
    failed: BTreeMap<Uuid, Vec<OffsetDateTime>>,
    gone: BTreeSet<Uuid>,
}

async fn record(shared: &Shared, batch: &[Record]) -> Result<(), sqlx::Error> {
    let now = shared.dependencies.clock.now();
    let (mut completions, mut cancelled) = (Vec::new(), Vec::new());
    let mut endpoints = Endpoints::default();
    for record in batch {
        match record {
            Record::Attempt(attempt) => {
                let completion = complete(shared, attempt, now);
                endpoints.add(attempt, &completion);
                completions.push(completion);
            }
            Record::Cancellation {
                endpoint, delivery, ..
            } => cancelled.push((*endpoint, *delivery)),
        }
    }
    let pool = &shared.dependencies.pool;
    let succeeded: Vec<Uuid> = endpoints.succeeded.iter().copied().collect();
    if cancelled.is_empty() && endpoints.failed.is_empty() && endpoints.gone.is_empty() {
        // The usual batch needs no transaction around its one statement.
        return attempts::complete(pool, &completions, &succeeded, now).await;
    }
    let mut transaction = pool.begin().await?;
    attempts::complete(&mut *transaction, &completions, &succeeded, now).await?;
    attempts::cancel(&mut transaction, &cancelled).await?;
    endpoints.record(shared, &mut transaction, now).await?;
    transaction.commit().await
}

/// The delivery's state after an attempt.
fn complete(shared: &Shared, attempt: &FinishedAttempt, now: OffsetDateTime) -> Completion {
    let FinishedAttempt { due, result, .. } = attempt;
    let tries_left = due.tries_left - 1;
    let schedule = &shared.dependencies.schedule;
    let due_at = match result.outcome {
        AttemptOutcome::Failed => {
            schedule.next_attempt_at(tries_left, jitter(due), result.retry_after, now)
        }
        AttemptOutcome::Delivered | AttemptOutcome::Gone => None,
    };
    let state = match result.outcome {
        AttemptOutcome::Delivered => "delivered",
        _ if due_at.is_some() => "waiting",
        _ => "failed",
    };
    let reason = result.reason.clone().unwrap_or_default();
    Completion {
        endpoint_id: attempt.endpoint,
        delivery_id: due.id,
        number: due.tries + 1,
        at: attempt.at,
        duration_ms: i32::try_from(result.duration.as_millis()).unwrap_or(i32::MAX),
        status: result.status.map(i32::from),
        // PostgreSQL texts cannot contain NUL.
        reason: reason.replace('\0', "\u{FFFD}"),
        answer: result.excerpt.clone(),
        state,
        tries_left,
        due_at,
    }
}

/// Spreads the next attempts of deliveries that failed together. Deterministic for an attempt.
fn jitter(due: &DueDelivery) -> u32 {
    let mut hasher = DefaultHasher::new();
    (due.id, due.tries).hash(&mut hasher);
    u32::try_from(hasher.finish() % u64::from(JITTER + 1)).unwrap_or_default()
}

impl Endpoints {
    fn add(&mut self, attempt: &FinishedAttempt, completion: &Completion) {
        let endpoint = attempt.endpoint;
        match attempt.result.outcome {
            AttemptOutcome::Delivered => {
                // A success resets earlier failures.
                self.failed.remove(&endpoint);
                self.succeeded.insert(endpoint);
            }
            AttemptOutcome::Failed if completion.due_at.is_none() => {
                self.failed.entry(endpoint).or_default().push(attempt.at);
            }
            AttemptOutcome::Failed => {}
            AttemptOutcome::Gone => {
                self.gone.insert(endpoint);
            }
        }
    }

    async fn record(
        &self,
        shared: &Shared,
        connection: &mut PgConnection,
        now: OffsetDateTime,
    ) -> Result<(), sqlx::Error> {
        let bad: BTreeSet<Uuid> = self.failed.keys().chain(&self.gone).copied().collect();
        let bad: Vec<Uuid> = bad.into_iter().collect();
        for mut endpoint in endpoints::lock_all(connection, &bad).await? {
            let mut health = Health {
                failures: endpoint.failures,
                first_failure_at: endpoint.first_failure_at,
                last_failure_at: endpoint.last_failure_at,
            };
            let mut notifications = Vec::new();
            for at in self.failed.get(&endpoint.id).into_iter().flatten() {
                let (after, notification) = health.failed(*at, shared.dependencies.disable_policy);
                health = after;
                notifications.extend(notification);
            }
            if self.gone.contains(&endpoint.id) {
                notifications.push(Notification::DisabledByGone);
            }
            endpoint.failures = health.failures;
            endpoint.first_failure_at = health.first_failure_at;
            endpoint.last_failure_at = health.last_failure_at;
            for notification in notifications {
                let is_off = endpoint.state == EndpointState::Off;
                if let Some(reason) = notification.reason() {
                    endpoint.state = EndpointState::Off;
                    reason.clone_into(&mut endpoint.reason);
                }
                if !is_off {
                    notification::enqueue(connection, &endpoint, notification, now).await?;
                }
            }
            endpoints::update(connection, &endpoint, now).await?;
        }
        Ok(())
    }
}
