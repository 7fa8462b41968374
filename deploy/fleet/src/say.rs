//! What the launcher tells its user.

use std::io::{self, Write};

/// Prints a line. A terminal that was closed, or a log on a full disk, is no reason to die before the children are ended in
/// order, which is what `println!` would do.
pub(crate) fn say(line: impl AsRef<str>) {
    let mut out = io::stdout().lock();
    drop(writeln!(out, "{}", line.as_ref()).and_then(|()| out.flush()));
}

/// Prints a text of whole lines.
pub(crate) fn say_lines(lines: &str) {
    lines.lines().for_each(say);
}
