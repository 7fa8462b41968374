//! Mails: an outbox in the service's schema, and the job that sends them by SMTP, or writes them into a folder for developers.
//!
//! The transaction that causes a mail inserts its row, by [`insert`] or [`insert_with_link`]; the job of [`Mailer`] removes it. A service
//! with mails has a table `mail` in its schema:
//!
//! | column | |
//! | --- | --- |
//! | `id uuid` | the primary key, and the `Message-ID` |
//! | `recipient`, `subject`, `body text` | |
//! | `created_at timestamptz` | |
//! | `next_attempt_at timestamptz` | when the mail is tried next; by default `-infinity`: it was not tried |
//! | `tries`, `refusals integer` | how often the mail server did not take it, and how often with a permanent error; by default 0 |
//! | `expires_at timestamptz` | the end of the link in it; null: a notice |
//! | `link_id uuid` | the row of the link. A foreign key of the service sets it to null when the link is used, replaced or withdrawn |
//!
//! People wait for mails with links, so these go before notices. An index serves this order: `((expires_at is null), next_attempt_at, id)`.

mod mailer;
mod message;
mod outbox;
mod settings;
mod smtp;
mod transport;

use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::pg::Schema;

pub use lettre::message::Mailbox;
pub use mailer::Mailer;
pub use message::message;
pub use settings::Settings;
pub use smtp::Relay;
pub use transport::Transport;

/// A mail to queue.
#[derive(Debug, Clone, Copy)]
pub struct NewMessage<'a> {
    /// An address, with or without a name.
    pub recipient: &'a str,
    /// One line.
    pub subject: &'a str,
    /// Plain text.
    pub body: &'a str,
}

/// The link in a mail. Without it, the mail is useless: once the link has ended, the mail is not sent.
#[derive(Debug, Clone, Copy)]
pub struct Link {
    /// Its row.
    pub id: Uuid,
    /// Its end.
    pub expires_at: OffsetDateTime,
}

/// Queues a notice, which waits for mails with links.
///
/// # Errors
/// PostgreSQL's.
pub async fn insert(
    executor: impl PgExecutor<'_>,
    schema: Schema,
    mail: NewMessage<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    insert_row(executor, schema, mail, None, now).await
}

/// Queues a mail with a link.
///
/// # Errors
/// PostgreSQL's.
pub async fn insert_with_link(
    executor: impl PgExecutor<'_>,
    schema: Schema,
    mail: NewMessage<'_>,
    link: Link,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    insert_row(executor, schema, mail, Some(link), now).await
}

async fn insert_row(
    executor: impl PgExecutor<'_>,
    schema: Schema,
    mail: NewMessage<'_>,
    link: Option<Link>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let sql = "insert into kit.mail (id, recipient, subject, body, created_at, link_id, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7)";
    schema
        .query(sql)
        .bind(crate::ids::row_id())
        .bind(mail.recipient)
        .bind(mail.subject)
        .bind(mail.body)
        .bind(now)
        .bind(link.map(|link| link.id))
        .bind(link.map(|link| link.expires_at))
        .execute(executor)
        .await?;
    Ok(())
}
