//! The staff tool as a process of its own.

mod batches;
mod directory;
mod errors;
mod imports;
mod members;
mod review;

use std::io::Write as _;
use std::process::Output;

use contracts::listings::v1 as proto;
use kit::rpc::staff::Role;
use serde_json::Value;
use sqlx::PgPool;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout};

use crate::support::{File, Service, creator, game, start};

/// The staff tool, which cargo builds as an example of this crate.
pub(crate) fn tool() -> std::process::Command {
    // The test runs as `…/deps/service-0123456789abcdef`.
    let test = std::env::current_exe().unwrap();
    let tool = test.ancestors().nth(2).unwrap().join("examples/staff");
    assert!(tool.exists(), "`cargo build -p listings -p features --example staff` makes the tool");
    std::process::Command::new(tool)
}

/// Runs the tool on a blocking thread, because the test's runtime runs the service.
pub(crate) async fn staff(address: &str, args: &[&str]) -> Output {
    let mut command = tool();
    command
        .args(args)
        .env("STAFF_TOKEN", testing::staff_token().expose())
        .env("STAFF_LISTINGS", address);
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

/// A file with this name, in a temporary folder that is removed when the `TempDir` is dropped.
pub(crate) fn file(name: &str, text: impl AsRef<[u8]>) -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

/// Runs the tool with this token and these lines as its input.
async fn staff_with(service: &Service, token: &str, args: &[&str], lines: &str) -> Ran {
    let mut command = tool();
    command
        .args(args)
        .env("STAFF_TOKEN", token)
        .env("STAFF_LISTINGS", &service.address)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let lines = lines.to_owned();
    let output = tokio::task::spawn_blocking(move || {
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // The tool may exit before it has read all lines.
        stdin.write_all(lines.as_bytes()).unwrap_or_default();
        drop(stdin);
        child.wait_with_output().unwrap()
    });
    Ran(output.await.unwrap())
}

#[derive(Debug)]
struct Ran(Output);

impl Ran {
    fn status(&self) -> i32 {
        self.0.status.code().unwrap()
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.stdout.clone()).unwrap()
    }

    fn complaint(&self) -> String {
        String::from_utf8(self.0.stderr.clone()).unwrap()
    }

    fn document(&self) -> Value {
        serde_json::from_slice(&self.0.stdout).unwrap_or_else(|_| unreachable!("{self:?}"))
    }
}

/// The tool as a running process.
struct Running {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    /// The output so far.
    text: String,
}

impl Running {
    fn start(command: std::process::Command) -> Self {
        let mut command = tokio::process::Command::from(command);
        let piped = std::process::Stdio::piped;
        command.stdin(piped()).stdout(piped()).stderr(piped());
        let mut child = command.kill_on_drop(true).spawn().unwrap();
        Self {
            stdin: child.stdin.take().unwrap(),
            stdout: BufReader::new(child.stdout.take().unwrap()),
            child,
            text: String::new(),
        }
    }

    async fn send(&mut self, lines: &str) {
        self.stdin.write_all(lines.as_bytes()).await.unwrap();
    }

    /// Waits until the output contains `part`.
    async fn wait_for(&mut self, part: &str) {
        while !self.text.contains(part) {
            let read = self.stdout.read_line(&mut self.text).await.unwrap();
            assert_ne!(read, 0, "{part}: {}", self.text);
        }
    }

    /// Waits until the process exits. Its input stays open until then.
    async fn end(mut self) -> Ran {
        self.stdout.read_to_string(&mut self.text).await.unwrap();
        drop(self.stdin);
        let mut output = self.child.wait_with_output().await.unwrap();
        output.stdout = self.text.into_bytes();
        Ran(output)
    }
}

/// A service with a page `studio`, and a reviewer's token.
async fn reviewed(pool: PgPool) -> (Service, String) {
    let service = start(pool).await;
    service.import(&File::rows("page", &[creator("studio")])).await;
    let token = service.add_member("ada", Role::Reviewer);
    (service, token)
}
