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

/// The oldest mails.
pub async fn oldest(pool: &PgPool) -> Result<Vec<Mail>, sqlx::Error> {
    sqlx::query_as!(
        Mail,
        "select id, recipient, subject, body from webhook.mail order by id limit 20"
    )
    .fetch_all(pool)
    .await
}

pub async fn remove(pool: &PgPool, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from webhook.mail where id = $1", id)
        .execute(pool)
        .await?;
    Ok(())
}
