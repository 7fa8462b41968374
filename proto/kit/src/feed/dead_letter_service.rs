//! Staff calls for the dead letters of a service (`common/v1/dead_letters.proto`).

use std::fmt;
use std::sync::Arc;

use contracts::common::v1 as proto;
use contracts::common::v1::staff_dead_letter_service_server::{
    StaffDeadLetterService, StaffDeadLetterServiceServer,
};
use serde_json::json;
use sqlx::postgres::PgPool;
use tonic::{Request, Response, Status};

use super::dead_letter::{self, Retried, Subscription};
use super::projection::Projection;
use crate::audit::{Action, Audit, DEAD_LETTER, RETRY_DEAD_LETTERS, Subject};
use crate::clock::Clock;
use crate::fault::Fault;
use crate::pg::Schema;
use crate::rpc::staff::Role;
use crate::timestamp;

/// The default number of rows on a page, and the most.
const LIMITS: (i32, i32) = (20, 100);

/// What staff do with dead letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DeadLetterAction {
    Look,
    Retry,
}

impl Action for DeadLetterAction {
    const ALL: &'static [Self] = &[Self::Look, Self::Retry];
    const KINDS: &'static [&'static str] = &[DEAD_LETTER];
    const READ_AUDIT: Self = Self::Look;

    fn as_str(self) -> &'static str {
        match self {
            Self::Look => "look",
            Self::Retry => RETRY_DEAD_LETTERS,
        }
    }

    fn needs(self) -> Role {
        match self {
            Self::Look => Role::Reviewer,
            Self::Retry => Role::Admin,
        }
    }
}

/// Retries the dead letters of one feed.
#[tonic::async_trait]
trait Retry: Send + Sync {
    async fn retry(&self, pool: &PgPool, numbers: &[i64]) -> Result<Retried, sqlx::Error>;
}

#[tonic::async_trait]
impl<P: Projection> Retry for (Subscription, P) {
    async fn retry(&self, pool: &PgPool, numbers: &[i64]) -> Result<Retried, sqlx::Error> {
        self.0.retry(pool, &self.1, numbers).await
    }
}

/// The dead letters of all feeds that a service follows.
pub struct DeadLetterService {
    pool: PgPool,
    schema: Schema,
    clock: Clock,
    feeds: Vec<Arc<dyn Retry>>,
}

impl fmt::Debug for DeadLetterService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeadLetterService")
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}

impl DeadLetterService {
    /// The dead letters in `schema`.
    pub fn new(pool: PgPool, schema: Schema, clock: Clock) -> Self {
        Self {
            pool,
            schema,
            clock,
            feeds: Vec::new(),
        }
    }

    /// Retries the dead letters of `producer` with `projection`.
    pub fn add(&mut self, producer: &'static str, projection: impl Projection) {
        let feed = Subscription {
            schema: self.schema,
            producer,
        };
        self.feeds.push(Arc::new((feed, projection)));
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
        self.audit()
            .admit(&request, DeadLetterAction::Look, on)
            .await?;
        let request = request.into_inner();
        let limit = match request.limit {
            0 => LIMITS.0,
            limit if (1..=LIMITS.1).contains(&limit) => limit,
            _ => {
                return Err(
                    Fault::invalid_field("limit", format!("It is 1 to {}.", LIMITS.1)).into(),
                );
            }
        };
        let letters = dead_letter::list(&self.pool, self.schema, request.after, limit.into());
        let letters = letters.await.map_err(Fault::from)?;
        let letters = letters.into_iter().map(|letter| proto::DeadLetter {
            number: letter.number,
            producer: letter.producer,
            seq: letter.change.seq,
            entity: letter.change.entity,
            id: letter.change.id,
            event: letter.change.event,
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
            .admit(&request, DeadLetterAction::Retry, on)
            .await?;
        let numbers = request.into_inner().numbers;
        let mut sum = Retried::default();
        for feed in &self.feeds {
            let retried = feed
                .retry(&self.pool, &numbers)
                .await
                .map_err(Fault::from)?;
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
}
