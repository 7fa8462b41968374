//! Starts, records and ends child processes.
//!
//! Each child has a process group of its own, so that Ctrl-C reaches only the launcher, which then ends the children in order. Each
//! child is started through `setpriv`, which drops root where asked, and makes the kernel end the child when the launcher is killed. A
//! child is recorded with its start time, so that another process with a reused pid is never mistaken for it.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::time::Duration;
use std::{slice, thread};

use anyhow::{Context, Result, anyhow};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::{Pid, User, geteuid};
use serde::{Deserialize, Serialize};

use crate::say::say;
use crate::wait::{Interrupted, Signals};

/// How to start a long-lived child.
#[derive(Clone, Debug)]
pub(crate) struct Spec {
    /// Unique in the fleet: `catalogue-svc`, `catalogue-svc-2`, `postgres`.
    pub(crate) name: String,
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    pub(crate) env: Vec<(String, String)>,
    /// Written to the child's standard input: secrets that must not show in the process list.
    pub(crate) stdin: String,
    /// The user to run as, when that is not the caller.
    pub(crate) user: Option<UnixUser>,
    /// The signal for a graceful shutdown.
    pub(crate) stop_signal: Signal,
    pub(crate) log: PathBuf,
}

/// A user of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnixUser {
    pub(crate) name: String,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

impl UnixUser {
    /// The user that runs PostgreSQL and Redis when the launcher runs as root: PostgreSQL refuses root, and Redis does not need it.
    pub(crate) fn unprivileged() -> Result<Option<Self>> {
        if !geteuid().is_root() {
            return Ok(None);
        }
        for name in ["postgres", "nobody"] {
            if let Some(user) =
                User::from_name(name).context("cannot read the users of this machine")?
            {
                let name = user.name;
                return Ok(Some(Self {
                    name,
                    uid: user.uid.as_raw(),
                    gid: user.gid.as_raw(),
                }));
            }
        }
        Err(anyhow!(
            "PostgreSQL refuses to run as root: create a user `postgres`, or run this as an ordinary user"
        ))
    }
}

/// Identifies a process, also for a later launcher.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) name: String,
    pub(crate) pid: i32,
    /// In clock ticks since the machine started (field 22 of `/proc/PID/stat`).
    pub(crate) started: u64,
}

impl Record {
    pub(crate) fn of(name: &str, pid: u32) -> Result<Self> {
        let pid = i32::try_from(pid).context("the pid is out of range")?;
        // A child that has ended stays in the process table until the launcher waits for it.
        let (_, started) = stat(format!("/proc/{pid}/stat"))
            .with_context(|| format!("{name} is not in the process table"))?;
        Ok(Self {
            name: name.to_owned(),
            pid,
            started,
        })
    }

    /// Whether a thread of this process still runs. After a SIGKILL the main thread may end before the others, which hold the ports of the
    /// process.
    pub(crate) fn is_alive(&self) -> bool {
        let stat = stat(format!("/proc/{}/stat", self.pid));
        stat.is_some_and(|(_, started)| started == self.started) && has_running_thread(self.pid)
    }

    /// Sends a signal, unless the process is gone.
    pub(crate) fn signal(&self, signal: Signal) -> Result<()> {
        if !self.is_alive() {
            return Ok(());
        }
        match kill(Pid::from_raw(self.pid), signal) {
            Ok(()) | Err(nix::Error::ESRCH) => Ok(()),
            Err(error) => Err(error).with_context(|| {
                format!("cannot send a signal to {} (pid {})", self.name, self.pid)
            }),
        }
    }
}

fn has_running_thread(pid: i32) -> bool {
    let threads = fs::read_dir(format!("/proc/{pid}/task"));
    threads.into_iter().flatten().flatten().any(|thread| {
        stat(thread.path().join("stat")).is_some_and(|(state, _)| !matches!(state, 'Z' | 'X'))
    })
}

/// The state and the start time of a process or a thread, from its file in `/proc`.
fn stat(file: impl AsRef<Path>) -> Option<(char, u64)> {
    parse_stat(&fs::read_to_string(file).ok()?)
}

/// Fields 3 and 22 of a stat line. The name in field 2 may contain spaces and brackets.
fn parse_stat(stat: &str) -> Option<(char, u64)> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, fields.nth(18)?.parse().ok()?))
}

