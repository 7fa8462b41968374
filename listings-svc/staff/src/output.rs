//! What the tool prints: tables for people, one JSON document for programs. Errors and notes go to stderr, one sentence each.
#![expect(
    clippy::print_stderr,
    reason = "a command-line tool reports errors there"
)]

use std::fmt::Display;
use std::io::{self, Write as _};

use comfy_table::Table;
use contracts::public::Timestamp;
use serde::Serialize;

use crate::error::Error;

/// Whether to print for people or for programs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    json: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// Prints `document` for programs or `table` for people.
    pub(crate) fn answer(
        self,
        document: &impl Serialize,
        table: impl FnOnce() -> Table,
    ) -> Result<(), Error> {
        if self.json {
            return self.line(document, "");
        }
        write(&table());
        Ok(())
    }

    /// Prints `document` for programs or `line` for people.
    pub(crate) fn line(self, document: &impl Serialize, line: &str) -> Result<(), Error> {
        if !self.json {
            write(&line);
            return Ok(());
        }
        let text = serde_json::to_string(document)
            .map_err(|error| Error::Refused(format!("the answer cannot be written: {error}")))?;
        write(&text);
        Ok(())
    }

    /// Prints a text for people.
    pub(crate) fn print(self, text: &str) {
        if !self.json {
            write(&text.trim_end());
        }
    }
}

/// Writes a line. A reader that has closed the pipe (`staff … | head -1`) is no error.
fn write(line: &impl Display) {
    // It takes the colours out when stdout is no terminal, or the user wants none.
    match writeln!(anstream::stdout(), "{line}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("staff: the answer cannot be written: {error}");
        }
        _ => {}
    }
}

/// Writes bytes as they are. Unlike a table, a dump that is cut short is an error.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Error> {
    io::stdout()
        .write_all(bytes)
        .map_err(|error| Error::usage(format!("the output cannot be written: {error}")))
}

/// Reports why the command failed.
pub(crate) fn error(error: &Error) {
    eprintln!("staff: {error}");
}

/// Prints a remark that is not part of the answer.
pub(crate) fn note(line: &str) {
    eprintln!("staff: {line}");
}

/// A timestamp from the wire.
pub(crate) fn timestamp(at: Option<prost_types::Timestamp>) -> Option<Timestamp> {
    at.and_then(kit::timestamp::decode).map(Timestamp)
}

/// A timestamp for a table, to the minute; empty for `None`.
pub(crate) fn format_time(at: Option<&Timestamp>) -> String {
    at.map(|Timestamp(at)| format!("{} {:02}:{:02}", at.date(), at.hour(), at.minute()))
        .unwrap_or_default()
}

/// A flag for a table.
pub(crate) fn yes_no(flag: bool) -> String {
    if flag { "yes" } else { "no" }.to_owned()
}
