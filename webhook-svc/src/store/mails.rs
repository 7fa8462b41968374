//! `webhook.mail`: an outbox of mails. The transaction that causes a mail inserts it; the mail job removes it after sending.

use kit::ids;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    pub id: Uuid,
    pub recipient: String,
    pub subject: String,
    pub body: String,
    pub created_at: OffsetDateTime,
}

/// Inserts a mail to an account, if its address is known.
pub async fn insert(
    connection: &mut PgConnection,
    account: Uuid,
    subject: &str,
    body: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into webhook.mail (id, recipient, subject, body, created_at)
         select $1, email, $3, $4, $5 from webhook.account where id = $2 and email <> ''",
        ids::row_id(),
        account,
        subject,
        body,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Inserts a mail to this address.
pub async fn insert_to(
    connection: &mut PgConnection,
    recipient: &str,
    subject: &str,
    body: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into webhook.mail (id, recipient, subject, body, created_at) values ($1, $2, $3, $4, $5)",
        ids::row_id(),
        recipient,
        subject,
        body,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The oldest mails that are due at `now`.
pub async fn due(pool: &PgPool, now: OffsetDateTime) -> Result<Vec<Mail>, sqlx::Error> {
    sqlx::query_as!(
        Mail,
        "select id, recipient, subject, body, created_at from webhook.mail
         where next_attempt_at is null or next_attempt_at <= $1 order by id limit 20",
        now
    )
    .fetch_all(pool)
    .await
}

/// Sets when a refused mail is due again.
pub async fn postpone(pool: &PgPool, id: Uuid, until: OffsetDateTime) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update webhook.mail set next_attempt_at = $2 where id = $1",
        id,
        until
    )
    .execute(pool)
    .await?;
    Ok(())
}

pub async fn remove(pool: &PgPool, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from webhook.mail where id = $1", id)
        .execute(pool)
        .await?;
    Ok(())
}
