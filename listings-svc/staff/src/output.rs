//! What the tool prints: tables for people, one JSON document for programs. Errors and notes go to stderr, one sentence each.
#![expect(
    clippy::print_stderr,
    reason = "a command-line tool reports errors there"
)]

use std::fmt::Display;
use std::io::{self, Write as _};

use comfy_table::Table;
use indicatif::{ProgressBar, ProgressStyle};
use prost_types::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use crate::error::Error;
use crate::table::{Column, table};

/// Rows of a list.
#[derive(Debug)]
pub(crate) struct RowList<R> {
    pub(crate) rows: Vec<R>,
    /// Whether the list has more rows.
    pub(crate) more: bool,
}

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

    /// Prints the first rows of a list, and whether there are more.
    pub(crate) fn list<R: Serialize>(
        self,
        name: &str,
        list: &RowList<R>,
        columns: &[Column<R>],
    ) -> Result<(), Error> {
        let document = json!({ name: list.rows, "more": list.more });
        self.answer(&document, || table(&list.rows, columns))
    }

    /// Prints all rows of a list.
    pub(crate) fn rows<R: Serialize>(
        self,
        name: &str,
        rows: &[R],
        columns: &[Column<R>],
    ) -> Result<(), Error> {
        self.answer(&json!({ name: rows }), || table(rows, columns))
    }

    /// Prints one row.
    pub(crate) fn row<R: Serialize>(
        self,
        name: &str,
        row: &R,
        columns: &[Column<R>],
    ) -> Result<(), Error> {
        let document = json!({ name: row });
        self.answer(&document, || table(std::slice::from_ref(row), columns))
    }

    /// Prints one row, and the token of a new one, which is shown only once.
    pub(crate) fn row_with_token<R: Serialize>(
        self,
        name: &str,
        row: &R,
        token: Option<String>,
        columns: &[Column<R>],
    ) -> Result<(), Error> {
        let Some(token) = token else {
            return self.row(name, row, columns);
        };
        let mut document = json!({ name: row });
        document[name]["token"] = json!(token);
        self.answer(&document, || table(std::slice::from_ref(row), columns))?;
        self.print(&format!("The token, shown only now: {token}"));
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

/// Writes bytes as they are. Unlike a table, a script that is cut short is an error.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Error> {
    io::stdout()
        .write_all(bytes)
        .map_err(|error| Error::usage(format!("the output cannot be written: {error}")))
}

/// A progress bar on stderr, when stderr is a terminal.
pub(crate) fn progress_bar(length: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// Reports why the command failed.
pub(crate) fn error(error: &Error) {
    eprintln!("staff: {error}");
}

/// Prints a remark that is not part of the answer.
pub(crate) fn note(line: &str) {
    eprintln!("staff: {line}");
}

/// A timestamp for a table, to the minute; empty for `None`.
pub(crate) fn format_time(at: Option<Timestamp>) -> String {
    at.and_then(kit::timestamp::decode)
        .map(|at| format!("{} {:02}:{:02}", at.date(), at.hour(), at.minute()))
        .unwrap_or_default()
}

/// The name of an enumerated value, as JSON has it.
pub(crate) fn name_of(value: impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(name)) => name,
        _ => String::new(),
    }
}

/// A flag for a table.
pub(crate) fn yes_no(flag: bool) -> String {
    if flag { "yes" } else { "no" }.to_owned()
}
