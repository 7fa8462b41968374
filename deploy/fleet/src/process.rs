//! Starts child processes, and runs commands.
//!
//! Each child has a process group of its own, so that Ctrl-C reaches only the launcher, which then ends the children in order.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use crate::logs;
use crate::wait::{Event, Interrupted, Signals};

/// How often a command is looked at.
const POLL: Duration = Duration::from_millis(50);

/// How to start a long-lived child.
#[derive(Debug)]
pub(crate) struct Spec {
    /// Unique in the fleet: `catalogue-svc`, `catalogue-svc-2`, `postgres`.
    pub(crate) name: String,
    pub(crate) command: Command,
    /// The signal for a graceful shutdown.
    pub(crate) stop_signal: Signal,
    /// The signal for a child that does not end. The kernel sends it as well, when the launcher is killed.
    pub(crate) kill_signal: Signal,
    pub(crate) log: PathBuf,
}

/// Starts a long-lived child whose output is appended to its log. Its standard input is the lock of all children, which it never reads.
pub(crate) fn spawn(spec: &mut Spec, children_lock: &File) -> Result<Child> {
    let log = logs::open(&spec.log)?;
    let errors = log.try_clone().context("cannot duplicate the file handle of a log")?;
    let lock = children_lock.try_clone().context("cannot duplicate the file handle of a lock")?;
    spec.command
        .process_group(0)
        .stdin(lock)
        .stdout(log)
        .stderr(errors)
        .spawn()
        .with_context(|| format!("cannot start {}", spec.name))
}

/// Sends a signal to a child that was not waited for yet, so that its pid is still its own.
pub(crate) fn signal(child: &Child, signal: Signal) -> Result<()> {
    let pid = Pid::from_raw(i32::try_from(child.id()).context("the pid is out of range")?);
    kill(pid, signal).with_context(|| format!("cannot send {signal} to pid {pid}"))
}

/// The output of a finished command.
pub(crate) struct Output {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs a command until it ends. Its output goes to the terminal.
pub(crate) fn run(command: &mut Command, signals: &Signals) -> Result<ExitStatus> {
    let mut child = start(command)?;
    wait(&mut child, signals)
}

/// Runs a command until it ends, with `input` as its standard input, and returns its output.
pub(crate) fn capture(command: &mut Command, input: &str, signals: &Signals) -> Result<Output> {
    let mut child =
        start(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let input = input.to_owned();
    let writer = thread::spawn(move || {
        // A command that ends without reading all of its input explains that with its status.
        stdin.map(|mut stdin| stdin.write_all(input.as_bytes()))
    });
    let (out, err) = (thread::spawn(move || read(stdout)), thread::spawn(move || read(stderr)));
    let status = wait(&mut child, signals)?;
    let texts = (out.join(), err.join(), writer.join());
    let (Ok(stdout), Ok(stderr), Ok(_)) = texts else {
        return Err(anyhow!("cannot read the output of {}", name_of(command)));
    };
    Ok(Output { status, stdout, stderr })
}

fn start(command: &mut Command) -> Result<Child> {
    command.process_group(0).spawn().with_context(|| format!("cannot start {}", name_of(command)))
}

fn name_of(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

/// Waits for a child. A stop signal first ends its process group.
fn wait(child: &mut Child, signals: &Signals) -> Result<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait().context("cannot wait for a child process")? {
            return Ok(status);
        }
        if signals.next(POLL) == Some(Event::Stop) {
            break;
        }
    }
    let group = Pid::from_raw(i32::try_from(child.id()).context("the pid is out of range")?);
    match killpg(group, Signal::SIGTERM) {
        Ok(()) | Err(nix::Error::ESRCH) => {}
        Err(error) => return Err(error).context("cannot end a command"),
    }
    child.wait().context("cannot wait for a child process")?;
    Err(Interrupted.into())
}

fn read(source: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut source) = source {
        // After an error, return the part that was read.
        drop(source.read_to_end(&mut bytes));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
