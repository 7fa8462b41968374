//! One transaction of the writer: each item is applied under a savepoint of its own, then all changes are numbered and committed.
//!
//! One message ends a savepoint and begins the next, so that savepoints cost one round trip per item.

use std::time::{Duration, Instant};

use sqlx::{Executor as _, Row as _};
use tracing::Instrument as _;

use super::apply::{Apply, ApplyError, ErrorClass};
use super::commit::{NO_HEAD, NewRow, commit, ending};
use super::lookup::{Fate, UnknownCommit, look_up};
use super::queue_sender::Queued;
use super::session::{Session, Sessions};
use super::{NewChange, Position, Producer, WriteResult};
use crate::clock::Clock;
use crate::fault::Fault;
use crate::pg::{self, statement};

/// After this time a transaction takes no further item: the applied ones wait for the commit and hold their locks.
const MAX_DURATION: Duration = Duration::from_millis(250);

/// Ends an item that was applied.
const RELEASE: &str = "release savepoint item; savepoint item";
/// Ends an item that was not applied. The savepoint remains for the next item.
const ROLLBACK: &str = "rollback to savepoint item";

/// What happens to an item after its transaction.
pub(super) enum Verdict<D> {
    /// Its caller gets this result.
    Reply(WriteResult<D>),
    Retry,
    /// It is retried in a transaction of its own.
    RetryIsolated,
    /// The transaction did not reach it.
    Requeue,
}

/// The result of an item in its transaction.
enum ItemResult<O> {
    /// The item is applied and publishes these changes; none when nothing had to change.
    Applied(O, Vec<NewChange>),
    /// The item is rejected. Nothing is changed.
    Rejected(Fault),
    /// Another transaction has locked its rows. Nothing is changed, and the item is retried.
    Busy,
}

impl<O> ItemResult<O> {
    fn changes(&self) -> &[NewChange] {
        match self {
            Self::Applied(_, changes) => changes,
            Self::Rejected(_) | Self::Busy => &[],
        }
    }
}

/// The result of a batch.
pub(super) struct Written<D> {
    /// In the order of the items.
    pub(super) verdicts: Vec<Verdict<D>>,
    /// The position of the feed after the commit; `None` when nothing was committed.
    pub(super) committed: Option<Position>,
}

/// Runs the transactions of the writer.
pub(super) struct Transactions<A: Apply> {
    pub(super) apply: A,
    pub(super) producer: Producer,
    pub(super) sessions: Sessions,
    pub(super) clock: Clock,
}

impl<A: Apply> Transactions<A> {
    /// Writes a batch.
    pub(super) async fn write(&mut self, batch: &[Queued<A>]) -> Written<A::Outcome> {
        match self.begin().await {
            Ok((session, transaction)) => self.apply(session, &transaction, batch).await,
            Err(error) => {
                tracing::warn!(%error, "cannot begin a transaction; the writes are retried");
                Written::retry(batch.len())
            }
        }
    }

    /// Begins a transaction; returns its id, by which [`look_up`] finds it.
    async fn begin(&mut self) -> Result<(Session, String), sqlx::Error> {
        let mut session = self.sessions.acquire().await?;
        let begin = statement::raw_sql(
            "begin; select pg_current_xact_id()::text as transaction; savepoint item",
        );
        let row = self
            .sessions
            .in_time(begin.fetch_one(&mut session.connection))
            .await?;
        let transaction = row.try_get(0)?;
        Ok((session, transaction))
    }

