//! Log lines on their way to standard output, which a thread of its own writes: whoever reads it may be slow, or not read at all, and no
//! request waits for that. Lines that find the queue full are dropped and counted.

use std::io::{self, Write};
use std::thread;
use std::time::Duration;

use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};

/// Lines that may wait to be written: some megabytes.
const QUEUE: usize = 16_384;
/// Pause after lines were written. Those that come meanwhile are written together: a line for each request, written by itself, would be a
/// system call for each request. A process that is killed loses the lines of so long at most.
const GATHER: Duration = Duration::from_millis(20);
/// Bytes that are written at once.
const BLOCK: usize = 64 * 1024;
/// How long a process that ends waits for its last lines to be written.
const LAST: Duration = Duration::from_millis(1_500);

/// The queue of lines to standard output, and what writes its last ones.
pub(super) fn to_stdout() -> (NonBlocking, Lines) {
    let (queue, worker) = NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(QUEUE)
        .thread_name("log")
        .finish(Gather {
            lines: Vec::new(),
            output: io::stdout(),
        });
    let dropped = queue.error_counter();
    let worker = Some(worker);
    (queue, Lines { worker, dropped })
}

/// Writes the last lines when it is dropped.
#[derive(Debug)]
pub(super) struct Lines {
    worker: Option<WorkerGuard>,
    dropped: ErrorCounter,
}

impl Lines {
    /// Counts the lines that were dropped.
    pub(super) fn dropped(&self) -> ErrorCounter {
        self.dropped.clone()
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let Some(worker) = self.worker.take() else {
            return;
        };
        // On a thread of its own: with a full queue the worker's guard complains on standard output, which nobody reads then.
        let (end, ended) = std::sync::mpsc::channel();
        thread::spawn(move || {
            drop(worker);
            let (Ok(()) | Err(_)) = end.send(());
        });
        // After a timeout the lines are lost with the process.
        let (Ok(()) | Err(_)) = ended.recv_timeout(LAST);
    }
}

/// Gathers lines until the queue is empty.
struct Gather<W> {
    lines: Vec<u8>,
    output: W,
}

impl<W: Write> Gather<W> {
    /// Whoever reads the log may have gone: there is nobody who could be told.
    fn put(&mut self) {
        let (Ok(()) | Err(_)) = self
            .output
            .write_all(&self.lines)
            .and_then(|()| self.output.flush());
        self.lines.clear();
    }
}

impl<W: Write> Write for Gather<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.lines.extend_from_slice(line);
        if self.lines.len() >= BLOCK {
            self.put();
        }
        Ok(line.len())
    }

    /// Called when the queue is empty.
    fn flush(&mut self) -> io::Result<()> {
        self.put();
        thread::sleep(GATHER);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the writes.
    #[derive(Default)]
    struct Output(Vec<Vec<u8>>);

    impl Write for Output {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.push(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_of_one_moment_are_one_write() {
        let mut gather = Gather {
            lines: Vec::new(),
            output: Output::default(),
        };
        for line in ["one\n", "two\n"] {
            gather.write_all(line.as_bytes()).unwrap();
        }
        assert!(gather.output.0.is_empty());
        gather.flush().unwrap();
        assert_eq!(gather.output.0, [b"one\ntwo\n".to_vec()]);
        gather.write_all(&vec![b'x'; BLOCK]).unwrap();
        assert_eq!(gather.output.0.len(), 2, "many bytes do not wait");
    }
}
