//! Idempotency keys: calls with the same `Idempotency-Key` take effect once (§10.4).
//!
//! The response is stored in the transaction of the effect, in the table `idempotency` of the service's schema, and replayed to the same
//! call for a day. A call that fails stores nothing, so its key can be used again.

pub mod body_hash;
mod cleanup;

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

pub use cleanup::{delete_expired, spawn_cleanup};

use crate::Code;
use crate::api::fault::Fault;
use crate::pg::{self, Schema};

/// How long a response is replayed.
const RETENTION: Duration = Duration::hours(24);
/// The most characters of a key.
const MAX_LENGTH: usize = 255;

/// The `Idempotency-Key` of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Identifies the call.
    pub call: CallId,
    /// The hash of the call's body, see [`body_hash::of`].
    pub body_sha256: Vec<u8>,
}

/// Identifies a call: the account, the route and the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallId {
    /// The account of the caller.
    pub account: Uuid,
    /// Method and path, such as `POST /games`.
    pub route: Cow<'static, str>,
    /// The header `Idempotency-Key`.
    pub key: String,
}

impl CallId {
    /// The id of a call.
    ///
    /// # Errors
    /// The key is too long, or has characters other than visible ASCII.
    pub fn new(
        account: Uuid,
        route: impl Into<Cow<'static, str>>,
        key: &str,
    ) -> Result<Self, Fault> {
        let fits = (1..=MAX_LENGTH).contains(&key.len());
        if !fits || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            let reason =
                format!("It is 1 to {MAX_LENGTH} visible ASCII characters, such as a UUID.");
            return Err(Fault::invalid_field("Idempotency-Key", reason));
        }
        Ok(Self { account, route: route.into(), key: key.to_owned() })
    }
}

impl Key {
    /// Locks the call until the transaction ends. Use it where calls with the same key lock no common row.
    ///
    /// # Errors
    /// The errors of PostgreSQL.
    pub async fn lock(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let CallId { account, route, key } = &self.call;
        pg::lock_key(connection, &format!("{account} {route} {key}")).await
    }

    /// The stored response to the same call, if there is one. Call this in the transaction of the effect, after locking the call or a row
    /// that all calls with this key lock.
    ///
    /// # Errors
    /// The key was used with another body; or the errors of PostgreSQL.
    pub async fn replay<R: DeserializeOwned>(
        &self,
        connection: &mut PgConnection,
        schema: Schema,
        now: OffsetDateTime,
    ) -> Result<Option<R>, Fault> {
        let sql = "select body_sha256, answer from kit.idempotency
             where account_id = $1 and route = $2 and key = $3 and at > $4";
        let stored: Option<(Vec<u8>, Value)> = schema
            .query_as(sql)
            .bind(self.call.account)
            .bind(&*self.call.route)
            .bind(&self.call.key)
            .bind(now - RETENTION)
            .fetch_optional(connection)
            .await?;
        let Some((body_sha256, response)) = stored else {
            return Ok(None);
        };
        if body_sha256 != self.body_sha256 {
            return Err(mismatch());
        }
        let response = serde_json::from_value(response);
        Ok(Some(response.map_err(|error| Fault::internal(&error))?))
    }

    /// Stores the response, in place of an expired one, in the transaction of the effect.
    ///
    /// # Errors
    /// The errors of PostgreSQL.
    pub async fn store(
        &self,
        connection: &mut PgConnection,
        schema: Schema,
        response: &impl Serialize,
        now: OffsetDateTime,
    ) -> Result<(), sqlx::Error> {
        // Responses are structs of texts and numbers, so serialization does not fail.
        let response = serde_json::to_value(response).unwrap_or(Value::Null);
        let sql = "insert into kit.idempotency (account_id, route, key, body_sha256, answer, at)
             values ($1, $2, $3, $4, $5, $6)
             on conflict (account_id, route, key) do update set
                 body_sha256 = excluded.body_sha256, answer = excluded.answer, at = excluded.at";
        schema
            .query(sql)
            .bind(self.call.account)
            .bind(&*self.call.route)
            .bind(&self.call.key)
            .bind(&self.body_sha256)
            .bind(response)
            .bind(now)
            .execute(connection)
            .await?;
        Ok(())
    }
}

/// The key was used with another body.
fn mismatch() -> Fault {
    Fault::new(
        Code::IdempotencyMismatch,
        "This Idempotency-Key was used with another body. Use a new key for another call.",
    )
}
