//! Processes that stand still: nothing is refused and nothing is answered, the worst way of being away.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// They go on when it is dropped, also by a test that fails.
pub(crate) struct Paused(Vec<Pid>);

impl Paused {
    pub(crate) fn process(process: Pid) -> Self {
        kill(process, Signal::SIGSTOP).unwrap();
        Self(vec![process])
    }

    /// Pauses more processes.
    pub(crate) fn and(mut self, processes: impl IntoIterator<Item = Pid>) -> Self {
        for process in processes {
            // One that has just ended cannot be paused, and need not be.
            kill(process, Signal::SIGSTOP).ok();
            self.0.push(process);
        }
        self
    }
}

impl Drop for Paused {
    fn drop(&mut self) {
        for process in &self.0 {
            kill(*process, Signal::SIGCONT).ok();
        }
    }
}
