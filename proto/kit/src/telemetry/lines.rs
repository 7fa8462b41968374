//! The queue of log lines. A separate thread writes them to standard output, so that no request waits when the reader of standard output is
//! slow or has stopped. When the queue is full, lines are dropped and counted.

use std::io::{self, BufWriter, Write};
use std::thread;
use std::time::Duration;

use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};

/// The capacity of the queue in lines: some megabytes.
const QUEUE: usize = 16_384;
/// Pause after a write. Lines of that time are written together, so that there is no system call per request. A process that is killed loses
/// at most the lines of this time.
const BATCH_DELAY: Duration = Duration::from_millis(20);
/// The most bytes that wait for a write.
const BLOCK: usize = 64 * 1024;
/// How long a process that ends waits for its last lines to be written.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(1_500);

/// The queue of lines to standard output, and the guard that flushes it.
pub(super) fn to_stdout() -> (NonBlocking, Flush) {
    let (queue, worker) = NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(QUEUE)
        .thread_name("log")
        .finish(LineBatcher::new(io::stdout()));
    let dropped = queue.error_counter();
    let worker = Some(worker);
    (queue, Flush { worker, dropped })
}

/// Writes the last lines when it is dropped.
#[derive(Debug)]
pub(super) struct Flush {
    worker: Option<WorkerGuard>,
    dropped: ErrorCounter,
}

impl Flush {
    /// The counter of dropped lines.
    pub(super) fn dropped(&self) -> ErrorCounter {
        self.dropped.clone()
    }
}

impl Drop for Flush {
    fn drop(&mut self) {
        let Some(worker) = self.worker.take() else {
            return;
        };
        // On a separate thread: with a full queue the guard of the worker writes to standard output, which is blocked then.
        let (end, ended) = std::sync::mpsc::channel();
        thread::spawn(move || {
            drop(worker);
            let (Ok(()) | Err(_)) = end.send(());
        });
        // After the timeout the lines are lost.
        let (Ok(()) | Err(_)) = ended.recv_timeout(FLUSH_TIMEOUT);
    }
}

/// Collects lines until the queue is empty.
struct LineBatcher<W: Write>(BufWriter<W>);

impl<W: Write> LineBatcher<W> {
    fn new(output: W) -> Self {
        Self(BufWriter::with_capacity(BLOCK, output))
    }
}

impl<W: Write> Write for LineBatcher<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.write(line)
    }

    /// Called when the queue is empty. The queue ignores errors: the reader of the log may be gone, and there is no other place to report
    /// them.
    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.0.flush();
        thread::sleep(BATCH_DELAY);
        flushed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records each write.
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
    fn lines_are_written_in_batches() {
        let mut batcher = LineBatcher::new(Output::default());
        for line in ["one\n", "two\n"] {
            batcher.write_all(line.as_bytes()).unwrap();
        }
        assert!(batcher.0.get_ref().0.is_empty());
        batcher.flush().unwrap();
        assert_eq!(batcher.0.get_ref().0, [b"one\ntwo\n".to_vec()]);
        batcher.write_all(&vec![b'x'; BLOCK]).unwrap();
        assert_eq!(batcher.0.get_ref().0.len(), 2, "a full batch is written at once");
    }
}
