//! How mails leave: by a mail server (RFC 5321), or into a folder.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::Context as _;
use kit::clock::Clock;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::{Error, SMTP_PORT, SUBMISSION_PORT, SUBMISSIONS_PORT};
use lettre::{Address, AsyncFileTransport, AsyncTransport as _, Message, Tokio1Executor};
use percent_encoding::percent_decode_str;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use tokio::time::timeout;
use url::Url;

/// The most characters of a server's answer in the log.
const MAX_ANSWER: usize = 400;
/// How long a server may take to answer that it closes a connection.
const QUIT_DEADLINE: Duration = Duration::from_secs(1);

/// How mails leave.
#[derive(Debug, Clone)]
pub enum Transport {
    /// A mail server.
    Smtp(Box<Relay>),
    /// A folder of files, for developers.
    Folder(PathBuf),
}

/// The address of a mail server, with user and password, which nothing prints.
#[derive(Debug, Clone)]
pub struct Relay {
    host: String,
    port: u16,
    tls: TlsMode,
    /// The name with which we greet the server.
    name: ClientId,
    credentials: Option<Credentials>,
}

/// The mode of TLS.
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

impl FromStr for Transport {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(folder) = text.strip_prefix("file:") {
            return Ok(Self::Folder(folder.into()));
        }
        // The text may contain a password.
        let relay = Relay::parse(text).ok_or(
            "write smtps://user:password@host, smtp://user:password@host:587?tls=required, or file:/folder",
        )?;
        Ok(Self::Smtp(Box::new(relay)))
    }
}

impl Transport {
    /// A connection may take `deadline`; the authorities in the file `ca` are trusted too.
    pub(super) fn open(
        &self,
        ca: Option<&Path>,
        clock: Clock,
        deadline: Duration,
    ) -> anyhow::Result<OpenTransport> {
        Ok(match self {
            Self::Smtp(relay) => OpenTransport::Smtp(Box::new(Server {
                tls: relay.tls_parameters(ca)?,
                relay: Relay::clone(relay),
                clock,
                deadline,
            })),
            Self::Folder(folder) => OpenTransport::Folder(folder.clone()),
        })
    }
}

impl Relay {
    /// Parses `smtps://user:password@host` and the like. `None`: it is no address of a mail server.
    fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let parameter = url.query_pairs().find(|(name, _)| name == "tls");
        let (tls, port) = match (url.scheme(), parameter.as_ref().map(|(_, value)| &**value)) {
            ("smtps", _) => (TlsMode::Implicit, SUBMISSIONS_PORT),
            ("smtp", Some("required")) => (TlsMode::Required, SUBMISSION_PORT),
            ("smtp", Some("opportunistic")) => (TlsMode::Opportunistic, SUBMISSION_PORT),
            ("smtp", None) => (TlsMode::None, SMTP_PORT),
            _ => return None,
        };
        let name = match url.path().trim_matches('/') {
            "" => ClientId::default(),
            name => ClientId::Domain(name.to_owned()),
        };
        let decoded = |text| Some(percent_decode_str(text).decode_utf8().ok()?.into_owned());
        let credentials = match url.password() {
            Some(password) => Some(Credentials::new(decoded(url.username())?, decoded(password)?)),
            None => None,
        };
        Some(Self {
            host: url.host_str()?.trim_matches(['[', ']']).to_owned(),
            port: url.port().unwrap_or(port),
            tls,
            name,
            credentials,
        })
    }

    /// Whether the password may be sent in plain text: TLS is off, or used only if the server offers it.
    pub(super) fn exposes_password(&self) -> bool {
        self.credentials.is_some() && matches!(self.tls, TlsMode::None | TlsMode::Opportunistic)
    }

    /// The authorities that are trusted, among them those in the file `ca`.
    fn tls_parameters(&self, ca: Option<&Path>) -> anyhow::Result<TlsParameters> {
        let mut parameters = TlsParameters::builder(self.host.clone());
        let Some(file) = ca else {
            return Ok(parameters.build()?);
        };
        let context = || {
            let file = file.display();
            format!("mail_ca: {file} must be a file with certificates in PEM")
        };
        let pem = std::fs::read(file).with_context(context)?;
        let mut certificates = CertificateDer::pem_slice_iter(&pem).peekable();
        anyhow::ensure!(certificates.peek().is_some(), context());
        for certificate in certificates {
            let certificate = certificate.with_context(context)?;
            let certificate = Certificate::from_der(certificate.to_vec()).with_context(context)?;
            parameters = parameters.add_root_certificate(certificate);
        }
        parameters.build().with_context(context)
    }
}

/// What became of a mail. The texts are for the log.
#[derive(Debug)]
pub(super) enum Outcome {
    Sent,
    /// The server did not accept the mail this time.
    Deferred(String),
    /// The server says that it will never accept the mail.
    Refused(String),
}

/// A transport in use.
pub(super) enum OpenTransport {
    Smtp(Box<Server>),
    Folder(PathBuf),
}

/// A mail server.
pub(super) struct Server {
    relay: Relay,
    tls: TlsParameters,
    clock: Clock,
    /// How long it may take to connect.
    deadline: Duration,
}

