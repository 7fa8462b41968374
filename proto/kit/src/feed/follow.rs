//! The gRPC side of a feed: streams rows to followers.

use std::pin::Pin;
use std::time::Duration;

use contracts::common::v1 as proto;
use contracts::common::v1::feed_service_server::FeedService;
use contracts::common::v1::follow_response::{Batch, Message, Start};
use futures::{Stream, stream};
use sqlx::postgres::PgPool;
use sqlx::{AssertSqlSafe, Row as _};
use time::OffsetDateTime;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::Producer;
use super::head::Head;
use crate::clock::Clock;
use crate::fault::Fault;
use crate::pg;

/// Rows in one message at most.
const BATCH: usize = 500;
/// A follower's pause at most.
const PAUSE: Duration = Duration::from_secs(1);
/// A follower looks by itself this often, in case a wake-up was lost.
const NET: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Follow {
    pool: PgPool,
    producer: Producer,
    clock: Clock,
    draining: CancellationToken,
}

impl Follow {
    pub(super) fn new(
        pool: PgPool,
        producer: Producer,
        clock: Clock,
        draining: CancellationToken,
    ) -> Self {
        Self {
            pool,
            producer,
            clock,
            draining,
        }
    }

    /// Compares where the follower says it is with the head. `reset`: it has to start again.
    async fn start(&self, epoch: Option<Uuid>, after: i64) -> Result<Start, sqlx::Error> {
        let schema = self.producer.schema();
        let mut connection = self.pool.acquire().await?;
        let mut head = Head::of(&mut connection, schema).await?;
        if epoch == Some(head.epoch) && after > head.seq {
            head.disown(&mut connection, schema).await?;
            head = Head::of(&mut connection, schema).await?;
        }
        Ok(Start {
            epoch: head.epoch.to_string(),
            head_seq: head.seq,
            reset: epoch != Some(head.epoch),
        })
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    async fn register(&self, follower: &str, epoch: Uuid, seq: i64) -> Result<(), sqlx::Error> {
        let sql = format!(
            "insert into {}.feed_follower (name, epoch, seq, seen_at) values ($1, $2, $3, $4)
             on conflict (name) do update
             set epoch = excluded.epoch, seq = excluded.seq, seen_at = excluded.seen_at",
            self.producer.schema()
        );
        sqlx::query(AssertSqlSafe(sql))
            .bind(follower)
            .bind(epoch)
            .bind(seq)
            .bind(self.clock.now())
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}

#[tonic::async_trait]
impl FeedService for Follow {
    type FollowStream = Pin<Box<dyn Stream<Item = Result<proto::FollowResponse, Status>> + Send>>;

    async fn follow(
        &self,
        request: Request<proto::FollowRequest>,
    ) -> Result<Response<Self::FollowStream>, Status> {
        let request = request.into_inner();
        let epoch = match request.epoch.as_str() {
            "" => None,
            text => Some(parse_epoch(text)?),
        };
        // Subscribe first, then look: what is committed in between is not missed.
        let (news, unseen) = (self.producer.news(), self.producer.unseen());
        let start = self
            .start(epoch, request.after_seq)
            .await
            .map_err(|error| pg::fault(&error))?;
        let after = if start.reset { 0 } else { request.after_seq };
        let epoch = parse_epoch(&start.epoch)?;
        if !request.follower.is_empty() {
            self.register(&request.follower, epoch, after)
                .await
                .map_err(|error| pg::fault(&error))?;
        }
        let rows = Rows {
            pool: self.pool.clone(),
            producer: self.producer.clone(),
            news,
            unseen,
            must_look: true,
            draining: self.draining.clone(),
            epoch,
            after,
            pause: Duration::from_millis(request.pause_ms.into()).min(PAUSE),
            pausing: false,
            start: Some(start),
        };
        let messages = stream::try_unfold(rows, |mut rows| async move {
            Ok(rows.next().await?.map(|message| {
                let response = proto::FollowResponse {
                    message: Some(message),
                };
                (response, rows)
            }))
        });
        Ok(Response::new(Box::pin(messages)))
    }

    async fn acknowledge(
        &self,
        request: Request<proto::AcknowledgeRequest>,
    ) -> Result<Response<proto::AcknowledgeResponse>, Status> {
        let request = request.into_inner();
        if request.follower.is_empty() {
            return Err(Fault::invalid_field(
                "follower",
                "an unregistered follower has nothing to acknowledge",
            )
            .into());
        }
        let epoch = parse_epoch(&request.epoch)?;
        self.register(&request.follower, epoch, request.seq)
            .await
            .map_err(|error| pg::fault(&error))?;
        Ok(Response::new(proto::AcknowledgeResponse {}))
    }

    async fn get_position(
        &self,
        _: Request<proto::GetPositionRequest>,
    ) -> Result<Response<proto::GetPositionResponse>, Status> {
        let position = self.producer.position().await;
        let position = position.map_err(|error| pg::fault(&error))?;
        Ok(Response::new(proto::GetPositionResponse {
            position: Some(position.into()),
        }))
    }
}

fn parse_epoch(text: &str) -> Result<Uuid, Fault> {
    text.parse()
        .ok()
        .ok_or_else(|| Fault::invalid_field("epoch", "not an epoch that this feed ever gave out"))
}

/// One follower's way through the rows.
struct Rows {
    pool: PgPool,
    producer: Producer,
    news: watch::Receiver<u64>,
    unseen: watch::Receiver<u64>,
    /// Whether PostgreSQL may have more than the tail.
    must_look: bool,
    draining: CancellationToken,
    epoch: Uuid,
    after: i64,
    pause: Duration,
    /// Whether the follower has just been given something.
    pausing: bool,
    start: Option<Start>,
}

impl Rows {
    /// The next message; `None` ends the stream, and the follower comes again.
    async fn next(&mut self) -> Result<Option<Message>, Status> {
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
                    // What is told of from now on is looked for once more.
                    self.unseen.mark_unchanged();
                    let (epoch, changes) = self.look().await.map_err(|error| pg::fault(&error))?;
                    if epoch != self.epoch {
                        return Ok(None);
                    }
                    self.must_look = changes.len() == BATCH;
                    changes
                }
            };
            if let Some(last) = changes.last() {
                self.after = last.seq;
                // One that is far behind gets the next rows at once.
                self.pausing = !self.pause.is_zero() && changes.len() < BATCH;
                return Ok(Some(Message::Batch(Batch { changes })));
            }
            tokio::select! {
                () = self.draining.cancelled() => return Ok(None),
                changed = self.news.changed() => if changed.is_err() { return Ok(None) },
                () = tokio::time::sleep(NET) => self.must_look = true,
            }
        }
    }

    /// The rows above the follower's place and the epoch they belong to, of one moment.
    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    async fn look(&self) -> Result<(Uuid, Vec<proto::Change>), sqlx::Error> {
        let sql = format!(
            "select head.epoch, feed.* from (select epoch from {0}.feed_head limit 1) head
             left join lateral (select * from {0}.feed where seq > $1 order by seq limit {BATCH}) feed on true
             order by feed.seq",
            self.producer.schema()
        );
        let rows = sqlx::query(AssertSqlSafe(sql))
            .bind(self.after)
            // A plan that was made when the feed was short would read all of it once it is long.
            .persistent(false)
            .fetch_all(&self.pool)
            .await?;
        let epoch = rows
            .first()
            .ok_or(sqlx::Error::RowNotFound)?
            .try_get("epoch")?;
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
                at: Some(crate::pg::timestamp(at)),
                state: row.try_get::<Vec<u8>, _>("state")?.into(),
            });
        }
        Ok((epoch, changes))
    }
}
