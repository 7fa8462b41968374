//! Mails by SMTP (RFC 5321): the address of a mail server, the connections to it, and what its answers say about a mail.

use std::error::Error as _;
use std::path::Path;
use std::pin::pin;
use std::time::Duration;

use anyhow::Context as _;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::transport::smtp::{AsyncSmtpTransportBuilder, Error, PoolConfig};
use lettre::{Address, AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};
use parking_lot::Mutex;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use tokio::time::error::Elapsed;
use tokio::time::timeout;
use url::Url;

/// An idle connection is closed after this time: many servers close theirs after a minute or more. Before a connection is used again, it is
/// tested.
const IDLE: Duration = Duration::from_secs(30);
/// How long connections may take to close.
const CLOSE_DEADLINE: Duration = Duration::from_secs(1);
/// The most characters of a server's answer in the log.
const MAX_ANSWER: usize = 400;

/// A pool of lettre.
type Pool = AsyncSmtpTransport<Tokio1Executor>;

/// The address of a mail server, with user and password, which nothing prints.
#[derive(Debug, Clone)]
pub struct Relay {
    builder: AsyncSmtpTransportBuilder,
    host: String,
    tls: TlsMode,
    has_password: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TlsMode {
    None,
    /// STARTTLS if the server, or somebody on the way, offers it.
    Opportunistic,
    /// STARTTLS.
    Required,
    /// From the first byte.
    Implicit,
}

impl Relay {
    /// Parses `smtps://user:password@host` and the like. `None`: it is no address of a mail server.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let builder = Pool::from_url(text).ok()?;
        let url = Url::parse(text).ok()?;
        let mut parameters = url.query_pairs();
        let tls = parameters.find(|(name, _)| name == "tls");
        let tls = match (url.scheme(), tls.as_ref().map(|(_, value)| &**value)) {
            ("smtps", _) => TlsMode::Implicit,
            (_, Some("required")) => TlsMode::Required,
            (_, Some("opportunistic")) => TlsMode::Opportunistic,
            _ => TlsMode::None,
        };
        Some(Self {
            builder,
            host: url.host_str()?.to_owned(),
            tls,
            has_password: url.password().is_some(),
        })
    }

    /// Whether the password may be sent in plain text: TLS is off, or used only if the server offers it.
    pub(super) fn exposes_password(&self) -> bool {
        self.has_password && matches!(self.tls, TlsMode::None | TlsMode::Opportunistic)
    }

    /// The settings of its connections, which also trust the authorities in the file `ca`.
    pub(super) fn builder(&self, ca: Option<&Path>) -> anyhow::Result<AsyncSmtpTransportBuilder> {
        let builder = self.builder.clone();
        let Some(file) = ca else {
            return Ok(builder);
        };
        let context = || {
            let file = file.display();
            format!("mail_ca: {file} must be a file with certificates in PEM")
        };
        let pem = std::fs::read(file).with_context(context)?;
        let mut certificates = CertificateDer::pem_slice_iter(&pem).peekable();
        anyhow::ensure!(certificates.peek().is_some(), context());
        let mut parameters = TlsParameters::builder(self.host.clone());
        for certificate in certificates {
            let certificate = certificate.with_context(context)?;
            let certificate = Certificate::from_der(certificate.to_vec()).with_context(context)?;
            parameters = parameters.add_root_certificate(certificate);
        }
        let parameters = parameters.build().with_context(context)?;
        Ok(builder.tls(match self.tls {
            TlsMode::None => Tls::None,
            TlsMode::Opportunistic => Tls::Opportunistic(parameters),
            TlsMode::Required => Tls::Required(parameters),
            TlsMode::Implicit => Tls::Wrapper(parameters),
        }))
    }
}

/// What a mail server says to a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    Sent,
    /// It does not take the mail now, for this reason.
    Deferred(String),
    /// It does not take the mail, and says that this is permanent.
    Refused(String),
}

/// A pool of connections to a mail server.
#[derive(Debug)]
pub(super) struct Connections {
    builder: AsyncSmtpTransportBuilder,
    deadline: Duration,
    /// The first mail opens it, since it spawns a task.
    pool: Mutex<Option<Pool>>,
}

impl Connections {
    /// A pool that keeps at most `most` idle connections. Sending one mail may take `deadline`.
    pub(super) fn new(builder: AsyncSmtpTransportBuilder, deadline: Duration, most: u32) -> Self {
        let config = PoolConfig::new().max_size(most).idle_timeout(IDLE);
        Self {
            builder: builder.pool_config(config),
            deadline,
            pool: Mutex::new(None),
        }
    }

    /// Gives up all connections. The next mail opens new ones.
    pub(super) fn close(&self) {
        *self.pool.lock() = None;
    }

    fn pool(&self) -> Pool {
        let mut pool = self.pool.lock();
        pool.get_or_insert_with(|| self.builder.clone().build())
            .clone()
    }

