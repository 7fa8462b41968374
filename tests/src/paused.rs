//! Pauses processes with SIGSTOP. A paused process neither refuses nor answers requests, which is the hardest outage for its clients.

use std::fs;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Paused processes. Dropping the value resumes them, even if the test fails.
#[derive(Debug)]
pub struct Paused(Vec<Pid>);

impl Paused {
    pub fn process(process: Pid) -> Self {
        kill(process, Signal::SIGSTOP).unwrap();
        wait_until_stopped(process);
        Self(vec![process])
    }

    #[must_use]
    pub fn and(mut self, processes: impl IntoIterator<Item = Pid>) -> Self {
        for process in processes {
            // A process that has just ended cannot be paused.
            if kill(process, Signal::SIGSTOP).is_ok() {
                wait_until_stopped(process);
            }
            self.0.push(process);
        }
        self
    }
}

/// One thread handles the signal; on a busy machine the others keep running until that thread is scheduled.
fn wait_until_stopped(process: Pid) {
    let give_up = Instant::now() + Duration::from_mins(2);
    while threads(process).any(|state| !matches!(state, 'T' | 't' | 'Z' | 'X')) {
        assert!(Instant::now() < give_up, "{process} does not stop");
        std::thread::yield_now();
    }
}

/// The states of a process's threads. Empty if the process has ended.
fn threads(process: Pid) -> impl Iterator<Item = char> {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    tasks.filter_map(|task| {
        let stat = fs::read_to_string(task.path().join("stat")).ok()?;
        // The state follows the name, which is in brackets and may contain brackets.
        stat.rsplit_once(") ")?.1.chars().next()
    })
}

impl Drop for Paused {
    fn drop(&mut self) {
        for process in &self.0 {
            kill(*process, Signal::SIGCONT).ok();
        }
    }
}

/// The child processes of a process, such as those of a PostgreSQL server. Empty if the process has ended.
pub fn children(process: i32) -> Vec<Pid> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let children: String =
        threads.filter_map(|it| fs::read_to_string(it.path().join("children")).ok()).collect();
    let pids = children.split_whitespace().map(|pid| pid.parse().unwrap());
    pids.map(Pid::from_raw).collect()
}
