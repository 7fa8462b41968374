//! How mails leave: by a mail server, or into a folder.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::Context as _;
use lettre::{AsyncFileTransport, AsyncTransport as _, Message, Tokio1Executor};

use super::smtp::{Connections, Outcome, Relay};

/// How mails leave.
#[derive(Debug, Clone)]
pub enum Transport {
    /// A mail server.
    Smtp(Box<Relay>),
    /// A folder of files, for developers.
    Folder(PathBuf),
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
    /// Opens connections for as many mails at once. Each mail may take `deadline`; the authorities in the file `ca` are trusted too.
    pub(super) fn open(
        &self,
        ca: Option<&Path>,
        deadline: Duration,
        at_once: u32,
    ) -> anyhow::Result<OpenTransport> {
        Ok(match self {
            Self::Smtp(relay) => {
                let connections = Connections::new(relay.builder(ca)?, deadline, at_once);
                OpenTransport::Smtp(Box::new(connections))
            }
            Self::Folder(folder) => OpenTransport::Folder(folder.clone()),
        })
    }
}

/// A transport in use.
#[derive(Debug)]
pub(super) enum OpenTransport {
    Smtp(Box<Connections>),
    Folder(PathBuf),
}

impl OpenTransport {
    /// Tries to send a mail. An error concerns the server, so that no other mail can be sent either.
    pub(super) async fn send(&self, message: Message) -> anyhow::Result<Outcome> {
        match self {
            Self::Smtp(connections) => connections.send(message).await,
            Self::Folder(folder) => write(folder, message)
                .await
                .with_context(|| folder.display().to_string()),
        }
    }

    /// Gives up all connections. The next mail opens new ones.
    pub(super) fn close(&self) {
        if let Self::Smtp(connections) = self {
            connections.close();
        }
    }
}

async fn write(folder: &Path, message: Message) -> anyhow::Result<Outcome> {
    tokio::fs::create_dir_all(folder).await?;
    let files = AsyncFileTransport::<Tokio1Executor>::new(folder);
    files.send(message).await?;
    Ok(Outcome::Sent)
}
