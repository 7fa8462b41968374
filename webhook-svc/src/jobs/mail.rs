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

use crate::SCHEMA;
use crate::store::mails::{self, Mail};

/// How often the outbox is read.
const PERIOD: Duration = Duration::from_secs(2);
/// Delay after the mail server refused a mail.
const BACKOFF: Duration = Duration::from_secs(30);

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
    let (pool, transport, sender) = (pool.clone(), transport.clone(), sender.clone());
    lease.spawn(lifecycle, move || {
        let (pool, transport, sender) = (pool.clone(), transport.clone(), sender.clone());
        async move {
            loop {
                let pause = match send_all(&pool, &transport, &sender).await {
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

/// Sends all mails of the outbox. A mail is sent twice when the process dies between sending and removing it.
pub async fn send_all(
    pool: &PgPool,
    transport: &Transport,
    sender: &Mailbox,
) -> anyhow::Result<()> {
    loop {
        let mails = mails::oldest(pool).await?;
        if mails.is_empty() {
            return Ok(());
        }
        for mail in mails {
            match message(&mail, sender) {
                Ok(message) => transport.send(message).await?,
                Err(error) => {
                    let error = format!("{error:#}");
                    tracing::error!(mail = %mail.id, error, "cannot render a mail; it is dropped");
                }
            }
            mails::remove(pool, mail.id).await?;
        }
    }
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
    async fn send(&self, message: Message) -> anyhow::Result<()> {
        match self {
            Self::Smtp(smtp) => {
                smtp.send(message).await.context("the mail server")?;
            }
            Self::Folder(folder) => {
                let named = || folder.display().to_string();
                tokio::fs::create_dir_all(folder)
                    .await
                    .with_context(named)?;
                let files = AsyncFileTransport::<Tokio1Executor>::new(folder);
                files.send(message).await.with_context(named)?;
            }
        }
        Ok(())
    }
}
