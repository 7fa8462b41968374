//! Runs cargo in the workspace.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process;
use crate::wait::Signals;
use anyhow::{Context, Result, bail};

/// How the services are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Fast to compile. The tests use it as well.
    Dev,
    /// Fast to run.
    Release,
}

impl Profile {
    /// The folder in the target folder.
    fn folder(self) -> &'static str {
        match self {
            Self::Dev => "debug",
            Self::Release => "release",
        }
    }
}

/// The folder with the workspace's Cargo.toml.
pub(crate) fn root() -> PathBuf {
    let fleet = Path::new(env!("CARGO_MANIFEST_DIR"));
    fleet.ancestors().nth(2).unwrap_or(fleet).to_owned()
}

/// A cargo command in the workspace, from any current directory.
fn command(args: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(root()).args(args);
    // As in .cargo/config.toml, even if the environment of the user differs.
    command.env("SQLX_OFFLINE", "true");
    // `cargo run` sets these variables for the launcher. The build script of `ring` depends on them: `ring` and its dependents would be
    // compiled again whenever the launcher and the user run cargo in turn.
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&*name);
        }
    }
    command
}

/// Compiles the services and the staff tool.
pub(crate) fn build(profile: Profile, binaries: &[&str], signals: &Signals) -> Result<()> {
    // The whole workspace, so that dependencies have the same features as in other builds.
    let mut args = vec!["build", "--workspace"];
    args.extend(binaries.iter().flat_map(|binary| ["--bin", binary]));
    if profile == Profile::Release {
        args.push("--release");
    }
    if !process::run(&mut command(&args), signals)?.success() {
        bail!("the services do not compile: the errors of cargo are above");
    }
    Ok(())
}

/// The folder of the binaries of a profile, next to that of the launcher. The user may have configured another target folder.
pub(crate) fn binaries(profile: Profile) -> Result<PathBuf> {
    let launcher = env::current_exe().context("cannot find the path of the launcher")?;
    let target = launcher.ancestors().nth(2);
    let target = target.context("the launcher is in no target folder")?;
    Ok(target.join(profile.folder()))
}
