//! The writer task: one a process, through which every change of a producer goes.
//!
//! It commits what is queued at once, never waiting for more, in one transaction: the changes first, then, in one message with the
//! `commit`, the head raised by as many and the rows numbered from it. The head's row lock orders the commits of all replicas and is
//! held for no client round trip. (Measured against one transaction a change, with 64 callers: three to five times the rate.)

use std::future::Future;
use std::time::{Duration, Instant};

use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use time::OffsetDateTime;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::answer::{Answering, Answers};
use super::apply::{Applied, Apply, Explained};
use super::commit::{NO_HEAD, commit, ending, prepare};
use super::head::Head;
use super::latest::Reached;
use super::{NewChange, Outcome, Position, Producer};
use crate::clock::Clock;
use crate::fault::Fault;
use crate::{ids, pg};

/// Items in one transaction at most.
const BATCH: usize = 50;
/// Items that may wait; beyond that a write is refused at once.
const QUEUE: usize = 4_096;
/// How long a write is tried, while rows are locked elsewhere or PostgreSQL is away.
const DEADLINE: Duration = Duration::from_secs(5);
/// Pause before locked rows, or a lost connection, are tried again.
const PAUSE: Duration = Duration::from_millis(10);

/// Hands items to the writer task. Clones share it.
#[derive(Debug)]
pub struct Writer<A: Apply> {
    queue: mpsc::Sender<Queued<A>>,
}

impl<A: Apply> Clone for Writer<A> {
    fn clone(&self) -> Self {
        Self {
            queue: self.queue.clone(),
        }
    }
}

#[derive(Debug)]
struct Queued<A: Apply> {
    item: A::Item,
    request: Uuid,
    give_up: Instant,
    reply: oneshot::Sender<Outcome<A::Done>>,
}

impl<A: Apply> Writer<A> {
    /// Makes one change and returns once it is committed: what came of it, and where its last row stands on the feed (`None` when
    /// nothing changed).
    pub async fn write(&self, item: A::Item) -> Outcome<A::Done> {
        let (reply, answer) = oneshot::channel();
        let queued = Queued {
            item,
            request: ids::row_id(),
            give_up: Instant::now() + DEADLINE,
            reply,
        };
        if self.queue.try_send(queued).is_err() {
            return Err(Fault::unavailable("the writer's queue is full or closed"));
        }
        answer
            .await
            .unwrap_or_else(|_| Err(Fault::unavailable("the writer has stopped")))
    }
}

/// The writer task and the handle to it. The task ends after `stopping`, when what was queued is done.
pub(super) fn writer<A: Apply>(
    apply: A,
    producer: Producer,
    options: PgConnectOptions,
    clock: Clock,
    answering: Answering<A::Done>,
    stopping: CancellationToken,
) -> (Writer<A>, impl Future<Output = anyhow::Result<()>> + Send) {
    let (queue, waiting) = mpsc::channel(QUEUE);
    let task = Task {
        apply,
        producer,
        options,
        clock,
        answering,
        connection: None,
    };
    (Writer { queue }, task.run(waiting, stopping))
}

struct Task<A: Apply> {
    apply: A,
    producer: Producer,
    options: PgConnectOptions,
    clock: Clock,
    answering: Answering<A::Done>,
    connection: Option<Open>,
}

/// The writer's own connection, and the head as it was last seen there.
struct Open {
    connection: PgConnection,
    head: Head,
}

/// Why a transaction did not take place.
enum Failure {
    /// PostgreSQL refused a statement; nothing was changed. What that means for an item that was alone, where it is known.
    Refused(sqlx::Error, Option<Fault>),
    /// PostgreSQL is away, or two writers stood in each other's way; nothing was changed, and it may work the next time.
    Passing(sqlx::Error),
}

/// What came of a batch.
struct Written<D> {
    /// Item by item; `None` is to be tried again.
    outcomes: Vec<Option<Outcome<D>>>,
    /// How far the feed has come with it, where that is known.
    reached: Option<Reached>,
}

impl<A: Apply> Task<A> {
    async fn run(
        mut self,
        mut waiting: mpsc::Receiver<Queued<A>>,
        stopping: CancellationToken,
    ) -> anyhow::Result<()> {
        let mut again: Vec<Queued<A>> = Vec::new();
        loop {
            let mut batch = again;
            if batch.is_empty() {
                let first = tokio::select! {
                    biased;
                    first = waiting.recv() => first,
                    () = stopping.cancelled() => {
                        // Nothing new is taken; what came in before is still written.
                        waiting.close();
                        waiting.recv().await
                    }
                };
                match first {
                    Some(first) => batch.push(first),
                    None => return Ok(()),
                }
            } else {
                tokio::time::sleep(PAUSE).await;
            }
            while batch.len() < BATCH
                && let Ok(next) = waiting.try_recv()
            {
                batch.push(next);
            }
            again = self.process(batch).await;
        }
    }

