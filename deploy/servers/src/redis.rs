//! The server of Redis.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use nix::sys::signal::Signal;

use crate::{ServerUser, find};

/// A command that runs a server on 127.0.0.1 with its data in `folder`, and with further settings, a line each.
///
/// The settings are in a file, because everyone can read the arguments of a process. With `parent_death_signal`, the kernel ends the server
/// with the thread that has started it.
///
/// # Errors
/// Redis is missing, or cannot use the folder.
pub fn server(
    user: &ServerUser,
    parent_death_signal: Option<Signal>,
    folder: &Path,
    settings: &str,
) -> Result<Command> {
    let program = find("redis-server").context("redis-server is missing")?;
    let dir = folder
        .to_str()
        .filter(|dir| !dir.contains(['"', '\\', '\n']))
        .with_context(|| {
            format!(
                "Redis cannot use the folder {}: choose one without quotes and backslashes with --dir",
                folder.display()
            )
        })?;
    // Next to the data, so that the server starts again when they are lost.
    let file = folder.with_added_extension("conf");
    fs::write(&file, format!("bind 127.0.0.1\ndir \"{dir}\"\nsave \"\"\n{settings}\n"))
        .with_context(|| format!("cannot write {}", file.display()))?;
    user.give(&file, 0o600)?;
    let mut command = user.command(&program, parent_death_signal);
    command.arg(file);
    Ok(command)
}
