//! Mails: an outbox in the service's schema, and the job that sends them by SMTP, or writes them into a folder for developers.
//!
//! A service with mails has a table `mail` in its schema: `id uuid`, `recipient`, `subject` and `body text`, `created_at timestamptz` and
//! `next_attempt_at timestamptz`. The transaction that causes a mail inserts its row ([`insert`]); the job removes it after sending.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::Context as _;
use lettre::{
    AsyncFileTransport, AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor,
};
use sqlx::postgres::{PgPool, PgRow};
use sqlx::{AssertSqlSafe, PgConnection, PgExecutor, Row as _};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::clock::Clock;
use crate::lease::Lease;
use crate::lifecycle::Lifecycle;
use crate::pg::{self, Schema};

pub use lettre::message::Mailbox;

/// How often the outbox is read.
const PERIOD: Duration = Duration::from_secs(1);
/// Delay when the mail server cannot be reached.
const BACKOFF: Duration = Duration::from_secs(30);
/// A mail that the server refused is tried again after this time, and dropped when it is older than [`MAX_AGE`].
const RETRY_INTERVAL: time::Duration = time::Duration::minutes(10);
const MAX_AGE: time::Duration = time::Duration::days(3);
/// In characters.
const MAX_SUBJECT: usize = 200;

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

/// Queues a mail.
///
/// # Errors
/// PostgreSQL's.
#[expect(
    clippy::disallowed_methods,
    reason = "the name of the schema is known only at run time"
)]
pub async fn insert(
    executor: impl PgExecutor<'_>,
    schema: Schema,
    mail: NewMessage<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let sql = format!(
        "insert into {schema}.mail (id, recipient, subject, body, created_at) values ($1, $2, $3, $4, $5)"
    );
    sqlx::query(AssertSqlSafe(sql))
        .bind(crate::ids::row_id())
        .bind(mail.recipient)
        .bind(mail.subject)
        .bind(mail.body)
        .bind(now)
        .execute(executor)
        .await?;
    Ok(())
}

/// How mails leave.
#[derive(Debug, Clone)]
pub enum Transport {
    /// A mail server.
    Smtp(Box<AsyncSmtpTransport<Tokio1Executor>>),
    /// A folder of files, for developers.
    Folder(PathBuf),
}

impl FromStr for Transport {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(folder) = text.strip_prefix("file:") {
            return Ok(Self::Folder(folder.into()));
        }
        let smtp = AsyncSmtpTransport::<Tokio1Executor>::from_url(text);
        // The error may name the password.
        let smtp = smtp.map_err(|_url| {
            "write smtps://user:password@host, smtp://user:password@host:587?tls=required, or file:/folder"
        })?;
        Ok(Self::Smtp(Box::new(smtp.build())))
    }
}

/// The settings of mails.
#[derive(Debug, Clone, clap::Args)]
// clap would name the group after the type, as it does with those of services.
#[group(skip)]
pub struct Settings {
    /// Transport of mails: `smtps://user:password@host`, or `file:/folder`
    #[arg(long, hide_env_values = true)]
    pub mail: Transport,
    /// Sender of mails
    #[arg(long, default_value = "Mchezo <no-reply@mchezo.example>")]
    pub mail_sender: Mailbox,
}

/// Sends the mails in the outbox of a schema.
#[derive(Debug, Clone)]
pub struct Mailer {
    /// The service's database.
    pub pool: PgPool,
    /// The schema with the table.
    pub schema: Schema,
    /// The clock of the process, which moves PostgreSQL's time in tests.
    pub clock: Clock,
    /// The transport and the sender.
    pub settings: Settings,
}

/// A queued mail.
#[derive(Debug)]
struct Mail {
    id: Uuid,
    recipient: String,
    subject: String,
    body: String,
    created_at: OffsetDateTime,
}

impl Mailer {
    /// Starts the job. It runs in one replica at a time.
    pub fn spawn(self, lifecycle: &Lifecycle) {
        let lease = Lease::new(self.pool.clone(), self.schema, "mail", self.clock.clone());
        lease.spawn(lifecycle, move || {
            let mailer = self.clone();
            async move {
                loop {
                    let sent = async {
                        let now = pg::now_in_time(&mailer.pool, &mailer.clock).await?;
                        mailer.send_due(now).await
                    };
                    let pause = match sent.await {
                        Ok(()) => PERIOD,
                        Err(error) => {
                            let error = format!("{error:#}");
                            tracing::warn!(error, "cannot send mails; trying again");
                            BACKOFF
                        }
                    };
                    tokio::time::sleep(pause).await;
                }
            }
        });
    }

