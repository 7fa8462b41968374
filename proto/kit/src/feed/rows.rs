//! One follower's stream: rows as they are committed, from this process's tail or from PostgreSQL.

use std::time::Duration;

use contracts::common::v1 as proto;
use contracts::common::v1::follow_response::{Batch, Message, Start};
use sqlx::postgres::PgPool;
use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use time::OffsetDateTime;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tonic::Status;
use uuid::Uuid;

use super::{Position, Producer, lag};
use crate::pg::{self, Schema};

/// Rows in one message at most.
const BATCH: usize = 500;
/// A follower looks by itself this often, in case a wake-up was lost.
const NET: Duration = Duration::from_secs(1);

/// One follower's way through the rows.
pub(super) struct Rows {
    pub(super) pool: PgPool,
    pub(super) producer: Producer,
    pub(super) news: watch::Receiver<u64>,
    pub(super) unseen: watch::Receiver<u64>,
    /// How often the tail had lost rows when the stream began.
    pub(super) lost: u64,
    /// Whether PostgreSQL may have more than the tail.
    pub(super) must_look: bool,
    pub(super) draining: CancellationToken,
    pub(super) epoch: Uuid,
    /// When the server that it reads from was started; `None` before it was asked.
    pub(super) server: Option<OffsetDateTime>,
    /// As far as is known here.
    pub(super) head: i64,
    pub(super) after: i64,
    pub(super) pause: Duration,
    /// Whether the follower has just been given something.
    pub(super) pausing: bool,
    pub(super) start: Option<Start>,
}

/// What PostgreSQL has of a feed, of one moment.
#[derive(Debug)]
pub struct Found {
    /// How far the feed has come.
    pub head: Position,
    /// When the server was started.
    pub(super) server: OffsetDateTime,
    /// The first changes above the one that was asked for, in their order.
    pub changes: Vec<proto::Change>,
}

/// The first `most` changes above `after`, and the head, of one moment. Replicas of a producer read its feed by this; others follow it over
/// gRPC.
///
/// # Errors
/// PostgreSQL's.
#[expect(
    clippy::disallowed_methods,
    reason = "the schema is a parameter; tested against PostgreSQL"
)]
pub async fn changes(
    connection: &mut PgConnection,
    schema: Schema,
    after: i64,
    most: usize,
) -> Result<Found, sqlx::Error> {
    let sql = format!(
        "select head.epoch, head.seq as head_seq, pg_postmaster_start_time() as server, feed.* from (select epoch, seq from {schema}.feed_head limit 1) head
         left join lateral (select * from {schema}.feed where seq > $1 order by seq limit {most}) feed on true
         order by feed.seq"
    );
    let rows = sqlx::query(AssertSqlSafe(sql))
        .bind(after)
        // A plan that was made when the feed was short would read all of it once it is long.
        .persistent(false)
        .fetch_all(connection)
        .await?;
    let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    let head = Position {
        epoch: first.try_get("epoch")?,
        seq: first.try_get("head_seq")?,
    };
    let server = first.try_get("server")?;
    let mut changes = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(seq) = row.try_get("seq")? else {
            continue;
        };
        let at: OffsetDateTime = row.try_get("at")?;
        changes.push(proto::Change {
            seq,
            entity: row.try_get("entity")?,
            id: row.try_get("id")?,
            revision: row.try_get("revision")?,
            event: row.try_get("event")?,
            announced: row.try_get("announced")?,
            happening: row.try_get("happening")?,
            at: Some(crate::timestamp::encode(at)),
            state: row.try_get::<Vec<u8>, _>("state")?.into(),
        });
    }
    Ok(Found {
        head,
        server,
        changes,
    })
}