/// The connection over which mails are sent one after the other. There is none before the first one, and after an error.
///
/// The pool of lettre would use a connection again on which a command was dropped, and its errors do
/// not say whether the server is unavailable or refuses the mail.
#[derive(Default)]
pub(super) struct Connection(Option<AsyncSmtpConnection>);

impl OpenTransport {
    /// Sends a mail, for which the server may take `deadline`. An error is no fault of the mail: no
    /// other one can be sent either.
    pub(super) async fn send(
        &self,
        connection: &mut Connection,
        message: Message,
        deadline: Duration,
    ) -> anyhow::Result<Outcome> {
        match self {
            Self::Smtp(server) => server.send(connection, &message, deadline).await,
            Self::Folder(folder) => {
                let context = || folder.display().to_string();
                tokio::fs::create_dir_all(folder).await.with_context(context)?;
                let files = AsyncFileTransport::<Tokio1Executor>::new(folder);
                files.send(message).await.with_context(context)?;
                Ok(Outcome::Sent)
            }
        }
    }
}

impl Server {
    async fn send(
        &self,
        connection: &mut Connection,
        message: &Message,
        deadline: Duration,
    ) -> anyhow::Result<Outcome> {
        let (envelope, text) = (message.envelope(), message.formatted());
        let late = |deadline: Duration| format!("no answer within {} seconds", deadline.as_secs());
        loop {
            let (mut open, is_used) = match connection.0.take() {
                Some(open) => (open, true),
                None => match self.in_time(self.deadline, self.connect()).await {
                    Some(Ok(open)) => (open, false),
                    Some(Err(error)) => {
                        anyhow::bail!("the mail server: {}", redact(&error.to_string(), None))
                    }
                    None => anyhow::bail!("the mail server: {}", late(self.deadline)),
                },
            };
            // A connection on which a command was dropped is closed: the next mail would read the answer to that command.
            let Some(sent) = self.in_time(deadline, open.send(envelope, &text)).await else {
                return Ok(Outcome::Deferred(late(deadline)));
            };
            let Err(error) = sent else {
                *connection = Connection(Some(open));
                return Ok(Outcome::Sent);
            };
            // The server may close a connection after some mails or some time, with or without a reply (421).
            let status = error.status().map(u16::from);
            if is_used && matches!(status, None | Some(421)) {
                continue;
            }
            let reason = redact(&error.to_string(), envelope.to().first());
            return Ok(if error.is_permanent() {
                Outcome::Refused(reason)
            } else {
                Outcome::Deferred(reason)
            });
        }
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, Error> {
        let Relay { host, port, tls, name, credentials } = &self.relay;
        let implicit = (*tls == TlsMode::Implicit).then(|| self.tls.clone());
        let server = (host.as_str(), *port);
        let mut open =
            AsyncSmtpConnection::connect_tokio1(server, None, name, implicit, None).await?;
        if *tls == TlsMode::Required || *tls == TlsMode::Opportunistic && open.can_starttls() {
            open.starttls(self.tls.clone(), name).await?;
        }
        if let Some(credentials) = credentials {
            open.auth(DEFAULT_MECHANISMS, credentials).await?;
        }
        Ok(open)
    }

    /// Runs `work`; `None` after `deadline`.
    async fn in_time<T>(&self, deadline: Duration, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            done = work => Some(done),
            () = self.clock.sleep(deadline) => None,
        }
    }
}

impl Connection {
    /// Closes the connection, politely if the server answers soon.
    pub(super) async fn close(self) {
        if let Some(mut open) = self.0 {
            drop(timeout(QUIT_DEADLINE, open.abort()).await);
        }
    }
}

/// The answer of a server without addresses, links and the name of the mailbox, which it may repeat from a mail.
fn redact(text: &str, recipient: Option<&Address>) -> String {
    let mailbox = recipient.map(|recipient| recipient.user().to_lowercase());
    let is_private = |word: &str| {
        let names_mailbox = |mailbox: &String| word.to_lowercase().contains(mailbox);
        word.contains('@') || word.contains("://") || mailbox.as_ref().is_some_and(names_mailbox)
    };
    let words = text.split_whitespace().map(|word| if is_private(word) { "…" } else { word });
    let text = words.collect::<Vec<_>>().join(" ");
    text.chars().take(MAX_ANSWER).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logged_replies_are_redacted() {
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
    fn the_tls_mode_is_read_from_the_url() {
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
        for bad in ["", "relay", "http://user:hunter2@relay", "smtp://relay?tls=never"] {
            let refused = bad.parse::<Transport>().unwrap_err();
            assert!(!refused.contains("hunter2"), "{refused}");
        }
    }

    #[test]
    fn a_file_without_certificates_is_refused() {
        let relay = Relay::parse("smtps://relay").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        for text in [None, Some(""), Some("not PEM"), Some("-----BEGIN CERTIFICATE-----\n!")] {
            if let Some(text) = text {
                std::fs::write(&file, text).unwrap();
            }
            let error = relay.tls_parameters(Some(&file)).err().unwrap();
            let error = format!("{error:#}");
            assert!(error.contains("mail_ca") && error.contains("ca.pem"), "{error}");
        }
    }
}
