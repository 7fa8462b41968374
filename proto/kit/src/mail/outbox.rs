//! The table `mail`, as the job reads and changes it.

use sqlx::PgConnection;
use sqlx::postgres::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::clock::Clock;
use crate::pg::{self, Schema};

/// The table `mail` of a service.
#[derive(Debug, Clone)]
pub(super) struct Outbox {
    pub(super) pool: PgPool,
    pub(super) schema: Schema,
    pub(super) clock: Clock,
}

/// A queued mail.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct Mail {
    pub(super) id: Uuid,
    pub(super) recipient: String,
    pub(super) subject: String,
    pub(super) body: String,
    pub(super) created_at: OffsetDateTime,
    pub(super) tries: i32,
    pub(super) refusals: i32,
    pub(super) has_link: bool,
}

/// The mails of one kind that wait.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct Backlog {
    pub(super) has_link: bool,
    pub(super) mails: i64,
    /// Since when the first of them could have been tried.
    pub(super) due_since: Option<OffsetDateTime>,
}

impl Outbox {
    pub(super) async fn now(&self) -> Result<OffsetDateTime, sqlx::Error> {
        pg::now_in_time(&self.pool, &self.clock).await
    }

    /// The mail that is to be tried next, if one is due: those with links go first, then those that were not tried yet. Mails in flight
    /// and mails whose link has ended are left out.
    pub(super) async fn next(
        &self,
        in_flight: Vec<Uuid>,
        with_notices: bool,
    ) -> Result<Option<Mail>, sqlx::Error> {
        let now = self.now().await?;
        // False is less than true: without notices, the index leads to the mails with links alone.
        let sql = "select id, recipient, subject, body, created_at, tries, refusals, expires_at is not null as has_link
             from kit.mail
             where (expires_at is null) <= $3 and next_attempt_at <= $1 and id <> all($2)
                 and (expires_at is null or expires_at > $1 and link_id is not null)
             order by expires_at is null, next_attempt_at, id limit 1";
        let row = self.schema.query_as(sql).bind(now).bind(in_flight);
        let row = row.bind(with_notices);
        let reading = async |connection: &mut PgConnection| row.fetch_optional(connection).await;
        pg::in_time(&self.pool, reading).await
    }

    /// Counts a try, and sets when the next one is due.
    pub(super) async fn postpone(
        &self,
        id: Uuid,
        is_refused: bool,
        until: OffsetDateTime,
    ) -> Result<(), sqlx::Error> {
        let sql =
            "update kit.mail set tries = tries + 1, refusals = refusals + $2, next_attempt_at = $3
             where id = $1";
        let update = self.schema.query(sql).bind(id).bind(i32::from(is_refused));
        let update = update.bind(until);
        let updating = async |connection: &mut PgConnection| update.execute(connection).await;
        pg::in_time(&self.pool, updating).await?;
        Ok(())
    }

    pub(super) async fn remove(&self, id: Uuid) -> Result<(), sqlx::Error> {
        let sql = "delete from kit.mail where id = $1";
        let delete = self.schema.query(sql).bind(id);
        let deleting = async |connection: &mut PgConnection| delete.execute(connection).await;
        pg::in_time(&self.pool, deleting).await?;
        Ok(())
    }

    /// Removes the mails whose link has ended; returns their number.
    pub(super) async fn remove_ended(&self, now: OffsetDateTime) -> Result<u64, sqlx::Error> {
        let sql = "delete from kit.mail where expires_at <= $1 or expires_at is not null and link_id is null";
        let delete = self.schema.query(sql).bind(now);
        let deleting = async |connection: &mut PgConnection| delete.execute(connection).await;
        Ok(pg::in_time(&self.pool, deleting).await?.rows_affected())
    }

    /// The mails that wait.
    pub(super) async fn backlog(&self, now: OffsetDateTime) -> Result<Vec<Backlog>, sqlx::Error> {
        let sql = "select expires_at is not null as has_link, count(*) as mails,
                 min(greatest(created_at, next_attempt_at)) filter (where next_attempt_at <= $1) as due_since
             from kit.mail group by expires_at is not null";
        let rows = self.schema.query_as(sql).bind(now);
        let reading = async |connection: &mut PgConnection| rows.fetch_all(connection).await;
        pg::in_time(&self.pool, reading).await
    }
}
