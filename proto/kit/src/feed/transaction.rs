//! One transaction of the writer: each item is applied under a savepoint of its own, then all changes are numbered and committed.
//!
//! A savepoint travels in one message with the end of the one before it, so that it costs one round trip an item.

use std::time::{Duration, Instant};

use sqlx::{Executor as _, Row as _};
use time::OffsetDateTime;
use uuid::Uuid;

use super::apply::{Applied, Apply, Explained};
use super::commit::{NO_HEAD, commit, ending};
use super::latest::Reached;
use super::lookup::{Fate, UnknownCommit, look_up};
use super::queue::Queued;
use super::session::{Session, Sessions, in_time};
use super::{NewChange, Outcome, Position, Producer};
use crate::clock::Clock;
use crate::fault::Fault;
use crate::pg;

/// A transaction that has taken so long takes no further item: those that are done wait for its commit, and hold their locks.
const FULL: Duration = Duration::from_millis(250);

/// What ends an item that is done, and one that is not. A savepoint that was rolled back to is still there for the next item.
const KEEP: &str = "release savepoint item; savepoint item";
const UNDO: &str = "rollback to savepoint item";

/// What is to become of an item.
pub(super) enum Verdict<D> {
    /// Its caller is told this.
    Answer(Outcome<D>),
    /// It is tried again later.
    Retry,
    /// It is tried again later, in a transaction of its own.
    RetryAlone,
    /// It was not reached.
    PutBack,
}

/// What came of a batch.
pub(super) struct Written<D> {
    /// Item by item.
    pub(super) verdicts: Vec<Verdict<D>>,
    /// How far the feed has come with it, where that is known.
    pub(super) reached: Option<Reached>,
}

/// What makes transactions.
pub(super) struct Transactions<A: Apply> {
    pub(super) apply: A,
    pub(super) producer: Producer,
    pub(super) sessions: Sessions,
    pub(super) clock: Clock,
}

impl<A: Apply> Transactions<A> {
    /// Writes a batch.
    pub(super) async fn write(&mut self, batch: &[Queued<A>]) -> Written<A::Done> {
        match self.begin().await {
            Ok((session, transaction)) => self.apply(session, &transaction, batch).await,
            Err(error) => {
                tracing::warn!(%error, "writes wait and are tried again");
                Written::again(batch.len())
            }
        }
    }