    async fn apply(
        &mut self,
        mut session: Session,
        transaction: &str,
        batch: &[Queued<A>],
    ) -> Written<A::Outcome> {
        let (now, began) = (self.clock.now(), Instant::now());
        let mut results: Vec<ItemResult<A::Outcome>> = Vec::with_capacity(batch.len());
        let mut between = "";
        for queued in batch {
            if !results.is_empty() {
                if began.elapsed() > MAX_DURATION {
                    break;
                }
                if let Err(error) = self
                    .sessions
                    .in_time(session.connection.execute(between))
                    .await
                {
                    tracing::warn!(%error, "the connection to PostgreSQL was lost between two items; the writes are retried");
                    return Written::retry(batch.len());
                }
            }
            let applying = self.apply.apply(&mut session.connection, &queued.item, now);
            let applying = applying.instrument(queued.span.clone());
            let result = match self.sessions.in_time(applying).await {
                Ok((outcome, changes)) => ItemResult::Applied(outcome, changes),
                Err(ApplyError::Busy) => ItemResult::Busy,
                Err(ApplyError::Rejected(fault)) => ItemResult::Rejected(fault),
                Err(ApplyError::Database(error)) if pg::is_unavailable(&error) => {
                    tracing::warn!(%error, "the connection to PostgreSQL was lost while an item was applied; the writes are retried");
                    return Written::lost_at(results.len(), batch);
                }
                Err(ApplyError::Database(error)) => self.classify(&error),
            };
            between = match result {
                ItemResult::Applied(..) => RELEASE,
                ItemResult::Rejected(_) | ItemResult::Busy => ROLLBACK,
            };
            results.push(result);
        }
        let unreached = batch.len() - results.len();
        let rollback = between == ROLLBACK;
        let mut written = self
            .commit(session, transaction, batch, results, rollback)
            .await;
        let requeued = std::iter::repeat_with(|| Verdict::Requeue);
        written.verdicts.extend(requeued.take(unreached));
        written
    }

    /// The result of an item when PostgreSQL rejected one of its statements.
    fn classify(&self, error: &sqlx::Error) -> ItemResult<A::Outcome> {
        match code(error).as_deref() {
            // A lock timeout; a deadlock or a serialization failure.
            Some(code) if code == "55P03" || code.starts_with("40") => ItemResult::Busy,
            Some("57014") => {
                tracing::warn!(%error, "a statement reached statement_timeout; its write fails");
                ItemResult::Rejected(Fault::unavailable(
                    "PostgreSQL: a statement reached statement_timeout",
                ))
            }
            _ => match self.apply.classify(error) {
                ErrorClass::Transient => ItemResult::Busy,
                ErrorClass::Rejected(fault) => ItemResult::Rejected(fault),
                ErrorClass::Unknown => ItemResult::Rejected(Fault::internal(error)),
            },
        }
    }

    async fn commit(
        &mut self,
        mut session: Session,
        transaction: &str,
        batch: &[Queued<A>],
        results: Vec<ItemResult<A::Outcome>>,
        rollback: bool,
    ) -> Written<A::Outcome> {
        let changes: Vec<NewRow<'_>> = batch
            .iter()
            .zip(&results)
            .flat_map(|(queued, result)| {
                let changes = result.changes().iter();
                changes.map(move |change| NewRow {
                    request: queued.request,
                    change,
                })
            })
            .collect();
        let now = self.clock.now();
        let mut message = ending(self.producer.schema(), &session.head, &changes, now);
        if rollback {
            message.insert_str(0, "rollback to savepoint item; ");
        }
        let error = match self
            .sessions
            .in_time(commit(&mut session.connection, message))
            .await
        {
            Ok(position) => {
                self.wake_followers(&mut session, position, changes.len());
                self.sessions.release(session);
                return Written::committed(results, position);
            }
            Err(error) => error,
        };
        if !pg::is_unavailable(&error) {
            return self.not_committed(session, error, batch, results).await;
        }
        tracing::warn!(%error, "the connection to PostgreSQL was lost at commit; looking up the outcome");
        let lost = UnknownCommit {
            transaction,
            last_request: changes.last().map(|row| row.request),
            after: session.head.seq,
        };
        drop(session);
        match look_up(&mut self.sessions, lost).await {
            Fate::Committed(position) => {
                self.producer.wakeup().wake();
                Written::committed(results, Some(position))
            }
            Fate::Aborted => Written::retry(results.len()),
            Fate::Unknown => Written::unknown(results),
        }
    }

    /// After a commit of so many changes: wakes the followers.
    fn wake_followers(&self, session: &mut Session, position: Option<Position>, changes: usize) {
        let Some(position) = position else {
            return;
        };
        session.head.seq = position.seq;
        if changes > 0 {
            self.producer.wakeup().wake();
        }
    }

