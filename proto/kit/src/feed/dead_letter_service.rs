//! Staff calls for the feeds of a service and their dead letters (`common/v1/dead_letters.proto`).

use std::fmt;
use std::sync::Arc;

use contracts::common::v1 as proto;
use contracts::common::v1::staff_dead_letter_service_server::{
    StaffDeadLetterService, StaffDeadLetterServiceServer,
};
use serde_json::json;
use sqlx::postgres::PgPool;
use strum::{IntoStaticStr, VariantArray};
use tonic::{Request, Response, Status};

use super::dead_letter::{self, ChangeSource, Retried, Subscription};
use super::followers;
use super::projection::Projection;
use crate::audit::{Action, Audit, FEED_KINDS, Subject};
use crate::bad_fields::BadFields;
use crate::clock::Clock;
use crate::fault::Fault;
use crate::page::Limits;
use crate::pg::{self, Schema};
use crate::rpc::staff::Role;
use crate::timestamp;

const DEAD_LETTER: &str = FEED_KINDS[0];
const FOLLOWER: &str = FEED_KINDS[1];

/// What staff do with feeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
enum FeedAction {
    Look,
    RetryDeadLetters,
    ForgetFollower,
    ReplayFeed,
}

impl Action for FeedAction {
    const KINDS: &'static [&'static str] = &FEED_KINDS;
    const READ_AUDIT: Self = Self::Look;

    fn needs(self) -> Role {
        match self {
            Self::Look => Role::Reviewer,
            Self::RetryDeadLetters | Self::ForgetFollower | Self::ReplayFeed => Role::Admin,
        }
    }
}

/// A feed that the service follows.
#[tonic::async_trait]
trait FollowedFeed: Send + Sync {
    fn subscription(&self) -> Subscription;

    /// Retries its dead letters.
    async fn retry(&self, pool: &PgPool, numbers: &[i64]) -> Result<Retried, Fault>;
}

#[tonic::async_trait]
impl<S: ChangeSource, P: Projection> FollowedFeed for (Subscription, S, P) {
    fn subscription(&self) -> Subscription {
        self.0
    }

    async fn retry(&self, pool: &PgPool, numbers: &[i64]) -> Result<Retried, Fault> {
        self.0.retry(pool, &self.1, &self.2, numbers).await
    }
}

/// The feed of a service, and the feeds that it follows with their dead letters.
pub struct DeadLetterService {
    pool: PgPool,
    schema: Schema,
    clock: Clock,
    feeds: Vec<Arc<dyn FollowedFeed>>,
}

impl fmt::Debug for DeadLetterService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeadLetterService")
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}

impl DeadLetterService {
    /// The feeds in `schema`.
    pub fn new(pool: PgPool, schema: Schema, clock: Clock) -> Self {
        Self {
            pool,
            schema,
            clock,
            feeds: Vec::new(),
        }
    }

    /// Retries the dead letters of `producer` with `projection`, and reads their changes from `source`.
    pub fn add(
        &mut self,
        producer: &'static str,
        source: impl ChangeSource,
        projection: impl Projection,
    ) {
        let feed = Subscription {
            schema: self.schema,
            producer,
        };
        self.feeds.push(Arc::new((feed, source, projection)));
    }

    /// The gRPC service.
    pub fn into_server(self) -> StaffDeadLetterServiceServer<impl StaffDeadLetterService> {
        StaffDeadLetterServiceServer::new(self)
    }

    fn audit(&self) -> Audit {
        Audit::new(self.pool.clone(), self.schema, self.clock.clone())
    }
}

#[tonic::async_trait]
impl StaffDeadLetterService for DeadLetterService {
    async fn list_dead_letters(
        &self,
        request: Request<proto::ListDeadLettersRequest>,
    ) -> Result<Response<proto::ListDeadLettersResponse>, Status> {
        let on = (DEAD_LETTER, "");
        self.audit().admit(&request, FeedAction::Look, on).await?;
        let request = request.into_inner();
        let mut bad = BadFields::default();
        let limit = Limits::PUBLIC.read(request.limit, &mut bad);
        bad.check()?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let letters = dead_letter::list(&self.pool, self.schema, request.after, limit);
        let letters = letters.await.map_err(Fault::from)?;
        let letters = letters.into_iter().map(|letter| proto::DeadLetter {
            number: letter.number,
            producer: letter.producer,
            seq: letter.seq,
            entity: letter.entity,
            id: letter.id,
            event: letter.event,
            reason: letter.reason,
            put_aside_at: Some(timestamp::encode(letter.put_aside_at)),
        });
        Ok(Response::new(proto::ListDeadLettersResponse {
            dead_letters: letters.collect(),
        }))
    }

