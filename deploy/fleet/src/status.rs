//! `deploy/status`: shows the processes, and the conditions that they wait for.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::cargo;
use crate::folder::Folder;
use crate::lock;
use crate::manifest::{FleetState, Manifest, replica_name};
use crate::ready;
use crate::say::say;

/// Options of `status`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// State folder of the fleet [default: .fleet in the checkout]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Report {
    state: FleetState,
    base_url: String,
    /// PostgreSQL and Redis, where the launcher started them.
    servers: Vec<Server>,
    services: Vec<Service>,
}

#[derive(Debug, Serialize)]
struct Server {
    name: String,
    pid: Option<u32>,
    alive: bool,
}

#[derive(Debug, Serialize)]
struct Service {
    name: String,
    replica: u16,
    pid: Option<u32>,
    /// The address for other services and for staff.
    grpc: String,
    /// The public address, which only the gateway has.
    #[serde(skip_serializing_if = "Option::is_none")]
    http: Option<String>,
    ready: bool,
    /// The conditions that are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<String>,
}

/// Prints the processes. The exit status is 0 when a fleet runs here and all of it is ready.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let folder = Folder::locate(args.dir.as_deref(), cargo::root().join(".fleet"))?;
    let report = report(&folder)?;
    if args.json {
        say(serde_json::to_string_pretty(&report).context("cannot serialize the report")?);
    } else {
        print(&report, &folder);
    }
    let all_ready = report.state == FleetState::Running
        && report.services.iter().all(|service| service.ready)
        && report.servers.iter().all(|server| server.alive);
    Ok(if all_ready {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn report(folder: &Folder) -> Result<Report> {
    let mut manifest = Manifest::load(folder);
    if !lock::is_held(folder)? {
        // After a launcher that was killed, too.
        manifest.state = FleetState::Stopped;
        manifest.servers.clear();
        manifest.services.clear();
    } else if manifest.state == FleetState::Stopped {
        manifest.state = FleetState::Starting;
    }
    let servers = manifest.servers.into_iter().map(|server| Server {
        name: server.name,
        pid: server.pid,
        alive: server.pid.is_some(),
    });
    let services = manifest.services.into_iter().map(|service| {
        let ready = ready::ready_at(&service.ready);
        Service {
            name: service.name,
            replica: service.replica,
            pid: service.pid,
            grpc: service.grpc,
            http: service.http,
            ready: ready.is_ok(),
            missing: ready.err(),
        }
    });
    Ok(Report {
        state: manifest.state,
        base_url: manifest.base_url,
        servers: servers.collect(),
        services: services.collect(),
    })
}

fn print(report: &Report, folder: &Folder) {
    match report.state {
        FleetState::Stopped => {
            let up = folder.command("up");
            return say(format!("No fleet runs here; {up} starts one"));
        }
        FleetState::Starting => say("The fleet is starting"),
        FleetState::Running => say(format!("The fleet is running at {}", report.base_url)),
    }
    for server in &report.servers {
        let health = if server.alive { "runs" } else { "is down" };
        let pid = shown_pid(server.pid);
        say(format!("  {:<16} pid {pid:<8} {health}", server.name));
    }
    for service in &report.services {
        let name = replica_name(&service.name, service.replica);
        let pid = shown_pid(service.pid);
        let health = service.missing.as_deref().unwrap_or("ready");
        let public = service.http.as_ref();
        let public = public.map_or_else(String::new, |http| format!(", public at {http}"));
        say(format!(
            "  {name:<16} pid {pid:<8} {:<23} {health}{public}",
            service.grpc
        ));
    }
}

fn shown_pid(pid: Option<u32>) -> String {
    pid.map_or_else(|| "-".to_owned(), |pid| pid.to_string())
}
