//! Log lines on their way to standard output. A line for each request, written by itself, would be a system call for each request; so
//! lines are gathered for a moment. What is urgent goes at once, and takes along what came before.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// How long a line may wait. A process that is killed loses the lines of so long at most.
pub(super) const GATHER: Duration = Duration::from_millis(100);
/// Bytes that are written at once.
const BLOCK: usize = 16 * 1024;

/// Lines that are not written yet. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    /// Writes what has been gathered.
    pub(super) fn write(&self) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        put(&mut lines);
    }
}

/// Whoever reads the log has gone: there is nobody who could be told.
fn put(lines: &mut Vec<u8>) {
    if !lines.is_empty() {
        let mut output = io::stdout().lock();
        let (Ok(()) | Err(_)) = output.write_all(lines).and_then(|()| output.flush());
        lines.clear();
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line {
            lines: self,
            is_urgent: true,
        }
    }

    fn make_writer_for(&'a self, metadata: &Metadata<'_>) -> Line<'a> {
        Line {
            lines: self,
            is_urgent: *metadata.level() <= Level::WARN,
        }
    }
}

/// A writer of one line, which comes as a whole.
#[derive(Debug)]
pub(super) struct Line<'a> {
    lines: &'a Lines,
    is_urgent: bool,
}

impl Write for Line<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut lines = self.lines.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.extend_from_slice(line);
        if self.is_urgent || lines.len() >= BLOCK {
            put(&mut lines);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use tracing::subscriber::with_default;

    use super::*;

    #[test]
    fn lines_are_gathered_until_one_is_urgent() {
        let lines = Lines::default();
        let subscriber = tracing_subscriber::fmt()
            .with_writer(lines.clone())
            .finish();
        let gathered = || lines.0.lock().unwrap().clone();
        with_default(subscriber, || {
            tracing::info!("one");
            tracing::info!("two");
            let text = String::from_utf8(gathered()).unwrap();
            assert!(text.contains("one") && text.ends_with("two\n"), "{text}");
            tracing::warn!("three");
            assert_eq!(gathered(), b"");
            tracing::info!("four");
        });
        lines.write();
        assert_eq!(gathered(), b"");
    }
}