    /// Sends the mails that are due at `now`. A mail is sent twice when the process dies between sending and removing it.
    ///
    /// # Errors
    /// PostgreSQL or the mail server is unavailable: all mails wait. A mail that the server refuses is no error, since the others can be
    /// sent.
    pub async fn send_due(&self, now: OffsetDateTime) -> anyhow::Result<()> {
        loop {
            let mails = self.due(now).await?;
            if mails.is_empty() {
                return Ok(());
            }
            for mail in mails {
                let refused = match message(&self.settings.mail_sender, &mail) {
                    Ok(message) => self.settings.mail.send(message).await?.err(),
                    Err(error) => Some(error),
                };
                match refused {
                    Some(error) => self.reject(&mail, &error, now).await?,
                    None => self.remove(mail.id).await?,
                }
            }
        }
    }

    /// A mail was refused: it is tried again later, or dropped.
    async fn reject(
        &self,
        mail: &Mail,
        error: &anyhow::Error,
        now: OffsetDateTime,
    ) -> Result<(), sqlx::Error> {
        metrics::counter!("mails_refused_total").increment(1);
        let error = format!("{error:#}");
        if now - mail.created_at > MAX_AGE {
            tracing::error!(mail = %mail.id, error, "a mail was refused for days; it is dropped");
            return self.remove(mail.id).await;
        }
        tracing::warn!(mail = %mail.id, error, "a mail was refused; trying it again later");
        self.postpone(mail.id, now + RETRY_INTERVAL).await
    }

    /// The oldest mails that are due at `now`.
    #[expect(
        clippy::disallowed_methods,
        reason = "the name of the schema is known only at run time"
    )]
    async fn due(&self, now: OffsetDateTime) -> Result<Vec<Mail>, sqlx::Error> {
        let sql = format!(
            "select id, recipient, subject, body, created_at from {}.mail
             where next_attempt_at is null or next_attempt_at <= $1 order by id limit 20",
            self.schema
        );
        let read = |row: PgRow| {
            Ok(Mail {
                id: row.try_get("id")?,
                recipient: row.try_get("recipient")?,
                subject: row.try_get("subject")?,
                body: row.try_get("body")?,
                created_at: row.try_get("created_at")?,
            })
        };
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(now).try_map(read);
        self.within(async |connection| rows.fetch_all(connection).await)
            .await
    }

    /// Sets when a refused mail is due again.
    #[expect(
        clippy::disallowed_methods,
        reason = "the name of the schema is known only at run time"
    )]
    async fn postpone(&self, id: Uuid, until: OffsetDateTime) -> Result<(), sqlx::Error> {
        let sql = format!(
            "update {}.mail set next_attempt_at = $2 where id = $1",
            self.schema
        );
        let update = sqlx::query(AssertSqlSafe(sql)).bind(id).bind(until);
        self.within(async |connection| update.execute(connection).await)
            .await?;
        Ok(())
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the name of the schema is known only at run time"
    )]
    async fn remove(&self, id: Uuid) -> Result<(), sqlx::Error> {
        let sql = format!("delete from {}.mail where id = $1", self.schema);
        let delete = sqlx::query(AssertSqlSafe(sql)).bind(id);
        self.within(async |connection| delete.execute(connection).await)
            .await?;
        Ok(())
    }

    /// Runs a statement with a timeout: the lease of this job is renewed over other connections.
    async fn within<T>(
        &self,
        statement: impl AsyncFnOnce(&mut PgConnection) -> Result<T, sqlx::Error>,
    ) -> Result<T, sqlx::Error> {
        pg::within(&self.pool, pg::deadline(&self.pool), statement).await
    }
}

fn message(sender: &Mailbox, mail: &Mail) -> anyhow::Result<Message> {
    let recipient = mail.recipient.parse().context("the recipient")?;
    let message = Message::builder()
        .from(sender.clone())
        .to(recipient)
        .subject(one_line(&mail.subject))
        .body(mail.body.clone())?;
    Ok(message)
}

/// A subject may have names that customers chose. It becomes one line of at most [`MAX_SUBJECT`] characters, and what would be decoded as an
/// encoded word (RFC 2047) by its reader stays as it is.
fn one_line(subject: &str) -> String {
    let is_break = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let line: String = subject
        .chars()
        .map(|c| if is_break(c) { ' ' } else { c })
        .take(MAX_SUBJECT)
        .collect();
    line.replace("=?", "= ?")
}

