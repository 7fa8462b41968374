//! The activity of a new fleet, so that its boards and rates are not empty. The fleet's clock begins a month behind; a program reports and votes
//! through the services, and moves the clock to the present.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use crate::folder::Folder;
use crate::manifest::Manifest;
use crate::process;
use crate::say::say;
use crate::seed::Staff;

/// The program that reports and votes.
pub(crate) const PROGRAM: &str = "local-activity";
/// A month and an hour, in seconds: after the last report, the game may report again at once.
const BEHIND: u64 = 30 * 86_400 + 3_600;
/// The key of an account that may report.
const KEY: &str = "live_secret";

/// Sets the clock of a fleet that has no data yet a month back.
pub(crate) fn begin(folder: &Folder, manifest: &mut Manifest) -> Result<()> {
    manifest.memory.is_behind = true;
    set_clock(folder, &format!("-{BEHIND}"))
}

/// Reports and votes while the clock is behind; returns a sentence about what there is. Afterwards the clock is right, even if the program
/// failed.
pub(crate) fn create(
    staff: &Staff<'_>,
    catalogue: &str,
    manifest: &mut Manifest,
) -> Result<Option<String>> {
    if !manifest.memory.is_behind {
        return Ok(None);
    }
    say("Creating a month of reports and votes");
    let accounts = manifest.accounts.iter();
    let keys: Vec<&String> = accounts.filter_map(|one| one.keys.get(KEY)).collect();
    let keys = serde_json::to_string(&keys).context("cannot serialize the keys")?;
    let mut command = Command::new(staff.binaries.join(PROGRAM));
    command.env("ACTIVITY_FLEET_TOKEN", &manifest.fleet_token);
    command.args(["--api", &manifest.base_url, "--catalogue", catalogue]);
    command.args(["--clock-file", &manifest.clock_file]);
    let output = process::capture(&mut command, &keys, staff.signals)?;
    end(staff.folder, manifest)?;
    Ok(Some(if output.status.success() {
        format!("A month of activity: {}", output.stdout.trim())
    } else {
        format!("The month of activity is incomplete: {}", output.stderr.trim())
    }))
}

/// Sets the clock right.
pub(crate) fn end(folder: &Folder, manifest: &mut Manifest) -> Result<()> {
    set_clock(folder, "")?;
    manifest.memory.is_behind = false;
    manifest.save(folder)
}

fn set_clock(folder: &Folder, offset: &str) -> Result<()> {
    fs::write(folder.clock(), offset).context("cannot write the clock file")
}
