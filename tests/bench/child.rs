//! Processes that a benchmark starts. They end with the benchmark.

use std::process::Stdio;

use e2e::{Process, eventually};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

/// Starts this program with `args`, and waits until it listens at `address`.
pub(crate) async fn own(args: &[&str], address: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(args).stdin(Stdio::null()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    eventually("what was started listens", async || {
        let ended = child.try_wait().unwrap();
        assert!(ended.is_none(), "{args:?} ended: {ended:?}");
        TcpStream::connect(address).await.ok().map(drop)
    })
    .await;
    child
}

/// A child under its name in the table of figures.
pub(crate) fn process(name: &str, child: &Child) -> Process {
    Process::new(name, child.id().unwrap().try_into().unwrap())
}

/// An address on which nobody listened a moment ago.
pub(crate) fn free_address() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}
