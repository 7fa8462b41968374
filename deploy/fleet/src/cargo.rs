//! Calling cargo in the project's folder.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process;
use crate::wait::Signals;

/// How the services are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Quick to compile; what the tests use as well.
    Dev,
    /// Quick to run.
    Release,
}

impl Profile {
    /// Cargo's name of the folder.
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

/// A cargo command in the project's folder, wherever the user is.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(root()).args(args);
    // As .cargo/config.toml has it, whatever the user's shell says.
    command.env("SQLX_OFFLINE", "true");
    // `cargo run` describes the launcher to it by these. The build script of `ring` reads them, so that `ring` and all that depends on
    // it would be compiled again whenever the launcher and the user call cargo in turn.
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&*name);
        }
    }
    command
}

/// Runs cargo to its end; its own output says what was wrong.
pub(crate) fn run(args: &[&str], signals: &Signals) -> Result<bool> {
    Ok(process::run(&mut command(args), signals)?.success())
}

/// Compiles the services and the staff tool.
pub(crate) fn build(profile: Profile, binaries: &[&str], signals: &Signals) -> Result<()> {
    // All members are named, so that their dependencies have the features they have in every other build.
    let mut args = vec!["build", "--workspace"];
    args.extend(binaries.iter().flat_map(|binary| ["--bin", binary]));
    if profile == Profile::Release {
        args.push("--release");
    }
    if !run(&args, signals)? {
        bail!("the services do not compile: cargo's errors are above");
    }
    Ok(())
}

/// What to tell cargo for the targets of one crate that are of these kinds, without binaries that have no tests. `e2e`, whose other targets are left out, goes with it: so
/// the dependencies have the features of every other build, and are not compiled again.
pub(crate) fn targets(package: &str, kinds: &[&str], signals: &Signals) -> Result<Vec<String>> {
    let metadata = metadata(signals)?;
    let packages = metadata.get("packages").and_then(Value::as_array);
    let found = packages
        .into_iter()
        .flatten()
        .find(|known| known.get("name").and_then(Value::as_str) == Some(package));
    let Some(found) = found else {
        bail!(
            "no crate is called {package}: Cargo.toml lists the folders, each Cargo.toml has a name"
        );
    };
    let mut args: Vec<String> = ["-p", package, "-p", "e2e"].map(str::to_owned).into();
    let targets = found.get("targets").and_then(Value::as_array);
    for target in targets.into_iter().flatten() {
        let name = target.get("name").and_then(Value::as_str);
        let kind = target.pointer("/kind/0").and_then(Value::as_str);
        if let (Some(name), Some(kind)) = (name, kind)
            && kinds.contains(&kind)
            && (target.get("test") != Some(&Value::Bool(false)) || kind == "example")
        {
            match kind {
                "lib" => args.push("--lib".to_owned()),
                "bin" | "test" | "example" => {
                    args.extend([format!("--{kind}"), name.to_owned()]);
                }
                _ => {}
            }
        }
    }
    Ok(args)
}

/// Where cargo puts the binaries of a profile; a user may have moved the target folder.
pub(crate) fn binaries(profile: Profile, signals: &Signals) -> Result<PathBuf> {
    let metadata = metadata(signals)?;
    let target = metadata
        .get("target_directory")
        .and_then(Value::as_str)
        .context("cargo names no target folder")?;
    Ok(Path::new(target).join(profile.folder()))
}

/// What cargo knows of the workspace.
fn metadata(signals: &Signals) -> Result<Value> {
    let mut metadata = command(&[
        "metadata",
        "--format-version",
        "1",
        "--no-deps",
        "--offline",
    ]);
    let output = process::capture(&mut metadata, "", signals)?;
    serde_json::from_str(&output.stdout).context("cargo metadata cannot be read")
}
