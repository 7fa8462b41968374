//! `deploy/status`: shows the processes, and the conditions that they wait for.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};

use crate::cargo;
use crate::folder::Folder;
use crate::lock;
use crate::manifest::{FleetState, Manifest};
use crate::ready::ready_at;

/// Options of `status`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// State folder of the fleet [default: .fleet in the checkout]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// The exit status of a program that SIGPIPE ends, as shells report it.
const BROKEN_PIPE: u8 = 141;

/// Prints the processes. The exit status is 0 when a fleet runs here and all of it is ready.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let (lines, status) = status(args)?;
    match writeln!(io::stdout(), "{}", lines.join("\n")) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::from(BROKEN_PIPE)),
        written => written.map(|()| status).context("cannot write the status"),
    }
}

/// The lines of the answer, and the exit status.
fn status(args: &Args) -> Result<(Vec<String>, ExitCode)> {
    let folder = Folder::locate(args.dir.as_deref(), cargo::root().join(".fleet"))?;
    // A launcher that was killed holds no lock, and has left its last description.
    if !lock::is_held(&folder)? {
        let up = folder.command("up");
        return Ok((vec![format!("No fleet runs here; {up} starts one")], ExitCode::FAILURE));
    }
    let manifest = Manifest::load(&folder);
    let mut all_ready = manifest.state == FleetState::Running;
    let mut lines = vec![if all_ready {
        format!("The fleet is running at {}", manifest.base_url)
    } else {
        "The fleet is starting".to_owned()
    }];
    for server in &manifest.servers {
        all_ready &= server.pid.is_some();
        let health = server.pid.map_or("is down", |_| "runs");
        let pid = shown_pid(server.pid);
        lines.push(format!("  {:<16} pid {pid:<8} {health}", server.name));
    }
    for service in &manifest.services {
        let health = ready_at(&service.ready);
        all_ready &= health.is_ok();
        let health = health.err().unwrap_or_else(|| "ready".to_owned());
        let (name, pid) = (service.full_name(), shown_pid(service.pid));
        let public = service.http.as_ref();
        let public = public.map_or_else(String::new, |http| format!(", public at {http}"));
        lines.push(format!("  {name:<16} pid {pid:<8} {:<23} {health}{public}", service.grpc));
    }
    Ok((lines, if all_ready { ExitCode::SUCCESS } else { ExitCode::FAILURE }))
}

fn shown_pid(pid: Option<u32>) -> String {
    pid.map_or_else(|| "-".to_owned(), |pid| pid.to_string())
}
