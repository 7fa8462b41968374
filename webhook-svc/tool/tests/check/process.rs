//! Receivers as processes in folders of their own, which the check can restart.

use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

pub(crate) const SECRET: &str = "svc_whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
/// [`SECRET`], and the new secret of a rotation.
pub(crate) const SECRETS: &str = "svc_whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8= \
                                  svc_whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";
/// The limit in seconds for an immediate response, generous enough for a slow machine.
pub(crate) const AT_ONCE: &str = "120";
/// A timeout that only a hanging test reaches.
const PATIENCE: Duration = Duration::from_mins(3);

/// A running receiver, which is killed on drop.
pub(crate) struct Receiver {
    folder: TempDir,
    port: u16,
    /// A command that prints how often the work of a message was done.
    handled: String,
}

/// Starts a receiver of the examples with this command. The receiver prints a line for each message that it has processed.
pub(crate) fn start_example(command: &str) -> Receiver {
    Receiver::start(&format!("env SERVICE_WEBHOOK_SECRET='{SECRETS}' PORT=%PORT% {command}"))
}

/// The output and exit status of `webhook check`.
pub(crate) struct Checked {
    pub(crate) text: String,
    pub(crate) status: i32,
}

/// A free port that no other receiver of these tests has had. It is outside the ephemeral range: while its receiver restarts, no outgoing connection
/// can take the port.
fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let place = std::process::id().wrapping_mul(97).wrapping_add(next) % 10_000;
        let port = 10_000 + u16::try_from(place).unwrap();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// A temporary folder in memory if possible: a receiver writes each message to disk before it responds, which takes seconds on a busy disk.
fn folder() -> TempDir {
    let in_memory = tempfile::tempdir_in("/dev/shm");
    in_memory.or_else(|_| tempfile::tempdir()).unwrap()
}

/// Whether a server responds. A listening socket is no proof: a child process that another test has forked holds the listener of [`free_port`] until
/// it calls `exec`.
fn answers(port: u16) -> bool {
    let ask = || {
        let mut server = TcpStream::connect(("127.0.0.1", port))?;
        server.set_read_timeout(Some(PATIENCE))?;
        server.write_all(b"GET / HTTP/1.0\r\n\r\n")?;
        server.read(&mut [0])
    };
    matches!(ask(), Ok(1))
}

/// A file of the crate's examples.
pub(crate) fn example(name: &str) -> PathBuf {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_folder.join("examples").join(name)
}

/// Builds a receiver in Go. `false` on a machine without Go.
pub(crate) fn build_go(file: &Path, program: &Path) -> bool {
    let mut build = Command::new("go");
    build.args(["build", "-o"]).arg(program).arg(file);
    let Ok(built) = build.env("GO111MODULE", "off").output() else {
        return false;
    };
    let problems = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{problems}");
    true
}

impl Receiver {
    /// Starts `program`, after replacing `%PORT%` with the port.
    fn start(program: &str) -> Self {
        let folder = folder();
        let port = free_port();
        let program = program.replace("%PORT%", &port.to_string());
        // A killed process holds the port and the store until its last thread has ended, which may be after its main thread.
        let script = format!(
            "cd {}\n\
             if [ -e pid ]; then\n\
             kill -9 $(cat pid)\n\
             while grep -qs 'State:.[^ZX]' /proc/$(cat pid)/task/*/status; do sleep 0.05; done\n\
             fi\n\
             {program} >> log 2>&1 < /dev/null &\n\
             echo $! > pid\n",
            folder.path().display()
        );
        fs::write(folder.path().join("restart"), script).unwrap();
        let handled =
            format!("grep -c \"handled $WEBHOOK_ID \" {}", folder.path().join("log").display());
        let receiver = Self { folder, port, handled };
        let started = Command::new("sh").arg(receiver.file("restart")).status().unwrap();
        assert!(started.success());
        receiver.wait();
        receiver
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn wait(&self) {
        let begun = Instant::now();
        while !answers(self.port) {
            let log = fs::read_to_string(self.file("log")).unwrap_or_default();
            assert!(begun.elapsed() < PATIENCE, "the receiver does not start: {log}");
            sleep(Duration::from_millis(20));
        }
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.file("log")).unwrap()
    }

    pub(crate) fn answers(&self) -> bool {
        answers(self.port)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/in", self.port)
    }

    /// The head of the response to an unsigned message with this `Content-Encoding`, in lower case.
    pub(crate) fn answer_to_coding(&self, coding: &str) -> String {
        let mut server = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        server.set_read_timeout(Some(PATIENCE)).unwrap();
        let request = format!(
            "POST /in HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Encoding: {coding}\r\nContent-Length: 2\r\n\r\n{{}}"
        );
        server.write_all(request.as_bytes()).unwrap();
        let mut response = Vec::new();
        server.read_to_end(&mut response).unwrap();
        String::from_utf8(response).unwrap().to_lowercase()
    }

    /// Whether the receiver responds or closes the connection before most of a long body has arrived.
    pub(crate) fn refuses_a_long_body(&self) -> bool {
        let mut server = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        server.set_read_timeout(Some(PATIENCE)).unwrap();
        server.set_write_timeout(Some(PATIENCE)).unwrap();
        let head = "POST /in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n";
        server.write_all(head.as_bytes()).unwrap();
        // The receiver may already have closed the connection.
        server.write_all(&vec![b' '; 1 << 20]).ok();
        match server.read_exact(&mut [0]) {
            Ok(()) => true,
            Err(error) => {
                matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset)
            }
        }
    }

    /// The command that restarts the receiver.
    pub(crate) fn restart(&self) -> String {
        format!("sh {}", self.file("restart").display())
    }

    pub(crate) fn handled(&self) -> &str {
        &self.handled
    }

    /// Runs the check with every option.
    pub(crate) fn check(&self) -> Checked {
        self.check_within(AT_ONCE, "60")
    }

    /// Runs the check with other limits, in seconds.
    pub(crate) fn check_within(&self, at_once: &str, patience: &str) -> Checked {
        let restart = self.restart();
        check(
            &self.url(),
            &[
                "--at-once",
                at_once,
                "--patience",
                patience,
                "--restart",
                &restart,
                "--handled",
                &self.handled,
            ],
        )
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let pid = fs::read_to_string(self.file("pid")).unwrap();
        Command::new("kill").args(["-9", pid.trim()]).status().unwrap();
    }
}

/// The path of the binary under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_webhook");

pub(crate) fn check(url: &str, options: &[&str]) -> Checked {
    let Output { status, stdout, stderr } = Command::new(PROGRAM)
        .args(["check", url, "--secret", SECRETS])
        .args(options)
        .output()
        .unwrap();
    let text = [stdout, stderr].concat();
    Checked { text: String::from_utf8(text).unwrap(), status: status.code().unwrap() }
}

/// Repeats the check while rule five cannot be observed: on a busy machine the work may be done before the check looks.
pub(crate) fn until_order_is_seen(check: impl Fn() -> Checked) -> Checked {
    let mut checked = check();
    for _ in 0..10 {
        if !checked.rules("not checked").contains(&5) {
            break;
        }
        checked = check();
    }
    checked
}

impl Checked {
    /// The numbers of the rules with this verdict.
    pub(crate) fn rules(&self, verdict: &str) -> Vec<u8> {
        let number = |line: &str| {
            let (number, rest) = line.split_once("  ")?;
            rest.starts_with(verdict).then(|| number.parse().ok())?
        };
        self.text.lines().filter_map(number).collect()
    }
}
