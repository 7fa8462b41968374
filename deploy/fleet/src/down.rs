//! `deploy/down`: stops a fleet.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use nix::sys::signal::Signal;

use crate::cargo;
use crate::folder::Folder;
use crate::manifest::{FleetState, Manifest, Run};
use crate::say::say;
use crate::stop;
use crate::wait::Signals;

/// Longer than services, Redis and PostgreSQL may take together.
const STOP_LIMIT: Duration = Duration::from_mins(2);

/// How long a launcher may take to record itself in its folder.
const RECORD_LIMIT: Duration = Duration::from_secs(5);

/// Options of `down`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// State folder of the fleet [default: .fleet in the checkout]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Asks the launcher to stop and waits for it. Cleans up after a launcher that was killed.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let signals = Signals::install()?;
    let folder = Folder::locate(args.dir.as_deref(), cargo::root().join(".fleet"))?;
    if folder.is_busy()? {
        stop_launcher(&folder, &signals)?;
        if !folder.run().exists() {
            say("Stopped; data and keys are kept");
            return Ok(ExitCode::SUCCESS);
        }
        // The launcher was killed before it had finished. The code below cleans up.
    }
    if !folder.run().exists() {
        say("No fleet runs here");
        return Ok(ExitCode::SUCCESS);
    }
    let Some(_lock) = folder.lock()? else {
        bail!("another launcher has just started here: try again");
    };
    if !stop::clean_up(&folder, &signals)? {
        say("No fleet runs here; removed the record of a killed launcher");
    }
    let mut manifest = Manifest::load(&folder);
    manifest.state = FleetState::Stopped;
    manifest.services.clear();
    manifest.save(&folder)?;
    Ok(ExitCode::SUCCESS)
}

fn stop_launcher(folder: &Folder, signals: &Signals) -> Result<()> {
    // A launcher that has just started is not recorded yet. A launcher that was just killed may hold the lock for a moment.
    let found = signals.until(RECORD_LIMIT, || {
        let run = Run::load(folder).filter(|run| run.launcher.is_alive());
        Ok(if folder.is_busy()? {
            run.map(Some)
        } else {
            Some(None)
        })
    })?;
    let found = found.context(
        "a launcher has locked this folder but has not recorded its pid: stop it with Ctrl-C",
    )?;
    let Some(Run { launcher, .. }) = found else {
        return Ok(());
    };
    say(format!("Stopping the fleet (pid {})", launcher.pid));
    launcher.signal(Signal::SIGTERM)?;
    let stopped = signals.until(STOP_LIMIT, || Ok((!folder.is_busy()?).then_some(())))?;
    stopped.with_context(|| {
        format!(
            "the launcher (pid {}) does not end: see {} for what it waits for",
            launcher.pid,
            folder.command("status")
        )
    })
}