impl Rows {
    /// The next message; `None` ends the stream, and the follower comes again.
    pub(super) async fn next(&mut self) -> Result<Option<Message>, Status> {
        if let Some(start) = self.start.take() {
            return Ok(Some(Message::Start(start)));
        }
        if std::mem::take(&mut self.pausing) {
            tokio::select! {
                () = self.draining.cancelled() => return Ok(None),
                () = tokio::time::sleep(self.pause) => {}
            }
        }
        loop {
            self.news.mark_unchanged();
            self.must_look |= self.unseen.has_changed().unwrap_or(true);
            let tail = self.producer.tail().after(self.epoch, self.after, BATCH);
            let changes = match tail {
                Some(changes) if !changes.is_empty() || !self.must_look => changes,
                Some(_) | None => {
                    // Marked before the look: a commit between the two is not missed.
                    self.unseen.mark_unchanged();
                    let found = self.look().await.map_err(|error| pg::fault(&error))?;
                    // Another epoch, lost rows, or another run of the server, whose files may have been replaced: the follower comes
                    // again and is told how it goes on.
                    let server = *self.server.get_or_insert(found.server);
                    if (found.head.epoch, found.server) != (self.epoch, server)
                        || found.head.seq < self.after
                    {
                        return Ok(None);
                    }
                    self.head = found.head.seq;
                    self.must_look = found.changes.len() == BATCH;
                    found.changes
                }
            };
            // Compared after the rows were read: they may be of numbers that were given out again meanwhile.
            if self.producer.tail().lost() != self.lost {
                return Ok(None);
            }
            if let Some(last) = changes.last() {
                self.after = last.seq;
                self.head = self.head.max(last.seq);
                // One that is far behind gets the next rows at once.
                self.pausing = !self.pause.is_zero() && changes.len() < BATCH;
                let head_seq = self.head;
                return Ok(Some(Message::Batch(Batch { changes, head_seq })));
            }
            tokio::select! {
                () = self.draining.cancelled() => return Ok(None),
                changed = self.news.changed() => if changed.is_err() { return Ok(None) },
                () = tokio::time::sleep(NET) => self.must_look = true,
            }
        }
    }

    /// The rows above the follower's place and the head, of one moment.
    async fn look(&self) -> Result<Found, sqlx::Error> {
        let schema = self.producer.schema();
        let mut connection = self.pool.acquire().await?;
        let found = changes(&mut connection, schema, self.after, BATCH).await?;
        lag::head(schema.0, found.head.seq);
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use futures::poll;
    use sqlx::postgres::PgPoolOptions;

    use super::super::{PRODUCER_TABLES, Retention};
    use super::*;
    use crate::{Clock, Lifecycle};

    const SCHEMA: Schema = Schema("kit");
    /// Change 4, made after 3 and what led up to it were lost: the feed stands at 4 again.
    const NUMBERED_AGAIN: &str = "
        insert into kit.feed (seq, entity, id, revision, event, announced, happening, at, state, request)
            values (4, 'note', 'b', 1, 'set', true, false, now(), '', gen_random_uuid());
        update kit.feed_head set seq = 4";

    #[sqlx::test]
    #[expect(
        clippy::disallowed_methods,
        reason = "a test; its schema is the kit's own"
    )]
    async fn a_stream_ends_when_rows_are_lost_while_it_asks_postgresql(pool: PgPool) {
        let tables = format!("create schema kit; {}", PRODUCER_TABLES.concat());
        sqlx::raw_sql(AssertSqlSafe(tables))
            .execute(&pool)
            .await
            .unwrap();
        let epoch: Uuid = sqlx::query_scalar("select epoch from kit.feed_head")
            .fetch_one(&pool)
            .await
            .unwrap();
        let (lifecycle, _) = Lifecycle::new();
        let clock = Clock::system();
        let producer = Producer::start(
            pool.clone(),
            SCHEMA,
            clock,
            &lifecycle,
            Retention::default(),
        );
        let committed = |seq| {
            let change = proto::Change {
                seq,
                ..proto::Change::default()
            };
            producer.tail().extend(epoch, [change]);
        };
        committed(3);
        // It waits for the one connection there is.
        let one = PgPoolOptions::new().max_connections(1);
        let narrow = one.connect_lazy_with((*pool.connect_options()).clone());
        let held = narrow.acquire().await.unwrap();
        let mut rows = Rows {
            pool: narrow,
            news: producer.news(),
            unseen: producer.wakeup().subscribe_unseen(),
            lost: producer.tail().lost(),
            producer: producer.clone(),
            must_look: true,
            draining: CancellationToken::new(),
            epoch,
            server: None,
            head: 3,
            after: 3,
            pause: Duration::ZERO,
            pausing: false,
            start: None,
        };
        let mut next = std::pin::pin!(rows.next());
        assert!(poll!(&mut next).is_pending());

        committed(2);
        sqlx::raw_sql(NUMBERED_AGAIN).execute(&pool).await.unwrap();
        drop(held);
        assert!(
            next.await.unwrap().is_none(),
            "4 does not follow the 3 that it was given"
        );
        lifecycle.stopping().cancel();
    }
}
