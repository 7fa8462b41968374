//! Reads mails strictly, with Python's `email`, which raises an error where mail servers or mail programs would refuse or guess.

use std::io::Write as _;
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};

const READER: &str = include_str!("mail.py");

/// How many bytes of a malformed mail an error shows.
const SHOWN: usize = 4_000;

/// A mail as its recipient sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// The header `From`, decoded.
    pub from: String,
    /// The header `To`, decoded.
    pub to: String,
    /// The header `Subject`, decoded.
    pub subject: String,
    pub message_id: String,
    /// The text, decoded, with `\n` at the end of each line.
    pub body: String,
}

/// Parses a mail in the form in which SMTP sends it.
///
/// # Errors
/// Python is missing, or the mail violates a standard: the message says which rule.
pub fn read(mail: &[u8]) -> anyhow::Result<Mail> {
    let mut python = Command::new("python3")
        .args(["-c", READER])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start python3: install it (apt install python3)")?;
    python.stdin.take().context("stdin")?.write_all(mail)?;
    let output = python.wait_with_output()?;
    ensure!(
        output.status.success(),
        "{}\n{}",
        String::from_utf8_lossy(&output.stderr),
        String::from_utf8_lossy(mail.get(..SHOWN).unwrap_or(mail))
    );
    let mut fields = std::str::from_utf8(&output.stdout)?.split('\0').map(ToOwned::to_owned);
    let mut next = || fields.next().context("a field of the mail");
    Ok(Mail { from: next()?, to: next()?, subject: next()?, message_id: next()?, body: next()? })
}
