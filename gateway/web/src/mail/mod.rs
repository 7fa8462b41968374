//! Mails: an outbox, the table `mail`, and the job that sends them by SMTP, or writes them into a folder for developers.
//!
//! The transaction that causes a mail inserts its row, by [`insert`]; the job of [`Mailer`] removes it.

mod mailer;
mod message;
mod settings;
mod transport;

use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

pub use lettre::message::Mailbox;
pub use mailer::Mailer;
pub use message::message;
pub use settings::Settings;
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

/// Queues a mail. One with a link is useless without it, and goes with its row.
///
/// # Errors
/// PostgreSQL's.
pub async fn insert(
    executor: impl PgExecutor<'_>,
    mail: NewMessage<'_>,
    link: Option<Uuid>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into web.mail (id, recipient, subject, body, created_at, link_id) values ($1, $2, $3, $4, $5, $6)",
        kit::ids::row_id(),
        mail.recipient,
        mail.subject,
        mail.body,
        now,
        link
    )
    .execute(executor)
    .await?;
    Ok(())
}
