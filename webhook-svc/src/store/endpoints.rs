//! `webhook.endpoint`.

use sqlx::{PgConnection, PgExecutor, PgPool};
use strum::{EnumString, IntoStaticStr};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::health::Health;
use crate::domain::rotation;

/// Whether an endpoint receives deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum EndpointState {
    On,
    /// Paused by its account.
    Paused,
    /// Switched off by the service.
    Off,
    /// A state of a newer version: this version sends nothing to the endpoint, and keeps the state.
    Unknown,
}

impl EndpointState {
    /// The text of the column; `None` for the state of a newer version, which stays there.
    fn column(self) -> Option<&'static str> {
        (self != Self::Unknown).then(|| self.into())
    }
}

impl From<String> for EndpointState {
    fn from(column: String) -> Self {
        column.parse().unwrap_or(Self::Unknown)
    }
}

/// A row of `webhook.endpoint`; its secrets are encrypted.
#[derive(Debug, Clone)]
pub struct Endpoint {
    pub id: Uuid,
    pub account_id: Uuid,
    pub url: String,
    /// The status of the response to the HEAD request at the time when the owner entered the URL; `None` without a response, for the reason
    /// in `address_problem`.
    pub address_status: Option<i32>,
    pub address_problem: String,
    pub events: Vec<String>,
    pub state: EndpointState,
    /// Why the service switched the endpoint off.
    pub reason: String,
    pub secret: Vec<u8>,
    pub secret_id: Uuid,
    /// Replaces `secret` at `next_secret_from`.
    pub next_secret: Option<Vec<u8>>,
    pub next_secret_id: Option<Uuid>,
    pub next_secret_from: Option<OffsetDateTime>,
    /// The people who have seen `secret` and `next_secret`.
    pub seen_by: Option<Uuid>,
    pub next_seen_by: Option<Uuid>,
    /// The forms that added the endpoint and that made its newest secret.
    pub form_id: Option<Uuid>,
    pub rotation_form_id: Option<Uuid>,
    pub created_at: OffsetDateTime,
    pub failures: i32,
    pub first_failure_at: Option<OffsetDateTime>,
    pub last_failure_at: Option<OffsetDateTime>,
    pub last_success_at: Option<OffsetDateTime>,
    /// The last mail to the owner about failed deliveries, and how many have failed since then.
    pub failure_mailed_at: Option<OffsetDateTime>,
    pub failures_since_mail: i32,
}

impl Endpoint {
    /// Counts failures from zero, as after a success.
    pub fn forget_failures(&mut self) {
        (self.failures, self.first_failure_at) = (0, None);
    }

    pub fn health(&self) -> Health {
        Health {
            failures: self.failures,
            first_failure_at: self.first_failure_at,
            last_failure_at: self.last_failure_at,
            last_success_at: self.last_success_at,
            mailed_at: self.failure_mailed_at,
            failures_since_mail: self.failures_since_mail,
        }
    }

    pub fn set_health(&mut self, health: Health) {
        self.failures = health.failures;
        self.first_failure_at = health.first_failure_at;
        self.last_failure_at = health.last_failure_at;
        self.last_success_at = health.last_success_at;
        self.failure_mailed_at = health.mailed_at;
        self.failures_since_mail = health.failures_since_mail;
    }

    /// Puts the next secret in the place of the current one, if there is one.
    pub fn use_next_secret(&mut self) -> bool {
        let Some(next) = self.next_secret.take() else {
            return false;
        };
        self.secret = next;
        if let Some(id) = self.next_secret_id.take() {
            self.secret_id = id;
        }
        self.seen_by = self.next_seen_by.take();
        self.next_secret_from = None;
        true
    }

    /// Whether the next secret replaces the current one at `now`.
    pub fn is_rotated(&self, now: OffsetDateTime) -> bool {
        self.next_secret_from.is_some_and(|from| from <= now)
    }

    /// The id of the next secret, unless it has replaced the current one at `now`.
    pub fn waiting_secret(&self, now: OffsetDateTime) -> Option<Uuid> {
        self.next_secret_id.filter(|_| !self.is_rotated(now))
    }

    /// The people who have seen a secret that signs at `now`.
    pub fn seen_by(&self, now: OffsetDateTime) -> Vec<Uuid> {
        let next = self.next_secret_from.map(|from| (self.next_seen_by, from));
        let (current, next) = rotation::signing_secrets(self.seen_by, next, now);
        let people = [current, next.flatten()].into_iter().flatten();
        people.collect()
    }

