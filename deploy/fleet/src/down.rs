//! `deploy/down`: stops a fleet.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::cargo;
use crate::folder::Folder;
use crate::lock;
use crate::manifest::{FleetState, Manifest};
use crate::say::say;
use crate::wait::Signals;

/// Longer than services, Redis and PostgreSQL may take together.
const STOP_LIMIT: Duration = Duration::from_mins(2);

/// How long a launcher may take to write its pid into the lock file.
const PID_LIMIT: Duration = Duration::from_secs(5);

/// Options of `down`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// State folder of the fleet [default: .fleet in the checkout]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Asks the launcher to stop and waits for it. After a launcher that was killed, waits for its children.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let signals = Signals::install()?;
    let folder = Folder::locate(args.dir.as_deref(), cargo::root().join(".fleet"))?;
    let was_running = lock::is_held(&folder)?;
    if was_running {
        stop_launcher(&folder, &signals)?;
    }
    let mut manifest = Manifest::load(&folder);
    if manifest.state != FleetState::Stopped {
        let Some(_lock) = lock::acquire(&folder, &signals)? else {
            bail!("another launcher has just started here: try again");
        };
        manifest.set_state(FleetState::Stopped, &folder)?;
        say("The launcher was killed, and all its processes have ended; data and keys are kept");
    } else if was_running {
        say("Stopped; data and keys are kept");
    } else {
        say("No fleet runs here");
    }
    Ok(ExitCode::SUCCESS)
}

fn stop_launcher(folder: &Folder, signals: &Signals) -> Result<()> {
    let signalled = signals.until(PID_LIMIT, || {
        if !lock::is_held(folder)? {
            return Ok(Some(None));
        }
        let Some(pid) = lock::launcher_pid(folder) else {
            return Ok(None);
        };
        match kill(Pid::from_raw(pid), Signal::SIGTERM) {
            Ok(()) => Ok(Some(Some(pid))),
            // The pid of an earlier launcher: the one that holds the lock has not written its own yet.
            Err(nix::Error::ESRCH) => Ok(None),
            Err(error) => {
                Err(error).with_context(|| format!("cannot stop the launcher (pid {pid})"))
            }
        }
    })?;
    let signalled = signalled.context(
        "a launcher has locked this folder but has not written its pid: stop it with Ctrl-C",
    )?;
    let Some(pid) = signalled else {
        return Ok(());
    };
    say(format!("Stopping the fleet (pid {pid})"));
    let stopped = signals.until(STOP_LIMIT, || Ok((!lock::is_held(folder)?).then_some(())))?;
    stopped.with_context(|| {
        format!(
            "the launcher (pid {pid}) does not end: see {} for what it waits for",
            folder.command("status")
        )
    })
}
