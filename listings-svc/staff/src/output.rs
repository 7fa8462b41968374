//! What the tool prints: tables for people, one JSON document for programs. Errors and notes go to stderr, one sentence each.
#![expect(clippy::print_stderr, reason = "a command-line tool reports errors there")]

use std::fmt::Display;
use std::io::{self, Write as _};
use std::process;

use kit::Clock;
use prost_types::Timestamp;
use serde::Serialize;
use time::{Duration, OffsetDateTime};

use crate::error::Error;

/// Times that are no further away are told by their distance.
const NEAR: Duration = Duration::DAY;
/// The exit status of a program that SIGPIPE ends, as shells report it.
const BROKEN_PIPE: i32 = 141;

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

/// Writes a line.
fn write(line: &impl Display) {
    // It takes the colours out when stdout is no terminal, or the user wants none.
    require_written(writeln!(anstream::stdout(), "{line}"));
}

/// Writes bytes as they are.
pub(crate) fn bytes(bytes: &[u8]) {
    let mut stdout = io::stdout();
    require_written(stdout.write_all(bytes).and_then(|()| stdout.flush()));
}

/// Ends the program if its output was not written: quietly if the reader is gone (`staff … | head
/// -1`).
#[expect(clippy::exit, reason = "nothing that the command would still do has a reader")]
fn require_written(written: io::Result<()>) {
    let Err(error) = written else {
        return;
    };
    if error.kind() == io::ErrorKind::BrokenPipe {
        process::exit(BROKEN_PIPE);
    }
    eprintln!("staff: the output cannot be written: {error}. Free space, or write it elsewhere.");
    process::exit(2);
}

/// Reports why the command failed.
pub(crate) fn error(error: &Error) {
    eprintln!("staff: {error}");
}

/// Prints a remark that is not part of the answer.
pub(crate) fn note(line: &str) {
    eprintln!("staff: {line}");
}

/// A time in words; empty for `None`.
pub(crate) fn format_time(at: Option<Timestamp>) -> String {
    let at = at.and_then(kit::api::timestamp::decode);
    at.map_or_else(String::new, |at| in_words(at, Clock::system().now()))
}

/// A time as its distance, such as `5 minutes ago`, or as a date.
fn in_words(at: OffsetDateTime, now: OffsetDateTime) -> String {
    let distance = at - now;
    if distance.abs() >= NEAR {
        let (month, hour) = (at.month(), at.hour());
        return format!("{} {month} {}, {hour:02}:{:02}", at.day(), at.year(), at.minute());
    }
    let (number, unit) = match distance.abs() {
        distance if distance < Duration::MINUTE => return "now".to_owned(),
        distance if distance < Duration::HOUR => (distance.whole_minutes(), "minute"),
        distance => (distance.whole_hours(), "hour"),
    };
    let plural = if number == 1 { "" } else { "s" };
    if distance.is_negative() {
        format!("{number} {unit}{plural} ago")
    } else {
        format!("in {number} {unit}{plural}")
    }
}

/// A flag for a table.
pub(crate) fn yes_no(flag: bool) -> String {
    if flag { "yes" } else { "no" }.to_owned()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_time_is_shown_relative_within_a_day_and_as_a_date_beyond() {
        let now = datetime!(2026-03-10 12:00 UTC);
        for (at, expected) in [
            (datetime!(2026-03-10 11:59:30 UTC), "now"),
            (datetime!(2026-03-10 11:59 UTC), "1 minute ago"),
            (datetime!(2026-03-10 09:30 UTC), "2 hours ago"),
            (datetime!(2026-03-11 11:00 UTC), "in 23 hours"),
            (datetime!(2026-03-09 12:00 UTC), "9 March 2026, 12:00"),
            (datetime!(2027-01-02 03:04 UTC), "2 January 2027, 03:04"),
        ] {
            assert_eq!(in_words(at, now), expected);
        }
    }
}
