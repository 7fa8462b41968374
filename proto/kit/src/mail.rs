//! Mails: an outbox in the service's schema, and the job that sends them by SMTP, or writes them into a folder for developers.
//!
//! A service with mails has a table `mail` in its schema: `id uuid`, `recipient`, `subject` and `body text`, `created_at timestamptz` and
//! `next_attempt_at timestamptz`. The transaction that causes a mail inserts its row ([`insert`]); the job removes it after sending.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::Context as _;
use lettre::message::header::{ContentType, HeaderName, HeaderValue, MIME_VERSION_1_0};
use lettre::{
    AsyncFileTransport, AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor,
};
use sqlx::postgres::PgPool;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use url::Url;
use uuid::Uuid;

use crate::clock::Clock;
use crate::config::Profile;
use crate::leader::Leader;
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
pub async fn insert(
    executor: impl PgExecutor<'_>,
    schema: Schema,
    mail: NewMessage<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let sql = "insert into kit.mail (id, recipient, subject, body, created_at) values ($1, $2, $3, $4, $5)";
    schema
        .query(sql)
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
    Smtp {
        /// The connection settings.
        server: Box<AsyncSmtpTransport<Tokio1Executor>>,
        /// Whether it may get the password over a connection without TLS.
        exposes_password: bool,
    },
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
        Ok(Self::Smtp {
            server: Box::new(smtp.build()),
            exposes_password: exposes_password(text),
        })
    }
}

/// Whether a password is sent without TLS, or without it when the server, or someone on the way, offers none (`tls=opportunistic`).
fn exposes_password(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| {
        let mut tls = url.query_pairs().filter(|(name, _)| name == "tls");
        let is_required = tls.next().is_some_and(|(_, value)| value == "required");
        url.scheme() == "smtp" && url.password().is_some() && !is_required
    })
}

/// The settings of mails.
#[derive(Debug, Clone, clap::Args)]
// clap would name the group after the type, as it does with those of services.
#[group(skip)]
pub struct Settings {
    /// Transport of mails: `smtps://user:password@host`, or `file:/folder` in the local profile
    #[arg(long, hide_env_values = true)]
    pub mail: Transport,
    /// Sender of mails; outside the local profile, an address of a domain of yours
    #[arg(long, default_value = "Mchezo <no-reply@mchezo.example>", value_parser = sender)]
    pub mail_sender: Mailbox,
}

impl Settings {
    /// What keeps mails from being sent safely in this profile.
    pub fn problems(&self, profile: Profile) -> Vec<String> {
        if profile == Profile::Local {
            return Vec::new();
        }
        let transport = match self.mail {
            Transport::Folder(_) => Some("`mail` must be a mail server outside the local profile"),
            Transport::Smtp {
                exposes_password: true,
                ..
            } => Some(
                "`mail` would send its password without TLS: write smtps://user:password@host, or smtp://user:password@host:587?tls=required",
            ),
            Transport::Smtp { .. } => None,
        };
        let domain = self.mail_sender.email.domain().to_ascii_lowercase();
        let sender = (domain == "example" || domain.ends_with(".example")).then_some(
            "`mail_sender` must be an address of a domain of yours: no domain in .example exists",
        );
        let problems = transport.into_iter().chain(sender);
        problems.map(ToOwned::to_owned).collect()
    }
}

/// Parses the sender. Its domain is in the id of every mail, which is ASCII.
fn sender(text: &str) -> Result<Mailbox, String> {
    match text.parse::<Mailbox>() {
        Ok(sender) if is_ascii(&sender) => Ok(sender),
        _ => Err("write `Name <address@domain>`, the address in ASCII".to_owned()),
    }
}

