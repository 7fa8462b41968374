//! Ends children in order: those of this launcher, or those that a killed launcher has left.

use std::time::Duration;

use anyhow::Result;
use nix::sys::signal::Signal;

use crate::folder::Folder;
use crate::manifest::Run;
use crate::process::{self, Record};
use crate::say::say;
use crate::wait::Signals;

/// How long a service may take for its graceful shutdown: its drain time of 10 s, and some more.
const SERVICE_GRACE: Duration = Duration::from_secs(15);
const LAUNCHER_GRACE: Duration = Duration::from_secs(5);
const SERVER_GRACE: Duration = Duration::from_secs(30);

/// Ends the processes of a run: all services together, then Redis, then PostgreSQL.
pub(crate) fn in_order(run: &Run, signals: &Signals) -> Result<()> {
    let alive = |wanted: fn(&str) -> bool| -> Vec<Record> {
        run.children
            .iter()
            .filter(|record| wanted(&record.name) && record.is_alive())
            .cloned()
            .collect()
    };
    let services = alive(|name| name != "redis" && name != "postgres");
    process::end(
        &services,
        (Signal::SIGTERM, Signal::SIGKILL),
        SERVICE_GRACE,
        signals,
    )?;
    let redis = alive(|name| name == "redis");
    process::end(
        &redis,
        (Signal::SIGTERM, Signal::SIGKILL),
        SERVER_GRACE,
        signals,
    )?;
    // SIGINT is PostgreSQL's fast shutdown. SIGQUIT, its immediate shutdown, leaves recovery to the next start, but ends all processes.
    let postgres = alive(|name| name == "postgres");
    process::end(
        &postgres,
        (Signal::SIGINT, Signal::SIGQUIT),
        SERVER_GRACE,
        signals,
    )
}

/// Ends the processes that a killed launcher has left; returns whether there were any.
pub(crate) fn clean_up(folder: &Folder, signals: &Signals) -> Result<bool> {
    let Some(run) = Run::load(folder) else {
        Run::remove(folder)?;
        return Ok(false);
    };
    // The launcher may still be ending: its folder is unlocked, but its ports may still be in use.
    signals.until(LAUNCHER_GRACE, || {
        Ok((!run.launcher.is_alive()).then_some(()))
    })?;
    let left = run
        .children
        .iter()
        .filter(|record| record.is_alive())
        .count();
    if left > 0 {
        say(format!(
            "Cleaning up after a launcher that was killed: {left} of its processes still run"
        ));
        in_order(&run, signals)?;
    }
    Run::remove(folder)?;
    Ok(left > 0)
}