    async fn retry_dead_letters(
        &self,
        request: Request<proto::RetryDeadLettersRequest>,
    ) -> Result<Response<proto::RetryDeadLettersResponse>, Status> {
        let numbers: Vec<String> = request
            .get_ref()
            .numbers
            .iter()
            .map(i64::to_string)
            .collect();
        let name = numbers.join(",");
        let on = (DEAD_LETTER, name.as_str());
        let by = self
            .audit()
            .admit(&request, FeedAction::RetryDeadLetters, on)
            .await?;
        let numbers = request.into_inner().numbers;
        let mut sum = Retried::default();
        for feed in &self.feeds {
            let retried = feed.retry(&self.pool, &numbers).await?;
            sum.applied += retried.applied;
            sum.refused += retried.refused;
        }
        let subject = Subject {
            entity: DEAD_LETTER,
            name,
            details: json!({ "applied": sum.applied, "refused": sum.refused }),
        };
        let recorded = by.record(&self.pool, self.schema, subject, self.clock.now());
        recorded.await.map_err(Fault::from)?;
        Ok(Response::new(proto::RetryDeadLettersResponse {
            applied: sum.applied,
            refused: sum.refused,
        }))
    }

    async fn list_followers(
        &self,
        request: Request<proto::ListFollowersRequest>,
    ) -> Result<Response<proto::ListFollowersResponse>, Status> {
        let on = (FOLLOWER, "");
        self.audit().admit(&request, FeedAction::Look, on).await?;
        let reading = async {
            let mut connection = self.pool.acquire().await?;
            let mut followed = Vec::new();
            for feed in &self.feeds {
                followed.push(feed.subscription().status(&mut connection).await?);
            }
            let followers = followers::list(&mut connection, self.schema).await?;
            Ok(proto::ListFollowersResponse {
                followers,
                followed,
            })
        };
        let response: Result<_, sqlx::Error> = reading.await;
        Ok(Response::new(response.map_err(Fault::from)?))
    }

    async fn forget_follower(
        &self,
        request: Request<proto::ForgetFollowerRequest>,
    ) -> Result<Response<proto::ForgetFollowerResponse>, Status> {
        let name = request.get_ref().name.clone();
        let on = (FOLLOWER, name.as_str());
        let by = self
            .audit()
            .admit(&request, FeedAction::ForgetFollower, on)
            .await?;
        let forgetting = async {
            let mut transaction = self.pool.begin().await?;
            let now = pg::now(&mut *transaction, &self.clock).await?;
            if !followers::forget(&mut transaction, self.schema, &name, now).await? {
                return Ok(false);
            }
            let subject = Subject {
                entity: FOLLOWER,
                name: name.clone(),
                details: json!({}),
            };
            by.record(&mut *transaction, self.schema, subject, now)
                .await?;
            transaction.commit().await?;
            Ok(true)
        };
        let forgotten: Result<bool, sqlx::Error> = forgetting.await;
        if !forgotten.map_err(Fault::from)? {
            let message = format!(
                "No follower `{name}` has left this feed. `staff follower list` shows those that follow it; one that was seen within a minute is connected."
            );
            return Err(Fault::not_found(message).into());
        }
        Ok(Response::new(proto::ForgetFollowerResponse {}))
    }

    async fn replay_feed(
        &self,
        request: Request<proto::ReplayFeedRequest>,
    ) -> Result<Response<proto::ReplayFeedResponse>, Status> {
        let proto::ReplayFeedRequest { producer, from_seq } = request.get_ref().clone();
        let on = (FOLLOWER, producer.as_str());
        let by = self
            .audit()
            .admit(&request, FeedAction::ReplayFeed, on)
            .await?;
        if from_seq < 1 {
            return Err(Fault::invalid_field("from_seq", "It is 1 or more.").into());
        }
        let mut feeds = self.feeds.iter().map(|feed| feed.subscription());
        let feed = feeds.find(|feed| feed.producer == producer);
        let replaying = async {
            let mut transaction = self.pool.begin().await?;
            let now = pg::now(&mut *transaction, &self.clock).await?;
            let Some(feed) = feed else { return Ok(None) };
            let Some(to_seq) = feed.replay(&mut transaction, from_seq).await? else {
                return Ok(None);
            };
            let subject = Subject {
                entity: FOLLOWER,
                name: producer.clone(),
                details: json!({ "from_seq": from_seq, "to_seq": to_seq }),
            };
            by.record(&mut *transaction, self.schema, subject, now)
                .await?;
            transaction.commit().await?;
            Ok(Some(to_seq))
        };
        let replayed: Result<Option<i64>, sqlx::Error> = replaying.await;
        let Some(to_seq) = replayed.map_err(Fault::from)? else {
            let message = format!(
                "This service has applied no change {from_seq} of a feed `{producer}`. `staff follower list` shows its feeds and how far it has come."
            );
            return Err(Fault::not_found(message).into());
        };
        Ok(Response::new(proto::ReplayFeedResponse { to_seq }))
    }
}
