//! Runs cargo in the workspace.

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
pub(crate) fn command(args: &[&str]) -> Command {
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

/// Runs cargo; returns whether it succeeded. Its output goes to the terminal.
pub(crate) fn run(args: &[&str], signals: &Signals) -> Result<bool> {
    Ok(process::run(&mut command(args), signals)?.success())
}

/// Compiles the services and the staff tool.
pub(crate) fn build(profile: Profile, binaries: &[&str], signals: &Signals) -> Result<()> {
    // The whole workspace, so that dependencies have the same features as in other builds.
    let mut args = vec!["build", "--workspace"];
    args.extend(binaries.iter().flat_map(|binary| ["--bin", binary]));
    if profile == Profile::Release {
        args.push("--release");
    }
    if !run(&args, signals)? {
        bail!("the services do not compile: the errors of cargo are above");
    }
    Ok(())
}

/// The arguments of cargo for the targets of a crate of these kinds, without binaries that have no tests. They also name the package
/// `features`, so that dependencies have the same features as in other builds and are not compiled again.
pub(crate) fn targets(package: &str, kinds: &[&str], signals: &Signals) -> Result<Vec<String>> {
    let metadata = metadata(signals)?;
    let packages = metadata.get("packages").and_then(Value::as_array);
    let found = packages
        .into_iter()
        .flatten()
        .find(|candidate| candidate.get("name").and_then(Value::as_str) == Some(package));
    let Some(found) = found else {
        bail!(
            "there is no crate {package}: see the names in the Cargo.toml files of the workspace"
        );
    };
    let mut args: Vec<String> = ["-p", package, "-p", "features"].map(str::to_owned).into();
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

/// The folder of the binaries of a profile. The user may have configured another target folder.
pub(crate) fn binaries(profile: Profile, signals: &Signals) -> Result<PathBuf> {
    let metadata = metadata(signals)?;
    let target = metadata
        .get("target_directory")
        .and_then(Value::as_str)
        .context("cargo metadata has no target folder")?;
    Ok(Path::new(target).join(profile.folder()))
}

/// The output of `cargo metadata`.
fn metadata(signals: &Signals) -> Result<Value> {
    let mut metadata = command(&[
        "metadata",
        "--format-version",
        "1",
        "--no-deps",
        "--offline",
    ]);
    let output = process::capture(&mut metadata, "", signals)?;
    serde_json::from_str(&output.stdout).context("cannot parse the output of cargo metadata")
}