    /// Writes a batch and answers its callers. Returns what is to be tried again.
    async fn process(&mut self, batch: Vec<Queued<A>>) -> Vec<Queued<A>> {
        metrics::histogram!("feed_writer_batch_items")
            .record(u32::try_from(batch.len()).unwrap_or(u32::MAX));
        let written = match self.transact(&batch).await {
            Ok(written) => written,
            Err(Failure::Refused(..)) if batch.len() > 1 => return self.one_by_one(batch).await,
            Err(Failure::Refused(error, means)) => {
                let fault = means.unwrap_or_else(|| Fault::internal(&error));
                Written::unknown(vec![Some(Err(fault))])
            }
            Err(Failure::Passing(error)) => {
                tracing::warn!(%error, "writes wait and are tried again");
                Written::unknown(batch.iter().map(|_| None).collect())
            }
        };
        let now = Instant::now();
        let (mut again, mut outcomes) = (Vec::new(), Vec::new());
        for (queued, outcome) in batch.into_iter().zip(written.outcomes) {
            match outcome {
                Some(outcome) => outcomes.push((queued.reply, outcome)),
                None if now < queued.give_up => again.push(queued),
                None => {
                    let fault = Fault::unavailable("rows locked elsewhere, or PostgreSQL");
                    outcomes.push((queued.reply, Err(fault)));
                }
            }
        }
        let reached = written.reached;
        self.answering.give(Answers { reached, outcomes }).await;
        again
    }

    /// After a batch has failed: each item in a transaction of its own, so that only the bad one fails.
    async fn one_by_one(&mut self, batch: Vec<Queued<A>>) -> Vec<Queued<A>> {
        let mut again = Vec::new();
        for queued in batch {
            again.extend(Box::pin(self.process(vec![queued])).await);
        }
        again
    }

    async fn transact(&mut self, batch: &[Queued<A>]) -> Result<Written<A::Done>, Failure> {
        let mut open = match self.connection.take() {
            Some(open) => open,
            None => self.open().await.map_err(Failure::Passing)?,
        };
        let applied = match self.apply(&mut open.connection, batch).await {
            Ok(applied) => applied,
            Err(error) => {
                let means = self.apply.explain(&error);
                return Err(self.undo(open, error, means).await);
            }
        };
        let changes: Vec<(Uuid, &NewChange)> = batch
            .iter()
            .zip(&applied)
            .flat_map(|(queued, applied)| applied.changes().iter().map(|c| (queued.request, c)))
            .collect();
        // PostgreSQL keeps no more of it.
        let now = self.clock.now().truncate_to_microsecond();
        let ending = ending(self.producer.schema(), &open.head, &changes, now);
        let witness = changes.first().map(|(request, _)| *request);
        let at = Clock::system().now();
        match commit(&mut open.connection, ending).await {
            Ok(reached) => {
                if let Some(Position { epoch, seq }) = reached {
                    open.head.seq = seq;
                    let numbers = (seq + 1).saturating_sub_unsigned(changes.len() as u64)..;
                    let told = numbers.zip(&changes);
                    let told = told.map(|(seq, (_, change))| change.told(seq, now));
                    self.producer.tail().extend(epoch, told);
                }
                self.connection = Some(open);
                if witness.is_some() {
                    self.producer.announce();
                }
                Ok(Written::settled(applied, reached, at))
            }
            Err(error) => match (&error, witness) {
                // The head is not the one we know: the data were restored under us. Look at it afresh.
                (sqlx::Error::Database(e), _) if e.code().as_deref() == Some(NO_HEAD) => {
                    Err(Failure::Passing(error))
                }
                (sqlx::Error::Database(_), _) if !pg::is_away(&error) => {
                    Err(self.undo(open, error, Explained::Unknown).await)
                }
                (_, Some(witness)) => {
                    tracing::warn!(%error, "the connection was lost at commit");
                    self.look_up(witness, open.head.seq, applied, at).await
                }
                (_, None) => Err(Failure::Passing(error)),
            },
        }
    }