    /// Opens a transaction; returns its number, by which it is found again.
    #[expect(
        clippy::disallowed_methods,
        reason = "no table is asked, so there is nothing to check"
    )]
    async fn begin(&mut self) -> Result<(Session, String), sqlx::Error> {
        let mut session = self.sessions.acquire().await?;
        let begin = sqlx::raw_sql(
            "begin; select pg_current_xact_id()::text as transaction; savepoint item",
        );
        let row = in_time(begin.fetch_one(&mut session.connection)).await?;
        let transaction = row.try_get(0)?;
        Ok((session, transaction))
    }

    async fn apply(
        &mut self,
        mut session: Session,
        transaction: &str,
        batch: &[Queued<A>],
    ) -> Written<A::Done> {
        let (now, began) = (self.clock.now(), Instant::now());
        let mut applied: Vec<Applied<A::Done>> = Vec::with_capacity(batch.len());
        let mut between = "";
        for queued in batch {
            if !applied.is_empty() {
                if began.elapsed() > FULL {
                    break;
                }
                if let Err(error) = in_time(session.connection.execute(between)).await {
                    tracing::warn!(%error, "the connection was lost between two items");
                    return Written::again(batch.len());
                }
            }
            let applying = self.apply.apply(&mut session.connection, &queued.item, now);
            let one = match in_time(applying).await {
                Ok(one) => one,
                Err(error) if pg::is_away(&error) => {
                    tracing::warn!(%error, "the connection was lost while an item was applied");
                    return Written::lost_at(applied.len(), batch);
                }
                Err(error) => self.refused(&error),
            };
            between = match one {
                Applied::Done(..) => KEEP,
                Applied::Refused(_) | Applied::Busy => UNDO,
            };
            applied.push(one);
        }
        let unreached = batch.len() - applied.len();
        let undo = between == UNDO;
        let mut written = self
            .commit(session, transaction, batch, applied, undo)
            .await;
        let put_back = std::iter::repeat_with(|| Verdict::PutBack);
        written.verdicts.extend(put_back.take(unreached));
        written
    }

    /// What it means for an item that PostgreSQL refused one of its statements.
    fn refused(&self, error: &sqlx::Error) -> Applied<A::Done> {
        match code(error).as_deref() {
            // A lock that was waited for; a deadlock or a serialisation failure.
            Some(code) if code == "55P03" || code.starts_with("40") => Applied::Busy,
            Some("57014") => {
                tracing::warn!(%error, "a statement took too long");
                Applied::Refused(Fault::unavailable("PostgreSQL, which took too long"))
            }
            _ => match self.apply.explain(error) {
                Explained::Passing => Applied::Busy,
                Explained::Refused(fault) => Applied::Refused(fault),
                Explained::Unknown => Applied::Refused(Fault::internal(error)),
            },
        }
    }

    async fn commit(
        &mut self,
        mut session: Session,
        transaction: &str,
        batch: &[Queued<A>],
        applied: Vec<Applied<A::Done>>,
        undo: bool,
    ) -> Written<A::Done> {
        let changes: Vec<(Uuid, &NewChange)> = batch
            .iter()
            .zip(&applied)
            .flat_map(|(queued, applied)| applied.changes().iter().map(|c| (queued.request, c)))
            .collect();
        // PostgreSQL keeps no more of it.
        let now = self.clock.now().truncate_to_microsecond();
        let mut message = ending(self.producer.schema(), &session.head, &changes, now);
        if undo {
            message.insert_str(0, "rollback to savepoint item; ");
        }
        let at = Clock::system().now();
        let error = match in_time(commit(&mut session.connection, message)).await {
            Ok(reached) => {
                self.publish(&mut session, reached, &changes, now);
                self.sessions.release(session);
                return Written::settled(applied, reached, at);
            }
            Err(error) => error,
        };
        if !pg::is_away(&error) {
            return self.not_committed(session, error, batch, applied).await;
        }
        tracing::warn!(%error, "the connection was lost at commit");
        let lost = UnknownCommit {
            transaction,
            witness: changes.last().map(|(request, _)| *request),
            after: session.head.seq,
        };
        drop(session);
        match look_up(&mut self.sessions, lost).await {
            Fate::Committed(position) => {
                self.producer.wakeup().wake_unseen();
                self.producer.wakeup().wake();
                Written::settled(applied, Some(position), at)
            }
            Fate::Aborted => Written::again(applied.len()),
            Fate::Unknown => Written::unknown(applied),
        }
    }

    /// After a commit: tells the followers of this process.
    fn publish(
        &self,
        session: &mut Session,
        reached: Option<Position>,
        changes: &[(Uuid, &NewChange)],
        now: OffsetDateTime,
    ) {
        if let Some(Position { epoch, seq }) = reached {
            session.head.seq = seq;
            let numbers = (seq + 1).saturating_sub_unsigned(changes.len() as u64)..;
            let told = numbers.zip(changes);
            let told = told.map(|(seq, (_, change))| change.told(seq, now));
            self.producer.tail().extend(epoch, told);
        }
        if !changes.is_empty() {
            self.producer.wakeup().wake();
        }
    }

    /// After PostgreSQL has refused to commit: nothing was changed.
    async fn not_committed(
        &mut self,
        mut session: Session,
        error: sqlx::Error,
        batch: &[Queued<A>],
        applied: Vec<Applied<A::Done>>,
    ) -> Written<A::Done> {
        let code = code(&error);
        let code = code.as_deref().unwrap_or_default();
        if code == NO_HEAD {
            // The head is not the one we know: the data were restored under us. A new connection looks at it afresh.
            tracing::warn!(%error, "the head of the feed is another one; writes are tried again");
            return Written::again(applied.len());
        }
        if in_time(session.connection.execute("rollback"))
            .await
            .is_ok()
        {
            self.sessions.release(session);
        }
        if code == "55P03" || code == "57014" || code.starts_with("40") {
            tracing::warn!(%error, "a commit is tried again");
            return Written::again(applied.len());
        }
        // One of them has brought it: each is tried by itself.
        let done = |applied: &Applied<A::Done>| matches!(applied, Applied::Done(..));
        let is_alone = applied.iter().filter(|one| done(one)).count() == 1;
        let verdict = |(queued, one): (&Queued<A>, &Applied<A::Done>)| match one {
            Applied::Done(..) if is_alone || queued.alone => {
                Verdict::Answer(Err(Fault::internal(&error)))
            }
            Applied::Done(..) => Verdict::RetryAlone,
            Applied::Refused(_) | Applied::Busy => Verdict::Retry,
        };
        Written {
            verdicts: batch.iter().zip(&applied).map(verdict).collect(),
            reached: None,
        }
    }
}

fn code(error: &sqlx::Error) -> Option<String> {
    let error = error.as_database_error()?;
    error.code().map(std::borrow::Cow::into_owned)
}

impl<D> Written<D> {
    /// A batch that is committed.
    fn settled(applied: Vec<Applied<D>>, position: Option<Position>, at: OffsetDateTime) -> Self {
        let verdict = |applied| match applied {
            Applied::Done(done, changes) => {
                Verdict::Answer(Ok((done, position.filter(|_| !changes.is_empty()))))
            }
            Applied::Refused(fault) => Verdict::Answer(Err(fault)),
            Applied::Busy => Verdict::Retry,
        };
        Self {
            verdicts: applied.into_iter().map(verdict).collect(),
            reached: position.map(|position| Reached { position, at }),
        }
    }

    /// One that is not. What was refused is decided again too: it may have been refused for what another item did.
    fn again(items: usize) -> Self {
        Self {
            verdicts: std::iter::repeat_with(|| Verdict::Retry)
                .take(items)
                .collect(),
            reached: None,
        }
    }

    /// One whose connection was lost while the item at `place` was applied. That item may be the cause.
    fn lost_at<A: Apply<Done = D>>(place: usize, batch: &[Queued<A>]) -> Self {
        let verdict = |(at, queued): (usize, &Queued<A>)| match (at == place, queued.alone) {
            (false, _) => Verdict::Retry,
            (true, false) => Verdict::RetryAlone,
            (true, true) => Verdict::Answer(Err(Fault::unavailable(
                "PostgreSQL, which was lost twice over the same write",
            ))),
        };
        Self {
            verdicts: batch.iter().enumerate().map(verdict).collect(),
            reached: None,
        }
    }

    /// A batch whose outcome is unknown: to apply it again could make its changes twice.
    fn unknown(applied: Vec<Applied<D>>) -> Self {
        let verdict = |applied| match applied {
            Applied::Busy => Verdict::Retry,
            Applied::Done(..) | Applied::Refused(_) => Verdict::Answer(Err(
                Fault::outcome_unknown("the connection to PostgreSQL was lost at commit"),
            )),
        };
        Self {
            verdicts: applied.into_iter().map(verdict).collect(),
            reached: None,
        }
    }
}