/// Whether the address has only ASCII characters. Others need an extension of SMTP that few servers have (RFC 6531).
fn is_ascii(mailbox: &Mailbox) -> bool {
    AsRef::<str>::as_ref(&mailbox.email).is_ascii()
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
#[derive(Debug, sqlx::FromRow)]
struct Mail {
    id: Uuid,
    recipient: String,
    subject: String,
    body: String,
    created_at: OffsetDateTime,
}

impl Mailer {
    /// Adds the job to those of the leader.
    pub fn spawn(self, leader: &Leader) {
        leader.spawn("mail", move || {
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

    /// Sets the metrics of the mails that wait.
    async fn measure(&self) -> Result<(), sqlx::Error> {
        let sql = "select count(*), min(created_at) from kit.mail";
        let query = self.schema.query_as::<(i64, Option<OffsetDateTime>)>(sql);
        let reading = async |connection: &mut PgConnection| query.fetch_one(connection).await;
        let (count, oldest) = pg::in_time(&self.pool, reading).await?;
        let now = pg::now_in_time(&self.pool, &self.clock).await?;
        let age = oldest.map(|oldest| (now - oldest).as_seconds_f64().max(0.0));
        metrics::gauge!("mails_waiting").set(f64::from(u32::try_from(count).unwrap_or(u32::MAX)));
        metrics::gauge!("mails_oldest_seconds").set(age.unwrap_or_default());
        Ok(())
    }

    /// Sends the mails that are due at `now`. A mail is sent twice, with the same `Message-ID`, when the process dies between sending and
    /// removing it.
    ///
    /// # Errors
    /// PostgreSQL or the mail server is unavailable: all mails wait. A mail that the server refuses is no error, since the others can be
    /// sent.
    pub async fn send_due(&self, now: OffsetDateTime) -> anyhow::Result<()> {
        loop {
            let mails = self.due(now).await?;
            self.measure().await?;
            if mails.is_empty() {
                return Ok(());
            }
            for mail in mails {
                let content = NewMessage {
                    recipient: &mail.recipient,
                    subject: &mail.subject,
                    body: &mail.body,
                };
                let refused = match message(&self.settings.mail_sender, mail.id, content) {
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
    async fn due(&self, now: OffsetDateTime) -> Result<Vec<Mail>, sqlx::Error> {
        let sql = "select id, recipient, subject, body, created_at from kit.mail
             where next_attempt_at is null or next_attempt_at <= $1 order by id limit 20";
        let rows = self.schema.query_as(sql).bind(now);
        let reading = async |connection: &mut PgConnection| rows.fetch_all(connection).await;
        pg::in_time(&self.pool, reading).await
    }

    /// Sets when a refused mail is due again.
    async fn postpone(&self, id: Uuid, until: OffsetDateTime) -> Result<(), sqlx::Error> {
        let sql = "update kit.mail set next_attempt_at = $2 where id = $1";
        let update = self.schema.query(sql).bind(id).bind(until);
        let updating = async |connection: &mut PgConnection| update.execute(connection).await;
        pg::in_time(&self.pool, updating).await?;
        Ok(())
    }

    async fn remove(&self, id: Uuid) -> Result<(), sqlx::Error> {
        let sql = "delete from kit.mail where id = $1";
        let delete = self.schema.query(sql).bind(id);
        let deleting = async |connection: &mut PgConnection| delete.execute(connection).await;
        pg::in_time(&self.pool, deleting).await?;
        Ok(())
    }
}

/// A mail as it is sent (RFC 5322, RFC 2045). `id` is that of its row.
///
/// # Errors
/// The recipient is not one ASCII address.
pub fn message(sender: &Mailbox, id: Uuid, mail: NewMessage<'_>) -> anyhow::Result<Message> {
    let recipient: Mailbox = mail.recipient.parse().context("the recipient")?;
    anyhow::ensure!(is_ascii(&recipient), "the recipient is not ASCII");
    // Row ids are unique over all services.
    let id = format!("<{id}@{}>", sender.email.domain());
    // Programs that answer mails, such as for somebody on leave, do not answer this one (RFC 3834).
    let auto_submitted = HeaderValue::new(
        HeaderName::new_from_ascii_str("Auto-Submitted"),
        "auto-generated".to_owned(),
    );
    let message = Message::builder()
        .from(sender.clone())
        .to(recipient)
        .subject(one_line(mail.subject))
        .message_id(Some(id))
        .raw_header(auto_submitted)
        .header(MIME_VERSION_1_0)
        .header(ContentType::TEXT_PLAIN)
        .body(plain_text(mail.body))?;
    Ok(message)
}

/// The lines of a body, without control characters. Some servers take a lone CR for the end of a line, and could be made to see the end of
/// the mail there.
fn plain_text(body: &str) -> String {
    let is_removed = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    let body = body.replace("\r\n", "\n");
    body.replace(is_removed, " ")
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
            Self::Smtp { server, .. } => {
                let Err(error) = server.send(message).await else {
                    return Ok(Ok(()));
                };
                let error = anyhow::Error::new(error).context("the mail server");
                // The status does not tell: the answer to a wrong password is a 5xx too. With a connection, other mails can be sent.
                if server.test_connection().await.unwrap_or(false) {
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

    const ADA: &str = "ada@studio.example";

    /// The mail as a strict reader sees it, which also refuses every header that is not ours.
    fn read_with_id(id: Uuid, mail: NewMessage<'_>) -> anyhow::Result<testing::mail::Mail> {
        let sender = sender("Mchezo <no-reply@mchezo.example>").unwrap();
        let formatted = message(&sender, id, mail)?.formatted();
        Ok(testing::mail::read(&formatted).unwrap())
    }

    fn read(recipient: &str, subject: &str, body: &str) -> anyhow::Result<testing::mail::Mail> {
        let mail = NewMessage {
            recipient,
            subject,
            body,
        };
        read_with_id(Uuid::nil(), mail)
    }

    fn subject(subject: &str) -> String {
        let read = read(ADA, subject, "The body.\n").unwrap();
        assert_eq!(read.body, "The body.\n");
        read.subject
    }

    #[test]
    fn names_of_all_languages_arrive() {
        for name in [
            "Ada",
            "Ọ̀yọ́ ń lọ",
            "Forêt enchantée",
            "\u{644}\u{639}\u{628}\u{629} \u{627}\u{644}\u{635}\u{62d}\u{631}\u{627}\u{621}",
            "ጨዋታ 🎮",
            "Ọ̀yọ́ forêt ".repeat(15).trim_end(),
        ] {
            let body =
                format!("{name} has asked.\n\nhttps://mchezo.example/link/a=b?c\n.\nFrom {name}\n");
            let recipient = format!("\"{name}\" <ada@studio.example>");
            let read = read(&recipient, name, &body).unwrap();
            assert_eq!((read.subject.as_str(), &read.body), (name, &body));
            assert!(read.to.contains("<ada@studio.example>"), "{}", read.to);
            // Python shows spaces between the encoded words of a name, as it should not (RFC 2047, section 6.2).
            let words = |text: &str| text.replace(' ', "");
            assert!(words(&read.to).contains(&words(name)), "{}", read.to);
            assert_eq!(read.from, "Mchezo <no-reply@mchezo.example>");
        }
    }

    #[test]
    fn a_mail_that_is_sent_twice_has_one_id() {
        let mail = NewMessage {
            recipient: ADA,
            subject: "A subject",
            body: "The body.\n",
        };
        for id in [Uuid::nil(), crate::ids::row_id()] {
            for _ in 0..2 {
                let read = read_with_id(id, mail).unwrap();
                assert_eq!(read.message_id, format!("<{id}@mchezo.example>"));
            }
        }
    }

    #[test]
    fn a_name_in_a_subject_adds_no_header() {
        for name in [
            "Savanna\r\nBcc: eve@evil.example",
            "Savanna\nBcc: eve@evil.example\n\n<script>",
            "Savanna\rBcc: eve@evil.example",
            "Savanna\u{2028}Bcc: eve@evil.example",
            "Savanna\u{85}\u{2029}\u{b}\u{c}\0Bcc: eve@evil.example",
            "Sävanna\r\n Bcc: eve@evil.example",
        ] {
            subject(name);
        }
    }

    #[test]
    fn a_name_in_a_subject_is_not_decoded_by_its_reader() {
        let encoded = "=?utf-8?q?Your_invoice=0d=0aBcc:_eve?= has made 5 calls";
        let read = subject(encoded);
        assert!(read.contains("Your_invoice=0d=0aBcc:_eve"), "{read}");
    }

    #[test]
    fn a_very_long_subject_is_cut_and_folded() {
        for letter in ["x", "é", "\u{1F3AE}", "x "] {
            let read = subject(&letter.repeat(100_000));
            assert!(read.chars().count() <= MAX_SUBJECT, "{read}");
        }
    }

    #[test]
    fn lines_of_a_body_are_legal() {
        for letter in ["x", "é", "\u{1F3AE}", "x "] {
            let body = format!("{}\n", letter.repeat(10_000));
            let read = read(ADA, "A subject", &body).unwrap();
            assert!(read.body == body, "{letter}");
        }
        let body = "a\r\nb\r.\rc\0d\u{85}e\tf\n";
        let read = read(ADA, "A subject", body).unwrap();
        assert_eq!(read.body, "a\nb . c d e\tf\n");
    }

    #[test]
    fn a_recipient_is_one_address() {
        for bad in [
            "ada@studio.example\r\nBcc: eve@evil.example",
            "ada@studio.example, eve@evil.example",
            "ada@studio.example\u{2028}",
            "adä@studio.example",
            "ada@stüdio.example",
            "",
        ] {
            assert!(read(bad, "A subject", "The body.\n").is_err(), "{bad:?}");
        }
        for named in [
            "\"Ada\r\nBcc: eve@evil.example\" <ada@studio.example>",
            "\"Ada, Bcc: eve@evil.example\" <ada@studio.example>",
            "=?utf-8?q?Ada=0d=0aBcc:_eve?= <ada@studio.example>",
        ] {
            // Refused, or without another header.
            drop(read(named, "A subject", "The body.\n"));
        }
    }

    #[test]
    fn production_sends_no_password_in_clear_and_has_a_sender_that_exists() {
        let problems = |profile, mail: &str, from: &str| {
            let settings = Settings {
                mail: mail.parse().unwrap(),
                mail_sender: sender(from).unwrap(),
            };
            settings.problems(profile).len()
        };
        let ours = "Mchezo <no-reply@mchezo.africa>";
        let good = [
            "smtps://user:password@host",
            "smtp://user:password@host:587?tls=required",
            "smtp://relay:25",
        ];
        let bad = [
            "file:/folder",
            "smtp://user:password@host",
            "SMTP://user:password@host:587?tls=opportunistic",
        ];
        for mail in good {
            assert_eq!(problems(Profile::Production, mail, ours), 0, "{mail}");
        }
        for mail in bad {
            assert_eq!(problems(Profile::Production, mail, ours), 1, "{mail}");
        }
        for from in ["no-reply@mchezo.example", "a <b@c.Mchezo.EXAMPLE>"] {
            let mail = "smtps://user:password@host";
            assert_eq!(problems(Profile::Production, mail, from), 1, "{from}");
            assert_eq!(problems(Profile::Local, bad[1], from), 0, "{from}");
        }
        for from in ["", "mchezo", "Mchezo <no-reply@mchezo.áfrica>"] {
            sender(from).unwrap_err();
        }
    }
}
