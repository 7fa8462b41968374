//! Sends mails by SMTP, or writes them into a folder for developers.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::Context as _;
use kit::lease::Lease;
use kit::{Clock, Lifecycle};
use lettre::message::Mailbox;
use lettre::{
    AsyncFileTransport, AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor,
};
use sqlx::PgPool;
use time::OffsetDateTime;

use crate::SCHEMA;
use crate::store::mails::{self, Mail};

/// How often the outbox is read.
const PERIOD: Duration = Duration::from_secs(2);
/// Delay when the mail server cannot be reached.
const BACKOFF: Duration = Duration::from_secs(30);
/// A mail that the server refused is tried again after this time, and dropped when it is older than [`MAX_AGE`].
const RETRY_INTERVAL: time::Duration = time::Duration::minutes(10);
const MAX_AGE: time::Duration = time::Duration::days(3);

#[derive(Debug, Clone)]
pub enum Transport {
    Smtp(Box<AsyncSmtpTransport<Tokio1Executor>>),
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

/// Starts the job.
pub(crate) fn spawn(
    lifecycle: &Lifecycle,
    pool: &PgPool,
    clock: &Clock,
    transport: &Transport,
    sender: &Mailbox,
) {
    let lease = Lease::new(pool.clone(), SCHEMA, "mail", clock.clone());
    let (pool, clock) = (pool.clone(), clock.clone());
    let (transport, sender) = (transport.clone(), sender.clone());
    lease.spawn(lifecycle, move || {
        let (pool, clock) = (pool.clone(), clock.clone());
        let (transport, sender) = (transport.clone(), sender.clone());
        async move {
            loop {
                let sent = async {
                    let now = kit::pg::now(&pool, &clock).await?;
                    send_all(&pool, &transport, &sender, now).await
                };
                let pause = match sent.await {
                    Ok(()) => PERIOD,
                    Err(error) => {
                        tracing::warn!(
                            error = format!("{error:#}"),
                            "cannot send mails; trying again"
                        );
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
/// PostgreSQL or the mail server is unavailable: all mails wait. A mail that the server refuses is no error, since the others can be sent.
pub async fn send_all(
    pool: &PgPool,
    transport: &Transport,
    sender: &Mailbox,
    now: OffsetDateTime,
) -> anyhow::Result<()> {
    loop {
        let mails = mails::due(pool, now).await?;
        if mails.is_empty() {
            return Ok(());
        }
        for mail in mails {
            let refused = match message(&mail, sender) {
                Ok(message) => transport.send(message).await?.err(),
                Err(error) => Some(error),
            };
            match refused {
                Some(error) => give_back(pool, &mail, &error, now).await?,
                None => mails::remove(pool, mail.id).await?,
            }
        }
    }
}

/// A mail was refused: it is tried again later, or dropped.
async fn give_back(
    pool: &PgPool,
    mail: &Mail,
    error: &anyhow::Error,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    metrics::counter!("webhook_mails_refused_total").increment(1);
    let error = format!("{error:#}");
    if now - mail.created_at > MAX_AGE {
        tracing::error!(mail = %mail.id, error, "a mail was refused for days; it is dropped");
        return mails::remove(pool, mail.id).await;
    }
    tracing::warn!(mail = %mail.id, error, "a mail was refused; trying it again later");
    mails::postpone(pool, mail.id, now + RETRY_INTERVAL).await
}

fn message(mail: &Mail, sender: &Mailbox) -> anyhow::Result<Message> {
    let recipient = mail.recipient.parse().context("the recipient")?;
    let message = Message::builder()
        .from(sender.clone())
        .to(recipient)
        .subject(&mail.subject)
        .body(mail.body.clone())?;
    Ok(message)
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