    /// After PostgreSQL has rejected the commit: nothing was changed.
    async fn not_committed(
        &mut self,
        mut session: Session,
        error: sqlx::Error,
        batch: &[Queued<A>],
        results: Vec<ItemResult<A::Outcome>>,
    ) -> Written<A::Outcome> {
        let code = code(&error);
        let code = code.as_deref().unwrap_or_default();
        if code == NO_HEAD {
            // The table of the head is not the one that this connection found: the data were restored. A new connection reads the head
            // again.
            tracing::warn!(%error, "the table of the feed head was replaced, as by a restore; the writes are retried");
            return Written::retry(results.len());
        }
        let rollback = session.connection.execute("rollback");
        if self.sessions.in_time(rollback).await.is_ok() {
            self.sessions.release(session);
        }
        if code == "55P03" || code == "57014" || code.starts_with("40") {
            tracing::warn!(%error, "PostgreSQL rejected a commit for a passing reason; the writes are retried");
            return Written::retry(results.len());
        }
        // One of the items is the cause: each is retried in a transaction of its own.
        let is_applied =
            |result: &ItemResult<A::Outcome>| matches!(result, ItemResult::Applied(..));
        let is_only = results.iter().filter(|result| is_applied(result)).count() == 1;
        let verdict = |(queued, result): (&Queued<A>, &ItemResult<A::Outcome>)| match result {
            ItemResult::Applied(..) if is_only || queued.isolate => {
                Verdict::Reply(Err(Fault::internal(&error)))
            }
            ItemResult::Applied(..) => Verdict::RetryIsolated,
            ItemResult::Rejected(_) | ItemResult::Busy => Verdict::Retry,
        };
        Written {
            verdicts: batch.iter().zip(&results).map(verdict).collect(),
            committed: None,
        }
    }
}

fn code(error: &sqlx::Error) -> Option<String> {
    let error = error.as_database_error()?;
    error.code().map(std::borrow::Cow::into_owned)
}

impl<D> Written<D> {
    /// A batch that is committed.
    fn committed(results: Vec<ItemResult<D>>, position: Option<Position>) -> Self {
        let verdict = |result| match result {
            ItemResult::Applied(outcome, changes) => {
                Verdict::Reply(Ok((outcome, position.filter(|_| !changes.is_empty()))))
            }
            ItemResult::Rejected(fault) => Verdict::Reply(Err(fault)),
            ItemResult::Busy => Verdict::Retry,
        };
        Self {
            verdicts: results.into_iter().map(verdict).collect(),
            committed: position,
        }
    }

    /// A batch that is not committed. Rejected items are retried as well: an item may have been rejected because of another item in the
    /// batch.
    fn retry(items: usize) -> Self {
        Self {
            verdicts: std::iter::repeat_with(|| Verdict::Retry)
                .take(items)
                .collect(),
            committed: None,
        }
    }

    /// A batch whose connection was lost while the item at `index` was applied. That item may be the cause.
    fn lost_at<A: Apply<Outcome = D>>(index: usize, batch: &[Queued<A>]) -> Self {
        let verdict = |(at, queued): (usize, &Queued<A>)| match (at == index, queued.isolate) {
            (false, _) => Verdict::Retry,
            (true, false) => Verdict::RetryIsolated,
            (true, true) => Verdict::Reply(Err(Fault::unavailable(
                "PostgreSQL: the connection was lost twice during the same write",
            ))),
        };
        Self {
            verdicts: batch.iter().enumerate().map(verdict).collect(),
            committed: None,
        }
    }

    /// A batch whose outcome is unknown. It is not retried: that could make its changes twice.
    fn unknown(results: Vec<ItemResult<D>>) -> Self {
        let verdict = |result| match result {
            ItemResult::Busy => Verdict::Retry,
            ItemResult::Applied(..) | ItemResult::Rejected(_) => Verdict::Reply(Err(
                Fault::outcome_unknown("the connection to PostgreSQL was lost at commit"),
            )),
        };
        Self {
            verdicts: results.into_iter().map(verdict).collect(),
            committed: None,
        }
    }
}
