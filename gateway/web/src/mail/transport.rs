//! How mails leave: by a mail server (RFC 5321), or into a folder.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::Context as _;
use lettre::transport::smtp::AsyncSmtpTransportBuilder;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::{
    Address, AsyncFileTransport, AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor,
};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use tokio::time::timeout;
use url::Url;

/// The most characters of a server's answer in the log.
const MAX_ANSWER: usize = 400;

type SmtpTransport = AsyncSmtpTransport<Tokio1Executor>;

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
    builder: AsyncSmtpTransportBuilder,
    host: String,
    tls: TlsMode,
    has_password: bool,
}

/// The mode of TLS, which lettre reads from the URL too.
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
    /// Each mail may take `deadline`; the authorities in the file `ca` are trusted too.
    pub(super) fn open(
        &self,
        ca: Option<&Path>,
        deadline: Duration,
    ) -> anyhow::Result<OpenTransport> {
        Ok(match self {
            Self::Smtp(relay) => OpenTransport::Smtp(Box::new(relay.open(ca)?), deadline),
            Self::Folder(folder) => OpenTransport::Folder(folder.clone()),
        })
    }
}

impl Relay {
    /// Parses `smtps://user:password@host` and the like. `None`: it is no address of a mail server.
    fn parse(text: &str) -> Option<Self> {
        let builder = SmtpTransport::from_url(text).ok()?;
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

    fn open(&self, ca: Option<&Path>) -> anyhow::Result<SmtpTransport> {
        let builder = self.builder.clone();
        let Some(file) = ca else {
            return Ok(builder.build());
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
        let builder = builder.tls(match self.tls {
            TlsMode::None => Tls::None,
            TlsMode::Opportunistic => Tls::Opportunistic(parameters),
            TlsMode::Required => Tls::Required(parameters),
            TlsMode::Implicit => Tls::Wrapper(parameters),
        });
        Ok(builder.build())
    }
}

/// A transport in use.
#[derive(Debug)]
pub(super) enum OpenTransport {
    Smtp(Box<SmtpTransport>, Duration),
    Folder(PathBuf),
}

impl OpenTransport {
    /// Sends a mail; an error is a text for the log.
    pub(super) async fn send(&self, message: Message) -> Result<(), String> {
        match self {
            Self::Smtp(transport, deadline) => {
                let recipient = message.envelope().to().first().cloned();
                match timeout(*deadline, transport.send(message)).await {
                    Ok(Ok(_)) => Ok(()),
                    Ok(Err(error)) => Err(redact(&error.to_string(), recipient.as_ref())),
                    Err(_elapsed) => {
                        Err(format!("no answer within {} seconds", deadline.as_secs()))
                    }
                }
            }
            Self::Folder(folder) => {
                let written = write(folder, message).await;
                written.map_err(|error| format!("{}: {error:#}", folder.display()))
            }
        }
    }
}

async fn write(folder: &Path, message: Message) -> anyhow::Result<()> {
    tokio::fs::create_dir_all(folder).await?;
    let files = AsyncFileTransport::<Tokio1Executor>::new(folder);
    files.send(message).await?;
    Ok(())
}

/// The answer of a server without addresses, links and the name of the mailbox, which it may repeat from a mail.
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
        for bad in [
            "",
            "relay",
            "http://user:hunter2@relay",
            "smtp://relay?tls=never",
        ] {
            let refused = bad.parse::<Transport>().unwrap_err();
            assert!(!refused.contains("hunter2"), "{refused}");
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
            let error = relay.open(Some(&file)).unwrap_err();
            let error = format!("{error:#}");
            assert!(
                error.contains("mail_ca") && error.contains("ca.pem"),
                "{error}"
            );
        }
    }
}
