//! `webhook.mail`: the outbox of mails (`kit::mail`).

use kit::ids;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

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
