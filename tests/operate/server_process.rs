//! Server processes that a test kills and restarts.

use std::cell::RefCell;
use std::fs::File;
use std::path::Path;
use std::process::{Child, Stdio};

use nix::sys::signal::Signal;
use nix::unistd::Pid;
use servers::{ServerUser, find};

pub(crate) struct Server(RefCell<Child>);

impl Server {
    pub(crate) fn new(process: Child) -> Self {
        Self(RefCell::new(process))
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_raw(self.0.borrow().id().try_into().unwrap())
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.0.borrow_mut().try_wait().unwrap().is_some()
    }

    pub(crate) fn end(&self) {
        let mut process = self.0.borrow_mut();
        // An error means that the process has already ended.
        drop(process.kill());
        drop(process.wait());
    }

    pub(crate) fn replace(&self, process: Child) {
        // The old process has ended.
        drop(self.0.replace(process).wait());
    }
}

/// Starts a program as the user of PostgreSQL, with its output in a log. It gets SIGTERM when the test ends.
pub(crate) fn spawn(
    user: &ServerUser,
    folder: &Path,
    name: &str,
    program: &str,
    args: &[String],
) -> Child {
    // `deploy/test` installs missing programs.
    let program = find(program).ok_or(program).unwrap();
    let log = folder.join(format!("{name}.log"));
    let log = File::options().create(true).append(true).open(log).unwrap();
    user.command(&program, Some(Signal::SIGTERM))
        .args(args)
        .env("HOME", folder)
        .env("LC_ALL", "C.UTF-8")
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap()
}

/// Prints the ends of these logs.
#[expect(clippy::print_stderr, reason = "the logs of a test that failed")]
pub(crate) fn show_logs(folder: &Path, names: &[&str]) {
    for name in names {
        let log = folder.join(format!("{name}.log"));
        let text = std::fs::read_to_string(log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let last = &lines[lines.len().saturating_sub(30)..];
        eprintln!("{name}:\n{}", last.join("\n"));
    }
}