/// Starts a long-lived child whose output is appended to its log.
pub(crate) fn spawn(spec: &Spec) -> Result<Child> {
    let log = log_file(&spec.log)?;
    let errors = log
        .try_clone()
        .context("cannot duplicate the file handle of a log")?;
    let mut command = setpriv(&spec.program, spec.user.as_ref(), Some(spec.stop_signal));
    command
        .args(&spec.args)
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .process_group(0)
        .stdin(if spec.stdin.is_empty() {
            Stdio::null()
        } else {
            Stdio::piped()
        })
        .stdout(log)
        .stderr(errors);
    let mut child = command
        .spawn()
        .with_context(|| format!("cannot start {}", spec.program.display()))?;
    if let Some(mut input) = child.stdin.take() {
        input
            .write_all(spec.stdin.as_bytes())
            .with_context(|| format!("cannot write to the standard input of {}", spec.name))?;
    }
    Ok(child)
}

/// `program` through setpriv: as `user`, and with `parent_death_signal` when the launcher dies.
pub(crate) fn setpriv(
    program: &Path,
    user: Option<&UnixUser>,
    parent_death_signal: Option<Signal>,
) -> Command {
    let mut command = Command::new("setpriv");
    if let Some(user) = user {
        command.args([
            "--reuid",
            &user.name,
            "--regid",
            &user.gid.to_string(),
            "--init-groups",
        ]);
    }
    if let Some(signal) = parent_death_signal {
        command.args(["--pdeathsig", signal.as_str().trim_start_matches("SIG")]);
    }
    command.arg("--").arg(program);
    command
}

fn log_file(path: &Path) -> Result<File> {
    OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(path)
        .with_context(|| format!("cannot open {}", path.display()))
}

/// The last lines of a child's log, indented for the terminal.
pub(crate) fn tail(log: &Path, count: usize) -> String {
    let text = fs::read(log)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let last = lines
        .get(lines.len().saturating_sub(count)..)
        .unwrap_or_default();
    last.iter()
        .map(|line| format!("    {line}\n"))
        .collect::<Vec<_>>()
        .concat()
}

/// Ends processes together: first with the graceful signal. Processes that still run after `limit`, or when the user presses Ctrl-C
/// again, get the forceful one.
pub(crate) fn end(
    records: &[Record],
    (graceful, forceful): (Signal, Signal),
    limit: Duration,
    signals: &Signals,
) -> Result<()> {
    for record in records {
        record.signal(graceful)?;
    }
    let ended = signals.until(limit, || {
        Ok(records
            .iter()
            .all(|record| !record.is_alive())
            .then_some(()))
    });
    if let Ok(Some(())) = ended {
        return Ok(());
    }
    for record in records.iter().filter(|record| record.is_alive()) {
        say(format!(
            "  {} (pid {}) does not end; killing it",
            record.name, record.pid
        ));
        record.signal(forceful)?;
    }
    signals.until(Duration::from_secs(10), || {
        Ok(records
            .iter()
            .all(|record| !record.is_alive())
            .then_some(()))
    })?;
    Ok(())
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
    let mut child = start(
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped()),
    )?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let input = input.to_owned();
    let writer = thread::spawn(move || {
        // A command that ends without reading all of its input explains that with its status.
        stdin.map(|mut stdin| stdin.write_all(input.as_bytes()))
    });
    let (out, err) = (
        thread::spawn(move || read(stdout)),
        thread::spawn(move || read(stderr)),
    );
    let status = wait(&mut child, signals)?;
    let texts = (out.join(), err.join(), writer.join());
    let (Ok(stdout), Ok(stderr), Ok(_)) = texts else {
        return Err(anyhow!("cannot read the output of {}", name_of(command)));
    };
    Ok(Output {
        status,
        stdout,
        stderr,
    })
}

/// Runs commands at once until all have ended, and calls `each` with the number of the command and every line of its standard output.
/// Returns whether all succeeded.
pub(crate) fn stream_all(
    commands: &mut [Command],
    signals: &Signals,
    each: impl FnMut(usize, &str) + Send,
) -> Result<bool> {
    let each = &Mutex::new(each);
    thread::scope(|scope| {
        let mut children = Vec::new();
        for (number, command) in commands.iter_mut().enumerate() {
            let mut child = start(command.stdout(Stdio::piped()))?;
            let stdout = child.stdout.take();
            scope.spawn(move || {
                for line in stdout
                    .into_iter()
                    .flat_map(|stdout| BufReader::new(stdout).split(b'\n'))
                    .map_while(Result::ok)
                {
                    let line = String::from_utf8_lossy(&line);
                    if let Ok(mut each) = each.lock() {
                        each(number, line.trim_end_matches('\r'));
                    }
                }
            });
            children.push(child);
        }
        let statuses = wait_for_all(&mut children, signals)?;
        Ok(statuses.iter().all(ExitStatus::success))
    })
}

