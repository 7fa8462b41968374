//! Reads what a person types.
#![expect(clippy::print_stderr, reason = "a command-line tool asks there")]

use std::io::{self, IsTerminal as _};

use crate::error::Error;

/// Whether there is a terminal to ask on.
pub(crate) fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Shows `prompt`, and reads a line. Returns `None` at the end of the input. Callers first check that there [is a terminal](is_terminal).
pub(crate) async fn read_line(prompt: &str) -> Result<Option<String>, Error> {
    eprint!("{prompt}");
    let read = || {
        let mut line = String::new();
        let bytes = io::stdin().read_line(&mut line)?;
        Ok((bytes > 0).then_some(line))
    };
    blocking(read).await
}

/// Reads standard input to its end.
pub(crate) async fn read_all() -> Result<String, Error> {
    blocking(|| io::read_to_string(io::stdin())).await
}

/// Reads on another thread, so that the connections are served while a person thinks: a service closes a connection that does not answer
/// its pings.
async fn blocking<T: Send + 'static>(
    read: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, Error> {
    let read = tokio::task::spawn_blocking(read).await;
    let read = read.map_err(io::Error::other).and_then(|read| read);
    read.map_err(|error| Error::usage(format!("the input cannot be read: {error}")))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn other_tasks_run_while_a_prompt_waits() {
        let (served, answer) = mpsc::channel();
        // The answer arrives only after the other task has run. If that task cannot run, the limit fails the test.
        let thinking = blocking(move || {
            let limit = Duration::from_secs(30);
            answer.recv_timeout(limit).map_err(io::Error::other)
        });
        let serving = async { served.send("y") };
        let (answered, sent) = tokio::join!(thinking, serving);
        sent.unwrap();
        assert_eq!(answered.unwrap(), "y");
    }
}
