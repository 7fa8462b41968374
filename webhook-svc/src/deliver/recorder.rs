//! Records what came of tries: those of all endpoints together, many in one transaction.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::Duration;

use sqlx::PgConnection;
use time::OffsetDateTime;
use tokio::sync::mpsc;
use uuid::Uuid;

use super::Shared;
use crate::domain::health::{Health, Notice};
use crate::domain::schedule::JITTER;
use crate::http::{Answer, Outcome};
use crate::notice;
use crate::store::attempts::{self, Completion};
use crate::store::endpoints::{self, State};
use crate::store::queue::DueDelivery;

/// Of one transaction.
const BATCH: usize = 1_000;
/// Pause before a batch is tried again.
const PAUSE: Duration = Duration::from_millis(500);

/// What is to be recorded. The lane is told its id when it is.
#[derive(Debug)]
pub(super) enum Record {
    Tried(Box<Tried>),
    /// The listing is not public any more.
    Cancelled {
        endpoint: Uuid,
        delivery: i64,
        recorded: mpsc::UnboundedSender<i64>,
    },
}

/// A try.
#[derive(Debug)]
pub(super) struct Tried {
    pub(super) endpoint: Uuid,
    pub(super) due: DueDelivery,
    pub(super) answer: Answer,
    pub(super) at: OffsetDateTime,
    pub(super) recorded: mpsc::UnboundedSender<i64>,
}

/// Records until nobody sends any more.
pub(super) async fn run(shared: Arc<Shared>, mut records: mpsc::Receiver<Record>) {
    let mut batch = Vec::with_capacity(BATCH);
    while records.recv_many(&mut batch, BATCH).await > 0 {
        // Nothing is given up: what is not recorded would be sent again.
        while let Err(error) = record(&shared, &batch).await {
            tracing::warn!(%error, tries = batch.len(), "tries cannot be recorded yet");
            tokio::time::sleep(PAUSE).await;
        }
        for record in batch.drain(..) {
            let (delivery, recorded) = match record {
                Record::Tried(tried) => {
                    count(tried.answer.outcome);
                    (tried.due.id, tried.recorded)
                }
                Record::Cancelled {
                    delivery, recorded, ..
                } => (delivery, recorded),
            };
            if recorded.send(delivery).is_err() {
                tracing::debug!(delivery, "a lane ended before its try was recorded");
            }
        }
    }
}

fn count(outcome: Outcome) {
    let name = match outcome {
        Outcome::Delivered => "delivered",
        Outcome::Failed => "failed",
        Outcome::Gone => "gone",
    };
    metrics::counter!("webhook_tries_total", "outcome" => name).increment(1);
}

/// What a batch says of its endpoints.
#[derive(Debug, Default)]
struct Endpoints {
    succeeded: BTreeSet<Uuid>,
    /// When deliveries ran out of tries.
    failed: BTreeMap<Uuid, Vec<OffsetDateTime>>,
    gone: BTreeSet<Uuid>,
}

async fn record(shared: &Shared, batch: &[Record]) -> Result<(), sqlx::Error> {
    let now = shared.parts.clock.now();
    let (mut completions, mut cancelled) = (Vec::new(), Vec::new());
    let mut endpoints = Endpoints::default();
    for record in batch {
        match record {
            Record::Tried(tried) => {
                let completion = complete(shared, tried, now);
                endpoints.take(tried, &completion);
                completions.push(completion);
            }
            Record::Cancelled {
                endpoint, delivery, ..
            } => cancelled.push((*endpoint, *delivery)),
        }
    }
    let pool = &shared.parts.pool;
    let succeeded: Vec<Uuid> = endpoints.succeeded.iter().copied().collect();
    if cancelled.is_empty() && endpoints.failed.is_empty() && endpoints.gone.is_empty() {
        // The usual batch: its one statement is a transaction of its own.
        return attempts::complete(pool, &completions, &succeeded, now).await;
    }
    let mut transaction = pool.begin().await?;
    attempts::complete(&mut *transaction, &completions, &succeeded, now).await?;
    attempts::cancel(&mut transaction, &cancelled).await?;
    endpoints.record(shared, &mut transaction, now).await?;
    transaction.commit().await
}

/// How a delivery goes on after a try.
fn complete(shared: &Shared, tried: &Tried, now: OffsetDateTime) -> Completion {
    let Tried { due, answer, .. } = tried;
    let tries_left = due.tries_left - 1;
    let schedule = &shared.parts.schedule;
    let due_at = match answer.outcome {
        Outcome::Failed => schedule.next_try(tries_left, jitter(due), answer.retry_after, now),
        Outcome::Delivered | Outcome::Gone => None,
    };
    let state = match answer.outcome {
        Outcome::Delivered => "delivered",
        _ if due_at.is_some() => "waiting",
        _ => "failed",
    };
    let reason = answer.reason.clone().unwrap_or_default();
    Completion {
        endpoint_id: tried.endpoint,
        delivery_id: due.id,
        number: due.tries + 1,
        at: tried.at,
        duration_ms: i32::try_from(answer.duration.as_millis()).unwrap_or(i32::MAX),
        status: answer.status.map(i32::from),
        // PostgreSQL takes no text with a NUL in it.
        reason: reason.replace('\0', "\u{FFFD}"),
        answer: answer.excerpt.clone(),
        state,
        tries_left,
        due_at,
    }
}

/// Spreads tries that failed together; the same for the same try.
fn jitter(due: &DueDelivery) -> u32 {
    let mut hasher = DefaultHasher::new();
    (due.id, due.tries).hash(&mut hasher);
    u32::try_from(hasher.finish() % u64::from(JITTER + 1)).unwrap_or_default()
}

impl Endpoints {
    fn take(&mut self, tried: &Tried, completion: &Completion) {
        let endpoint = tried.endpoint;
        match tried.answer.outcome {
            Outcome::Delivered => {
                // What failed before it does not count any more.
                self.failed.remove(&endpoint);
                self.succeeded.insert(endpoint);
            }
            Outcome::Failed if completion.due_at.is_none() => {
                self.failed.entry(endpoint).or_default().push(tried.at);
            }
            Outcome::Failed => {}
            Outcome::Gone => {
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
            let mut notices = Vec::new();
            for at in self.failed.get(&endpoint.id).into_iter().flatten() {
                let (after, notice) = health.failed(*at, shared.parts.rules);
                health = after;
                notices.extend(notice);
            }
            if self.gone.contains(&endpoint.id) {
                notices.push(Notice::OffForGone);
            }
            endpoint.failures = health.failures;
            endpoint.first_failure_at = health.first_failure_at;
            endpoint.last_failure_at = health.last_failure_at;
            for notice in notices {
                let is_off = endpoint.state == State::Off;
                if let Some(reason) = notice.reason() {
                    endpoint.state = State::Off;
                    reason.clone_into(&mut endpoint.reason);
                }
                if !is_off {
                    notice::tell(connection, &endpoint, notice, now).await?;
                }
            }
            endpoints::update(connection, &endpoint, now).await?;
        }
        Ok(())
    }
}