    async fn open(&self) -> Result<Open, sqlx::Error> {
        let settings = [
            // A process that freezes with rows locked is cut off, not waited for.
            ("idle_in_transaction_session_timeout", "3s"),
            // The same few statements come again and again, on names and ids: to plan each for its values costs more than it gains.
            ("plan_cache_mode", "force_generic_plan"),
        ];
        let options = self.options.clone().options(settings);
        let mut connection = PgConnection::connect_with(&options).await?;
        let head = Head::of(&mut connection, self.producer.schema()).await?;
        prepare(&mut connection, self.producer.schema()).await?;
        Ok(Open { connection, head })
    }

    async fn apply(
        &self,
        connection: &mut PgConnection,
        batch: &[Queued<A>],
    ) -> Result<Vec<Applied<A::Done>>, sqlx::Error> {
        connection.execute("begin").await?;
        let items: Vec<&A::Item> = batch.iter().map(|queued| &queued.item).collect();
        self.apply.apply(connection, &items, self.clock.now()).await
    }

    /// Rolls back after an error, and keeps the connection if it still serves.
    async fn undo(&mut self, mut open: Open, error: sqlx::Error, means: Explained) -> Failure {
        if pg::is_away(&error) {
            return Failure::Passing(error);
        }
        if open.connection.execute("rollback").await.is_ok() {
            self.connection = Some(open);
        }
        match error
            .as_database_error()
            .and_then(sqlx::error::DatabaseError::code)
        {
            // Class 40: a deadlock or a serialisation failure.
            Some(code) if code.starts_with("40") => Failure::Passing(error),
            _ => match means {
                Explained::Passing => Failure::Passing(error),
                Explained::Refused(fault) => Failure::Refused(error, Some(fault)),
                Explained::Unknown => Failure::Refused(error, None),
            },
        }
    }

    /// Whether a commit, whose answer was lost, took place: one row of the batch stands for all, since they go together.
    async fn look_up(
        &mut self,
        witness: Uuid,
        after: i64,
        applied: Vec<Applied<A::Done>>,
        at: OffsetDateTime,
    ) -> Result<Written<A::Done>, Failure> {
        let give_up = Instant::now() + DEADLINE;
        loop {
            match self.find(witness, after).await {
                Ok(Some(position)) => {
                    self.producer.announce_unseen();
                    self.producer.announce();
                    return Ok(Written::settled(applied, Some(position), at));
                }
                Ok(None) => return Ok(Written::unknown(applied.iter().map(|_| None).collect())),
                Err(error) if Instant::now() < give_up => {
                    tracing::warn!(%error, "what became of a commit cannot be looked up yet");
                    tokio::time::sleep(PAUSE).await;
                }
                Err(_) => {
                    let unknown = || {
                        Fault {
                        message: "the database was lost while your change was being written; look whether it is there before \
                                  you send it again"
                            .into(),
                        ..Fault::unavailable("PostgreSQL, at commit")
                    }
                    };
                    let outcomes = applied.iter().map(|_| Some(Err(unknown()))).collect();
                    return Ok(Written::unknown(outcomes));
                }
            }
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    async fn find(&mut self, witness: Uuid, after: i64) -> Result<Option<Position>, sqlx::Error> {
        let mut open = self.open().await?;
        let sql = format!(
            "select max(seq) from {}.feed where seq > $1 and request = $2",
            self.producer.schema()
        );
        let seq: Option<i64> = sqlx::query_scalar(AssertSqlSafe(sql))
            .bind(after)
            .bind(witness)
            .fetch_one(&mut open.connection)
            .await?;
        let epoch = open.head.epoch;
        self.connection = Some(open);
        Ok(seq.map(|seq| Position { epoch, seq }))
    }
}

impl<D> Written<D> {
    /// A batch that is committed.
    fn settled(applied: Vec<Applied<D>>, position: Option<Position>, at: OffsetDateTime) -> Self {
        let outcome = |applied| match applied {
            Applied::Done(done, changes) => {
                Some(Ok((done, position.filter(|_| !changes.is_empty()))))
            }
            Applied::Refused(fault) => Some(Err(fault)),
            Applied::Busy => None,
        };
        Self {
            outcomes: applied.into_iter().map(outcome).collect(),
            reached: position.map(|position| Reached { position, at }),
        }
    }

    /// One that is not, as far as anybody knows.
    fn unknown(outcomes: Vec<Option<Outcome<D>>>) -> Self {
        Self {
            outcomes,
            reached: None,
        }
    }
}