    /// The encrypted secrets that sign at `now`: the current one and, during a rotation, the next one.
    pub fn secrets(&self, now: OffsetDateTime) -> (&[u8], Option<&[u8]>) {
        let next = self.next_secret.as_deref().zip(self.next_secret_from);
        rotation::signing_secrets(self.secret.as_slice(), next, now)
    }
}

/// Finds an endpoint, optionally only of this account.
pub async fn find(
    executor: impl PgExecutor<'_>,
    id: Uuid,
    account: Option<Uuid>,
) -> Result<Option<Endpoint>, sqlx::Error> {
    sqlx::query_as!(
        Endpoint,
        "select id, account_id, url, address_status, address_problem, events, state, reason, secret, secret_id, next_secret,
             next_secret_id, next_secret_from, seen_by, next_seen_by, form_id, rotation_form_id, created_at, failures,
             first_failure_at, last_failure_at, last_success_at, failure_mailed_at, failures_since_mail
         from webhook.endpoint
         where id = $1 and account_id = coalesce($2, account_id)",
        id,
        account,
    )
    .fetch_optional(executor)
        .await
}

/// Finds the endpoint that a form has added.
pub async fn find_by_form(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    form: Uuid,
) -> Result<Option<Endpoint>, sqlx::Error> {
    sqlx::query_as!(
        Endpoint,
        "select id, account_id, url, address_status, address_problem, events, state, reason, secret, secret_id, next_secret,
             next_secret_id, next_secret_from, seen_by, next_seen_by, form_id, rotation_form_id, created_at, failures,
             first_failure_at, last_failure_at, last_success_at, failure_mailed_at, failures_since_mail
         from webhook.endpoint
         where account_id = $1 and form_id = $2",
        account,
        form,
    )
    .fetch_optional(executor).await
}

/// Finds and locks an endpoint.
pub async fn lock(
    connection: &mut PgConnection,
    id: Uuid,
    account: Option<Uuid>,
) -> Result<Option<Endpoint>, sqlx::Error> {
    sqlx::query_as!(
        Endpoint,
        "select id, account_id, url, address_status, address_problem, events, state, reason, secret, secret_id, next_secret,
             next_secret_id, next_secret_from, seen_by, next_seen_by, form_id, rotation_form_id, created_at, failures,
             first_failure_at, last_failure_at, last_success_at, failure_mailed_at, failures_since_mail
         from webhook.endpoint
         where id = $1 and account_id = coalesce($2, account_id) for no key update",
        id,
        account,
    )
    .fetch_optional(connection)
        .await
}

/// Locks these endpoints in the order of their ids.
pub async fn lock_all(
    connection: &mut PgConnection,
    ids: &[Uuid],
) -> Result<Vec<Endpoint>, sqlx::Error> {
    sqlx::query_as!(
        Endpoint,
        "select id, account_id, url, address_status, address_problem, events, state, reason, secret, secret_id, next_secret,
             next_secret_id, next_secret_from, seen_by, next_seen_by, form_id, rotation_form_id, created_at, failures,
             first_failure_at, last_failure_at, last_success_at, failure_mailed_at, failures_since_mail
         from webhook.endpoint
         where id = any($1) order by id for no key update",
        ids,
    )
    .fetch_all(connection).await
}

/// The endpoints of an account, the oldest first.
pub async fn list(
    executor: impl PgExecutor<'_>,
    account: Uuid,
) -> Result<Vec<Endpoint>, sqlx::Error> {
    sqlx::query_as!(
        Endpoint,
        "select id, account_id, url, address_status, address_problem, events, state, reason, secret, secret_id, next_secret,
             next_secret_id, next_secret_from, seen_by, next_seen_by, form_id, rotation_form_id, created_at, failures,
             first_failure_at, last_failure_at, last_success_at, failure_mailed_at, failures_since_mail
         from webhook.endpoint
         where account_id = $1 order by created_at, id",
        account,
    )
    .fetch_all(executor).await
}

/// Counts the endpoints of an account. Locks the account, so that no concurrent transaction adds one.
pub async fn count_locked(
    connection: &mut PgConnection,
    account: Uuid,
) -> Result<i64, sqlx::Error> {
    sqlx::query!("select id from webhook.account where id = $1 for update", account)
        .fetch_optional(&mut *connection)
        .await?;
    count(connection, account).await
}

pub async fn count(executor: impl PgExecutor<'_>, account: Uuid) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from webhook.endpoint where account_id = $1"#,
        account
    )
    .fetch_one(executor)
    .await
}