fn start(command: &mut Command) -> Result<Child> {
    command
        .process_group(0)
        .spawn()
        .with_context(|| format!("cannot start {}", name_of(command)))
}

fn name_of(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

/// Waits for a child. A stop signal first ends its process group.
fn wait(child: &mut Child, signals: &Signals) -> Result<ExitStatus> {
    let statuses = wait_for_all(slice::from_mut(child), signals)?;
    statuses.first().copied().context("a child has no status")
}

/// Waits for children. A stop signal first ends their process groups.
fn wait_for_all(children: &mut [Child], signals: &Signals) -> Result<Vec<ExitStatus>> {
    let month = Duration::from_hours(30 * 24);
    let waited = signals.until(month, || {
        let statuses = children.iter_mut().map(Child::try_wait);
        let statuses = statuses.collect::<Result<Vec<_>, _>>();
        let statuses = statuses.context("cannot wait for a child process")?;
        Ok(statuses.into_iter().collect::<Option<Vec<_>>>())
    });
    let error = match waited {
        Ok(Some(statuses)) => return Ok(statuses),
        Ok(None) => return Err(anyhow!("a command has run for a month")),
        Err(error) => error,
    };
    for child in children {
        let group = Pid::from_raw(i32::try_from(child.id()).context("the pid is out of range")?);
        match killpg(group, Signal::SIGTERM) {
            Ok(()) | Err(nix::Error::ESRCH) => {}
            Err(other) => return Err(other).context("cannot end a command"),
        }
        child.wait().context("cannot wait for a child process")?;
    }
    debug_assert!(
        error.is::<Interrupted>(),
        "only a signal ends this wait early"
    );
    Err(error)
}

fn read(source: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut source) = source {
        // After an error, return the part that was read.
        drop(source.read_to_end(&mut bytes));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_does_not_hide_the_start_time() {
        let stat = "42 (a) b) S 1 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 98765 1 1";
        assert_eq!(parse_stat(stat), Some(('S', 98_765)));
    }

    #[test]
    fn a_zombie_is_not_alive() {
        let mut child = Command::new("true").spawn().unwrap();
        let record = Record::of("child", child.id()).unwrap();
        // The child is not waited for, so it stays in the process table as a zombie.
        let deadline = std::time::Instant::now() + Duration::from_secs(10);
        while record.is_alive() {
            assert!(std::time::Instant::now() < deadline, "`true` never ends");
            thread::yield_now();
        }
        assert!(stat(format!("/proc/{}/stat", record.pid)).is_some());
        child.wait().unwrap();
    }

    #[test]
    fn a_process_is_alive_until_its_last_thread_has_ended() {
        let program = "import ctypes, threading, time
threading.Thread(target=time.sleep, args=(3600,)).start()
ctypes.CDLL(None).pthread_exit(None)";
        let mut child = Command::new("python3")
            .args(["-c", program])
            .spawn()
            .unwrap();
        let record = Record::of("child", child.id()).unwrap();
        let main = format!("/proc/{}/stat", record.pid);
        let deadline = std::time::Instant::now() + Duration::from_mins(1);
        while stat(&main).unwrap().0 != 'Z' {
            assert!(
                std::time::Instant::now() < deadline,
                "the main thread never ends"
            );
            thread::yield_now();
        }
        let was_alive = record.is_alive();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!((was_alive, record.is_alive()), (true, false));
    }

    #[test]
    fn a_reused_pid_is_another_process() {
        let me = Record::of("me", std::process::id()).unwrap();
        assert!(me.is_alive());
        let predecessor = Record {
            started: me.started - 1,
            ..me
        };
        assert!(!predecessor.is_alive());
        // The signal is not sent; it would end the test itself.
        predecessor.signal(Signal::SIGKILL).unwrap();
    }

    #[test]
    fn the_last_lines_are_indented() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("a.log");
        fs::write(&log, "one\ntwo\nthree\n").unwrap();
        assert_eq!(tail(&log, 2), "    two\n    three\n");
        assert_eq!(tail(&dir.path().join("none.log"), 2), "");
    }
}