impl Transport {
    /// Sends a mail. The inner error concerns this mail only, the outer one the server.
    async fn send(&self, message: Message) -> anyhow::Result<anyhow::Result<()>> {
        match self {
            Self::Smtp(smtp) => {
                let Err(error) = smtp.send(message).await else {
                    return Ok(Ok(()));
                };
                let error = anyhow::Error::new(error).context("the mail server");
                // The status does not tell: the answer to a wrong password is a 5xx too. With a connection, other mails can be sent.
                if smtp.test_connection().await.unwrap_or(false) {
                    Ok(Err(error))
                } else {
                    Err(error)
                }
            }
            Self::Folder(folder) => {
                let named = || folder.display().to_string();
                tokio::fs::create_dir_all(folder)
                    .await
                    .with_context(named)?;
                let files = AsyncFileTransport::<Tokio1Executor>::new(folder);
                files.send(message).await.with_context(named)?;
                Ok(Ok(()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(recipient: &str, subject: &str) -> anyhow::Result<String> {
        let mail = Mail {
            id: Uuid::nil(),
            recipient: recipient.to_owned(),
            subject: subject.to_owned(),
            body: "The body.\n".to_owned(),
            created_at: OffsetDateTime::UNIX_EPOCH,
        };
        let sender = "Mchezo <no-reply@mchezo.example>".parse()?;
        Ok(String::from_utf8(message(&sender, &mail)?.formatted())?)
    }

    /// The names of the headers.
    fn headers(text: &str) -> Vec<&str> {
        let (head, _) = text.split_once("\r\n\r\n").unwrap();
        let lines = head
            .split("\r\n")
            .filter(|line| !line.starts_with([' ', '\t']));
        lines.map(|line| line.split_once(": ").unwrap().0).collect()
    }

    #[test]
    fn a_name_in_a_subject_adds_no_header() {
        let plain = formatted("ada@studio.example", "A subject").unwrap();
        for name in [
            "Savanna\r\nBcc: eve@evil.example",
            "Savanna\nBcc: eve@evil.example\n\n<script>",
            "Savanna\rBcc: eve@evil.example",
            "Savanna\u{2028}Bcc: eve@evil.example",
            "Savanna\u{85}\u{2029}\u{b}\u{c}\0Bcc: eve@evil.example",
            "Sävanna\r\n Bcc: eve@evil.example",
        ] {
            let text = formatted("ada@studio.example", name).unwrap();
            assert_eq!(headers(&text), headers(&plain), "{text}");
            assert!(!text.contains("\nBcc"), "{text}");
            assert!(text.ends_with("\r\n\r\nThe body.\r\n"), "{text}");
        }
    }

    #[test]
    fn a_name_in_a_subject_is_not_decoded_by_its_reader() {
        let encoded = "=?utf-8?q?Your_invoice=0d=0aBcc:_eve?= has made 5 calls";
        let text = formatted("ada@studio.example", encoded).unwrap();
        assert!(!text.contains("=?utf-8?q?Your"), "{text}");
        assert!(text.contains("Your_invoice"), "{text}");
    }

    #[test]
    fn a_very_long_subject_is_cut_and_folded() {
        for letter in ["x", "é", "\u{1F3AE}", "x "] {
            let text = formatted("ada@studio.example", &letter.repeat(100_000)).unwrap();
            assert!(text.len() < 5_000, "{}", text.len());
            assert!(text.split("\r\n").all(|line| line.len() <= 998), "{text}");
        }
    }

    #[test]
    fn a_recipient_is_one_address() {
        for bad in [
            "ada@studio.example\r\nBcc: eve@evil.example",
            "ada@studio.example, eve@evil.example",
            "ada@studio.example\u{2028}",
            "",
        ] {
            assert!(formatted(bad, "A subject").is_err(), "{bad:?}");
        }
        let plain = formatted("ada@studio.example", "A subject").unwrap();
        for named in [
            "\"Ada\r\nBcc: eve@evil.example\" <ada@studio.example>",
            "\"Ada, Bcc: eve@evil.example\" <ada@studio.example>",
            "=?utf-8?q?Ada=0d=0aBcc:_eve?= <ada@studio.example>",
        ] {
            if let Ok(text) = formatted(named, "A subject") {
                assert_eq!(headers(&text), headers(&plain), "{text}");
                assert!(!text.contains("\nBcc"), "{text}");
            }
        }
    }
}