    /// Tries to send a mail. An error concerns the server, so that no other mail can be sent either.
    pub(super) async fn send(&self, message: Message) -> anyhow::Result<Outcome> {
        let recipient = message.envelope().to().first().cloned();
        let pool = self.pool();
        let (reason, is_permanent) = match self.in_time(&pool, pool.send(message)).await {
            Ok(Ok(_)) => return Ok(Outcome::Sent),
            Ok(Err(error)) => (describe(&error, recipient.as_ref()), is_permanent(&error)),
            Err(_) => {
                let seconds = self.deadline.as_secs();
                (format!("no answer within {seconds} seconds"), false)
            }
        };
        // The status does not tell whether the server refuses this mail or us: the answer to a wrong password is a 5xx too. With a
        // connection, other mails can be sent.
        let pool = self.pool();
        let connected = self.in_time(&pool, pool.test_connection()).await;
        anyhow::ensure!(
            matches!(connected, Ok(Ok(true))),
            "the mail server: {reason}"
        );
        Ok(if is_permanent {
            Outcome::Refused(reason)
        } else {
            Outcome::Deferred(reason)
        })
    }

    /// Runs a command of a pool within the deadline: lettre limits only the time for a TCP connection.
    ///
    /// lettre puts a connection back into its pool even if the command on it was dropped. The next mail would then read the answers to that
    /// command. Therefore the pool is shut down before the command is dropped.
    async fn in_time<T>(
        &self,
        pool: &Pool,
        command: impl Future<Output = Result<T, Error>>,
    ) -> Result<Result<T, Error>, Elapsed> {
        let mut command = pin!(command);
        let ended = timeout(self.deadline, command.as_mut()).await;
        if ended.is_err() {
            self.close();
            if timeout(CLOSE_DEADLINE, pool.shutdown()).await.is_err() {
                tracing::debug!("the connections to the mail server do not close in time");
            }
        }
        ended
    }
}

/// Whether the server says that it will never take this mail. The answers 530 to 538 concern the user and the password (RFC 4954).
fn is_permanent(error: &Error) -> bool {
    let status = error.status().map(u16::from);
    error.is_permanent() && !status.is_some_and(|status| (530..=538).contains(&status))
}

/// An error for the log.
fn describe(error: &Error, recipient: Option<&Address>) -> String {
    let Some(status) = error.status().map(u16::from) else {
        return redact(&error.to_string(), recipient);
    };
    let answer = error.source().map(ToString::to_string).unwrap_or_default();
    let answer = redact(&answer, recipient);
    if status == 535 {
        return format!("it refuses the user or the password of `mail`: {status} {answer}");
    }
    format!("{status} {answer}")
}

/// The text of a server without what it may repeat of a mail: addresses, links, and the name of the mailbox.
fn redact(text: &str, recipient: Option<&Address>) -> String {
    let mailbox = recipient.map(|recipient| recipient.user().to_lowercase());
    let is_private = |word: &str| {
        let names_mailbox = |mailbox: &String| word.to_lowercase().contains(mailbox);
        word.contains('@') || word.contains("://") || mailbox.as_ref().is_some_and(names_mailbox)
    };
    let words = text.split_whitespace();
    let words = words.map(|word| if is_private(word) { "…" } else { word });
    let text = words.collect::<Vec<_>>().join(" ");
    text.chars().take(MAX_ANSWER).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_in_the_log_name_neither_mailbox_nor_link() {
        let ada = "Ada@studio.example".parse::<Address>().unwrap();
        let redact = |text: &str| redact(text, Some(&ada));
        assert_eq!(
            redact("5.1.1 <ada@studio.example>: Recipient\r\nrejected"),
            "5.1.1 … Recipient rejected"
        );
        assert_eq!(
            redact("mailbox \"ADA\" is full, see https://mchezo.example/link/abc."),
            "mailbox … is full, see …"
        );
        assert!(redact(&"x ".repeat(100_000)).chars().count() <= MAX_ANSWER);
    }

    #[test]
    fn the_mode_of_tls_is_that_of_the_address() {
        for (address, mode) in [
            ("smtp://relay", TlsMode::None),
            ("smtp://relay:587?tls=opportunistic", TlsMode::Opportunistic),
            ("smtp://relay/name?tls=required", TlsMode::Required),
            ("smtps://user:hunter2@relay", TlsMode::Implicit),
        ] {
            let relay = Relay::parse(address).unwrap();
            assert_eq!(relay.tls, mode, "{address}");
            assert_eq!(relay.host, "relay");
            assert!(!format!("{relay:?}").contains("hunter2"), "{relay:?}");
        }
        for bad in ["", "relay", "http://relay", "smtp://relay?tls=never"] {
            assert!(Relay::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn a_file_without_certificates_is_refused() {
        let relay = Relay::parse("smtps://relay").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        for text in [
            None,
            Some(""),
            Some("not PEM"),
            Some("-----BEGIN CERTIFICATE-----\n!"),
        ] {
            if let Some(text) = text {
                std::fs::write(&file, text).unwrap();
            }
            let error = relay.builder(Some(&file)).unwrap_err();
            let error = format!("{error:#}");
            assert!(
                error.contains("mail_ca") && error.contains("ca.pem"),
                "{error}"
            );
        }
    }
}
