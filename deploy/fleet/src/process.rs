//! Starting, recording and ending processes.
//!
//! Each child is in a process group of its own, so that Ctrl-C reaches the launcher alone and it can end the others in
//! order, and is started through `setpriv`, which drops root where asked and lets the kernel end the child should the
//! launcher be killed. Each is recorded with its start time: a number that came round again is never taken for ours.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::{Pid, User, geteuid};
use serde::{Deserialize, Serialize};

use crate::say::say;
use crate::wait::{Interrupted, Signals};

/// What a long-lived child is.
#[derive(Clone, Debug)]
pub(crate) struct Spec {
    /// Unique in the fleet: `catalogue-svc`, `catalogue-svc-2`, `postgres`.
    pub(crate) name: String,
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    pub(crate) env: Vec<(String, String)>,
    /// Fed to the child's standard input: secrets that must not stand in the process list.
    pub(crate) input: String,
    /// The user to run as, when that is not the caller.
    pub(crate) user: Option<Account>,
    /// The signal that ends it gracefully.
    pub(crate) stop: Signal,
    pub(crate) log: PathBuf,
}

/// A user of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) name: String,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

impl Account {
    /// Who runs PostgreSQL and Redis when root calls: PostgreSQL refuses root, and Redis needs none of its powers.
    pub(crate) fn unprivileged() -> Result<Option<Self>> {
        if !geteuid().is_root() {
            return Ok(None);
        }
        for name in ["postgres", "nobody"] {
            if let Some(user) =
                User::from_name(name).context("the users of this machine cannot be read")?
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
            "PostgreSQL refuses to run as root: make a user `postgres`, or run this as an ordinary user"
        ))
    }
}

/// What lets a later launcher recognise a process that this one started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) name: String,
    pub(crate) pid: i32,
    /// In clock ticks since the machine started (field 22 of `/proc/PID/stat`).
    pub(crate) started: u64,
}

impl Record {
    pub(crate) fn of(name: &str, pid: u32) -> Result<Self> {
        let pid = i32::try_from(pid).context("process number out of range")?;
        // A child that has ended is still there until it is waited for.
        let (_, started) = look_up(pid).with_context(|| format!("{name} left no trace"))?;
        Ok(Self {
            name: name.to_owned(),
            pid,
            started,
        })
    }

    /// Whether that very process still runs.
    pub(crate) fn is_alive(&self) -> bool {
        look_up(self.pid)
            .is_some_and(|(state, started)| started == self.started && !matches!(state, 'Z' | 'X'))
    }

    /// Sends a signal, unless the process is gone.
    pub(crate) fn signal(&self, signal: Signal) -> Result<()> {
        if !self.is_alive() {
            return Ok(());
        }
        match kill(Pid::from_raw(self.pid), signal) {
            Ok(()) | Err(nix::Error::ESRCH) => Ok(()),
            Err(error) => Err(error)
                .with_context(|| format!("{} (pid {}) cannot be ended", self.name, self.pid)),
        }
    }
}

/// State and start time of a process.
fn look_up(pid: i32) -> Option<(char, u64)> {
    parse_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Fields 3 and 22 of a stat line; the name in field 2 may itself hold spaces and brackets.
fn parse_stat(stat: &str) -> Option<(char, u64)> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, fields.nth(18)?.parse().ok()?))
}

/// Starts a long-lived child with its output appended to its log.
pub(crate) fn spawn(spec: &Spec) -> Result<Child> {
    let log = log_file(&spec.log)?;
    let errors = log.try_clone().context("a log cannot be opened twice")?;
    let mut command = wrapped(&spec.program, spec.user.as_ref(), Some(spec.stop));
    command
        .args(&spec.args)
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .process_group(0)
        .stdin(if spec.input.is_empty() {
            Stdio::null()
        } else {
            Stdio::piped()
        })
        .stdout(log)
        .stderr(errors);
    let mut child = command
        .spawn()
        .with_context(|| format!("{} cannot be started", spec.program.display()))?;
    if let Some(mut input) = child.stdin.take() {
        input
            .write_all(spec.input.as_bytes())
            .with_context(|| format!("{} does not take its settings", spec.name))?;
    }
    Ok(child)
}

