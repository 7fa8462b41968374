//! Mails: an outbox, the table `mail`, and the job that sends them by SMTP, or writes them into a folder for developers.
//!
//! The transaction that causes a mail inserts its row, by [`insert`]; the job of [`Mailer`] removes it.

mod mailer;
mod message;
mod settings;
mod transport;

use sqlx::PgExecutor;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

pub use lettre::message::Mailbox;
pub use mailer::{MAX_TRIES, Mailer};
pub use message::message;
pub use settings::{Settings, mailbox};
pub use transport::Transport;

/// A mail to queue.
#[derive(Debug, Clone, Copy)]
pub struct NewMessage<'a> {
    /// An address of [`crate::domain::email::parse`].
    pub recipient: &'a str,
    /// One line.
    pub subject: &'a str,
    /// Plain text.
    pub body: &'a str,
}

/// The link in a mail. A mail whose link was used, replaced or withdrawn is not sent.
#[derive(Debug, Clone, Copy)]
pub struct Link {
    /// Its row.
    pub id: Uuid,
    /// How long the link works after the mail is sent.
    pub lifetime: Duration,
}

/// Queues a mail.
///
/// # Errors
/// PostgreSQL's.
pub async fn insert(
    executor: impl PgExecutor<'_>,
    mail: NewMessage<'_>,
    link: Option<Link>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into web.mail (id, recipient, subject, body, created_at, link_id, link_lifetime)
         values ($1, $2, $3, $4, $5, $6, $7)",
        kit::ids::row_id(),
        mail.recipient,
        mail.subject,
        mail.body,
        now,
        link.map(|link| link.id),
        link.map(|link| link.lifetime) as _
    )
    .execute(executor)
    .await?;
    Ok(())
}