/// An endpoint that is added. It is on, and nothing was sent to it yet.
#[derive(Debug)]
pub struct NewEndpoint {
    pub id: Uuid,
    pub account_id: Uuid,
    pub url: String,
    pub address_status: Option<i32>,
    pub address_problem: String,
    pub events: Vec<String>,
    pub secret: Vec<u8>,
    pub seen_by: Option<Uuid>,
    pub form_id: Option<Uuid>,
    pub created_at: OffsetDateTime,
}

/// Inserts an endpoint and its row of the queue.
pub async fn insert(
    connection: &mut PgConnection,
    new: &NewEndpoint,
) -> Result<Endpoint, sqlx::Error> {
    sqlx::query_as!(
        Endpoint,
        "with queue as (insert into webhook.queue (endpoint_id) values ($1))
         insert into webhook.endpoint (id, account_id, url, address_status, address_problem, events, secret, seen_by, form_id, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         returning id, account_id, url, address_status, address_problem, events, state, reason, secret, secret_id, next_secret,
             next_secret_id, next_secret_from, seen_by, next_seen_by, form_id, rotation_form_id, created_at, failures,
             first_failure_at, last_failure_at, last_success_at, failure_mailed_at, failures_since_mail",
        new.id,
        new.account_id,
        new.url,
        new.address_status,
        new.address_problem,
        &new.events,
        new.secret,
        new.seen_by,
        new.form_id,
        new.created_at,
    )
    .fetch_one(connection)
    .await
}

/// Updates the URL and the events of an endpoint, and makes it due: the replica that has claimed it
/// loads it again.
pub async fn set_url_and_events(
    connection: &mut PgConnection,
    endpoint: &Endpoint,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "with woken as (update webhook.queue set due_at = least(due_at, $2) where endpoint_id = $1)
         update webhook.endpoint set url = $3, address_status = $4, address_problem = $5, events = $6 where id = $1",
        endpoint.id,
        now,
        endpoint.url,
        endpoint.address_status,
        endpoint.address_problem,
        &endpoint.events,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Updates the state of an endpoint with its reason, and makes it due. The state of a newer version
/// stays.
pub async fn set_state(
    connection: &mut PgConnection,
    endpoint: &Endpoint,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "with woken as (update webhook.queue set due_at = least(due_at, $2) where endpoint_id = $1)
         update webhook.endpoint set state = coalesce($3, state), reason = $4 where id = $1",
        endpoint.id,
        now,
        endpoint.state.column(),
        endpoint.reason,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Updates the secrets of an endpoint, and makes it due.
pub async fn set_secrets(
    connection: &mut PgConnection,
    endpoint: &Endpoint,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "with woken as (update webhook.queue set due_at = least(due_at, $2) where endpoint_id = $1)
         update webhook.endpoint set secret = $3, secret_id = $4, seen_by = $5, next_secret = $6, next_secret_id = $7,
             next_secret_from = $8, next_seen_by = $9, rotation_form_id = $10
         where id = $1",
        endpoint.id,
        now,
        endpoint.secret,
        endpoint.secret_id,
        endpoint.seen_by,
        endpoint.next_secret,
        endpoint.next_secret_id,
        endpoint.next_secret_from,
        endpoint.next_seen_by,
        endpoint.rotation_form_id,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Updates the health of an endpoint, which its worker does not read.
pub async fn set_health(
    connection: &mut PgConnection,
    id: Uuid,
    health: Health,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update webhook.endpoint set failures = $2, first_failure_at = $3, last_failure_at = $4, last_success_at = $5,
             failure_mailed_at = $6, failures_since_mail = $7
         where id = $1",
        id,
        health.failures,
        health.first_failure_at,
        health.last_failure_at,
        health.last_success_at,
        health.mailed_at,
        health.failures_since_mail,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Removes an endpoint.
///
/// Makes its row of the queue due: the replica that has claimed it, or claims it now, stops sending and removes the row
/// (`queue::release`). The deliveries that wait are never sent, and are removed by age.
pub async fn remove(
    connection: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "with woken as (update webhook.queue set due_at = least(due_at, $2) where endpoint_id = $1)
         delete from webhook.endpoint where id = $1",
        id,
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Endpoints after `after` whose secrets must be encrypted again: their rotation has ended, or a ciphertext does not begin with `prefix`.
pub async fn with_old_secrets(
    pool: &PgPool,
    after: Uuid,
    prefix: &[u8],
    now: OffsetDateTime,
) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        "select id from webhook.endpoint
         where id > $1 and (next_secret_from <= $3 or substr(secret, 1, length($2::bytea)) <> $2::bytea
             or substr(next_secret, 1, length($2::bytea)) <> $2::bytea)
         order by id limit 100",
        after,
        prefix,
        now,
    )
    .fetch_all(pool)
    .await
}