/// `program` behind setpriv: as `user`, and ended by the kernel with `death` when the launcher dies.
pub(crate) fn wrapped(program: &Path, user: Option<&Account>, death: Option<Signal>) -> Command {
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
    if let Some(death) = death {
        command.args(["--pdeathsig", death.as_str().trim_start_matches("SIG")]);
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
        .with_context(|| format!("{} cannot be opened", path.display()))
}

/// The last lines of a child's log, indented for the terminal.
pub(crate) fn last_lines(log: &Path, count: usize) -> String {
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

/// Ends processes together: by their gentle signal, then by the hard one those that outlive `limit`, or all when the user
/// insists with another Ctrl-C.
pub(crate) fn end(
    records: &[Record],
    (gentle, hard): (Signal, Signal),
    limit: Duration,
    signals: &Signals,
) -> Result<()> {
    for record in records {
        record.signal(gentle)?;
    }
    let gone = signals.until(limit, || {
        Ok(records
            .iter()
            .all(|record| !record.is_alive())
            .then_some(()))
    });
    if let Ok(Some(())) = gone {
        return Ok(());
    }
    for record in records.iter().filter(|record| record.is_alive()) {
        say(format!(
            "  {} (pid {}) does not end by itself; killed",
            record.name, record.pid
        ));
        record.signal(hard)?;
    }
    signals.until(Duration::from_secs(10), || {
        Ok(records
            .iter()
            .all(|record| !record.is_alive())
            .then_some(()))
    })?;
    Ok(())
}

/// What a finished command said.
pub(crate) struct Output {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs a command to its end with the terminal as its output.
pub(crate) fn run(command: &mut Command, signals: &Signals) -> Result<ExitStatus> {
    let mut child = start(command)?;
    finish(&mut child, signals)
}

/// Runs a command to its end, with `input` for it to read, and takes what it prints.
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
        // A command that ends without reading all of it says why by its status.
        stdin.map(|mut stdin| stdin.write_all(input.as_bytes()))
    });
    let (out, err) = (
        thread::spawn(move || read(stdout)),
        thread::spawn(move || read(stderr)),
    );
    let status = finish(&mut child, signals)?;
    let texts = (out.join(), err.join(), writer.join());
    let (Ok(stdout), Ok(stderr), Ok(_)) = texts else {
        return Err(anyhow!("the output of {} cannot be read", name_of(command)));
    };
    Ok(Output {
        status,
        stdout,
        stderr,
    })
}

/// Runs a command to its end and hands over each line of its standard output as it comes.
pub(crate) fn stream(
    command: &mut Command,
    signals: &Signals,
    mut each: impl FnMut(&str) + Send,
) -> Result<ExitStatus> {
    let mut child = start(command.stdout(Stdio::piped()))?;
    let stdout = child.stdout.take();
    thread::scope(|scope| {
        scope.spawn(move || {
            if let Some(stdout) = stdout {
                for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
                    each(String::from_utf8_lossy(&line).trim_end_matches('\r'));
                }
            }
        });
        finish(&mut child, signals)
    })
}

fn start(command: &mut Command) -> Result<Child> {
    command
        .process_group(0)
        .spawn()
        .with_context(|| format!("{} cannot be started", name_of(command)))
}

fn name_of(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

/// Waits for a child; a stop signal ends its whole group first.
fn finish(child: &mut Child, signals: &Signals) -> Result<ExitStatus> {
    let month = Duration::from_hours(30 * 24);
    let waited = signals.until(month, || {
        child.try_wait().context("a child cannot be waited for")
    });
    match waited {
        Ok(Some(status)) => Ok(status),
        Ok(None) => Err(anyhow!("a command ran for a month")),
        Err(error) => {
            let group =
                Pid::from_raw(i32::try_from(child.id()).context("process number out of range")?);
            match killpg(group, Signal::SIGTERM) {
                Ok(()) | Err(nix::Error::ESRCH) => {}
                Err(other) => return Err(other).context("a command cannot be ended"),
            }
            child.wait().context("a child cannot be waited for")?;
            debug_assert!(
                error.is::<Interrupted>(),
                "only a signal ends this wait early"
            );
            Err(error)
        }
    }
}

fn read(source: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut source) = source {
        // What was read before an error is the best there is to show.
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
    fn remains_are_not_alive() {
        let mut child = Command::new("true").spawn().unwrap();
        let record = Record::of("child", child.id()).unwrap();
        // Not waited for, so its remains stay in the table.
        let deadline = std::time::Instant::now() + Duration::from_secs(10);
        while record.is_alive() {
            assert!(std::time::Instant::now() < deadline, "`true` never ends");
            thread::yield_now();
        }
        assert!(look_up(record.pid).is_some());
        child.wait().unwrap();
    }

    #[test]
    fn a_number_that_came_round_again_is_another_process() {
        let me = Record::of("me", std::process::id()).unwrap();
        assert!(me.is_alive());
        let predecessor = Record {
            started: me.started - 1,
            ..me
        };
        assert!(!predecessor.is_alive());
        // And so it is left alone: this would end the test itself.
        predecessor.signal(Signal::SIGKILL).unwrap();
    }

    #[test]
    fn the_last_lines_are_indented() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("a.log");
        fs::write(&log, "one\ntwo\nthree\n").unwrap();
        assert_eq!(last_lines(&log, 2), "    two\n    three\n");
        assert_eq!(last_lines(&dir.path().join("none.log"), 2), "");
    }
}
