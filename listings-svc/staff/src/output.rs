//! What is written: tables for people, one JSON document for machines. Problems go to stderr as one sentence.
#![expect(clippy::print_stderr, reason = "a command-line tool complains there")]

use std::fmt::Display;
use std::io::{self, Write as _};

use comfy_table::Table;
use contracts::public::Timestamp;
use serde::Serialize;

use super::problem::Problem;

/// How answers are written.
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

    /// Writes `document`, or `table` for people.
    pub(crate) fn answer(
        self,
        document: &impl Serialize,
        table: impl FnOnce() -> Table,
    ) -> Result<(), Problem> {
        if self.json {
            let text = serde_json::to_string(document).map_err(|error| {
                Problem::Refused(format!("the answer cannot be written: {error}"))
            })?;
            write(&text);
        } else {
            write(&table());
        }
        Ok(())
    }

    /// Writes one line of many that come by and by: a document, or a text for people.
    pub(crate) fn line(self, document: &impl Serialize, line: &str) -> Result<(), Problem> {
        if !self.json {
            write(&line);
            return Ok(());
        }
        let text = serde_json::to_string(document)
            .map_err(|error| Problem::Refused(format!("the answer cannot be written: {error}")))?;
        write(&text);
        Ok(())
    }

    /// Writes a text of several lines for people.
    pub(crate) fn text(self, text: &str) {
        self.say(text.trim_end());
    }

    /// Writes a line for people.
    pub(crate) fn say(self, line: &str) {
        if !self.json {
            write(&line);
        }
    }
}

/// Writes a line. A reader who has seen enough and hung up (`staff … | head -1`) is no failure.
fn write(line: &impl Display) {
    // Colours are for terminals, and for those who want them.
    match writeln!(anstream::stdout(), "{line}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("staff: the answer cannot be written: {error}");
        }
        _ => {}
    }
}

/// Writes whole lines as they came. They must all be written: a dump whose file is full is none.
pub(crate) fn bytes(lines: &[u8]) -> Result<(), Problem> {
    io::stdout()
        .write_all(lines)
        .map_err(|error| Problem::usage(format!("the lines cannot be written: {error}")))
}

/// Writes the completions of a shell.
pub(crate) fn completions(shell: clap_complete::Shell, command: &mut clap::Command) {
    let mut script = Vec::new();
    clap_complete::generate(shell, command, "staff", &mut script);
    write(&String::from_utf8_lossy(&script));
}

/// The last words of a command that failed.
pub(crate) fn complain(problem: &Problem) {
    eprintln!("staff: {problem}");
}

/// A note beside the answer.
pub(crate) fn note(line: &str) {
    eprintln!("staff: {line}");
}

/// A point in time as it came over the wire.
pub(crate) fn moment(at: Option<prost_types::Timestamp>) -> Option<Timestamp> {
    at.and_then(kit::timestamp::decode).map(Timestamp)
}

/// A point in time for a table, to the minute; empty when there is none.
pub(crate) fn shown(at: Option<&Timestamp>) -> String {
    at.map(|Timestamp(at)| format!("{} {:02}:{:02}", at.date(), at.hour(), at.minute()))
        .unwrap_or_default()
}

/// Yes or no for a table.
pub(crate) fn yes(flag: bool) -> String {
    if flag { "yes" } else { "no" }.to_owned()
}
