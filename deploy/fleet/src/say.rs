//! Output to the terminal.

use std::io::{self, Write};

/// Prints a line. Unlike `println!` it does not panic when the terminal is closed or the disk of a log is full: the launcher must still
/// end its children in order.
pub(crate) fn say(line: impl AsRef<str>) {
    let mut out = io::stdout().lock();
    drop(writeln!(out, "{}", line.as_ref()).and_then(|()| out.flush()));
}

/// Prints each line of a text.
pub(crate) fn say_lines(lines: &str) {
    lines.lines().for_each(say);
}
