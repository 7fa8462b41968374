//! Calls that have their effect once, however often they are sent with the same `Idempotency-Key` (§10.4).
//!
//! The answer is stored in the transaction of its effect, in the table `idempotency` of the service's schema, and given again to the
//! same call for a day. A refusal stores nothing, so the key stays free.

pub mod body_hash;
mod forget;
mod in_flight;
mod store;

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

pub use forget::{forget, spawn_forget};
pub use in_flight::{Calls, InFlight};

use crate::fault::{Code, Fault};
use crate::feed::Stop;
use crate::pg::Schema;
use store::Stored;

/// Characters of a key at most.
const LONGEST: usize = 255;

/// The `Idempotency-Key` of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Which call.
    pub name: Name,
    /// Of its body.
    pub body_sha256: Vec<u8>,
}

/// Which call a key belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Name {
    /// Whose call it is.
    pub account: Uuid,
    /// Such as `POST /games`.
    pub route: Cow<'static, str>,
    /// As the caller sent it.
    pub key: String,
}

impl Name {
    /// The name of a call.
    ///
    /// # Errors
    /// The key is not one.
    pub fn new(
        account: Uuid,
        route: impl Into<Cow<'static, str>>,
        key: &str,
    ) -> Result<Self, Fault> {
        let fits = (1..=LONGEST).contains(&key.len());
        if !fits || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            let reason = format!("It is 1 to {LONGEST} visible ASCII characters, such as a UUID.");
            return Err(Fault::invalid_field("Idempotency-Key", reason));
        }
        Ok(Self {
            account,
            route: route.into(),
            key: key.to_owned(),
        })
    }
}

impl Key {
    /// Locks the call until the transaction ends; false when another transaction has it locked. It is needed where calls with the same
    /// key do not lock a row that they share.
    ///
    /// # Errors
    /// PostgreSQL's.
    #[expect(
        clippy::disallowed_methods,
        reason = "the kit has no schema of its own; tested against PostgreSQL"
    )]
    pub async fn lock(&self, connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
        let Name {
            account,
            route,
            key,
        } = &self.name;
        // Two calls with the same hash only wait for each other.
        sqlx::query_scalar("select pg_try_advisory_xact_lock(hashtextextended($1, 0))")
            .bind(format!("{account} {route} {key}"))
            .fetch_one(connection)
            .await
    }

    /// The answer that the same call was given before. Call it in the transaction of the effect, with the call or a row locked that all
    /// calls with this key lock.
    ///
    /// # Errors
    /// The key came with another body before; or PostgreSQL's.
    pub async fn replay<A: DeserializeOwned>(
        &self,
        connection: &mut PgConnection,
        schema: Schema,
        now: OffsetDateTime,
    ) -> Result<Option<A>, Stop> {
        let Some(stored) = store::find(connection, schema, &self.name, now).await? else {
            return Ok(None);
        };
        if stored.body_sha256 != self.body_sha256 {
            return Err(other_body().into());
        }
        let answer = serde_json::from_value(stored.answer);
        Ok(Some(answer.map_err(|error| Fault::internal(&error))?))
    }

    /// Stores the answer, in the transaction of the effect.
    ///
    /// # Errors
    /// PostgreSQL's.
    pub async fn store(
        &self,
        connection: &mut PgConnection,
        schema: Schema,
        answer: &impl Serialize,
        now: OffsetDateTime,
    ) -> Result<(), sqlx::Error> {
        let stored = Stored {
            body_sha256: self.body_sha256.clone(),
            // A struct of texts and numbers: writing it cannot fail.
            answer: serde_json::to_value(answer).unwrap_or(Value::Null),
        };
        store::save(connection, schema, &self.name, &stored, now).await
    }
}

/// Refuses a key that was used before.
fn other_body() -> Fault {
    Fault::new(
        Code::IdempotencyMismatch,
        "this Idempotency-Key came with another body before; use a new one for another call",
    )
}
