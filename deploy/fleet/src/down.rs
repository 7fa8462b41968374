//! `deploy/down`: stops a fleet, from anywhere.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use nix::sys::signal::Signal;

use crate::cargo;
use crate::folder::Folder;
use crate::manifest::{Manifest, Run, State};
use crate::say::say;
use crate::stop;
use crate::wait::Signals;

/// Longer than services, Redis and PostgreSQL may take one after the other.
const LIMIT: Duration = Duration::from_mins(2);

/// How long a launcher may take to note itself in its folder.
const NOTED: Duration = Duration::from_secs(5);

/// Options of `down`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// State folder of the fleet [default: .fleet in the checkout]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Asks the launcher to stop and waits until it has; cleans up after one that was killed.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let signals = Signals::install()?;
    let folder = Folder::locate(args.dir.as_deref(), cargo::root().join(".fleet"))?;
    if folder.is_busy()? {
        stop_launcher(&folder, &signals)?;
        if !folder.run().exists() {
            say("Stopped; data and keys are kept");
            return Ok(ExitCode::SUCCESS);
        }
        // It was killed before it was done: what is left is cleaned up below.
    }
    if !folder.run().exists() {
        say("No fleet runs here");
        return Ok(ExitCode::SUCCESS);
    }
    let Some(_lock) = folder.lock()? else {
        bail!("a launcher has just started here: try again");
    };
    if !stop::clean_up(&folder, &signals)? {
        say("No fleet runs here; what a killed launcher had noted is cleared");
    }
    let mut manifest = Manifest::load(&folder);
    manifest.state = State::Stopped;
    manifest.services.clear();
    manifest.save(&folder)?;
    Ok(ExitCode::SUCCESS)
}

fn stop_launcher(folder: &Folder, signals: &Signals) -> Result<()> {
    // One that has just begun is not noted yet; one that was just killed may hold the folder for a moment longer.
    let found = signals.until(NOTED, || {
        let run = Run::load(folder).filter(|run| run.launcher.is_alive());
        Ok(if folder.is_busy()? {
            run.map(Some)
        } else {
            Some(None)
        })
    })?;
    let found = found
        .context("a launcher holds this folder and does not say which: stop it with Ctrl-C")?;
    let Some(Run { launcher, .. }) = found else {
        return Ok(());
    };
    say(format!("Stopping the fleet (pid {})", launcher.pid));
    launcher.signal(Signal::SIGTERM)?;
    let gone = signals.until(LIMIT, || Ok((!folder.is_busy()?).then_some(())))?;
    gone.with_context(|| {
        format!(
            "the launcher (pid {}) does not end: look at it with deploy/status",
            launcher.pid
        )
    })
}
