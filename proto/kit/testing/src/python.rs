//! Python packages for tests, from the Python package index.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use tokio::process::Command;
use tokio::sync::Mutex;

/// Held during an installation, so that two tests do not install the same package.
static INSTALLATION: Mutex<()> = Mutex::const_new(());

/// A virtual environment with `package`, such as `moto[server]==5.2.5`, which pip installs with `options`.
///
/// It is created once in `folder`, under a temporary name until it is complete. Its scripts contain the temporary path, so run its modules instead.
///
/// # Errors
/// Python is missing, or pip cannot install the package.
pub async fn environment(
    folder: &Path,
    package: &str,
    options: &[&str],
) -> anyhow::Result<PathBuf> {
    let name: String = package.chars().filter(|it| !"[]=".contains(*it)).collect();
    let made = folder.join(&name);
    let _installation = INSTALLATION.lock().await;
    if !made.exists() {
        let new = tempfile::Builder::new()
            .prefix(&name)
            .tempdir_in(folder)
            .with_context(|| format!("cannot make a folder in {}", folder.display()))?;
        let path = new.path().to_string_lossy();
        run(Path::new("python3"), &["-m", "venv", &path]).await?;
        let install = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            // Python compiles a module at its first import; most modules of these packages are never imported.
            "--no-compile",
        ];
        let install = [&install[..], options, &[package]].concat();
        run(&new.path().join("bin/python"), &install).await?;
        // Another process may have created it first.
        if std::fs::rename(new.path(), &made).is_ok() {
            drop(new.keep());
        }
    }
    Ok(made)
}

async fn run(program: &Path, args: &[&str]) -> anyhow::Result<()> {
    let output = Command::new(program)
        .args(args)
        .output()
        .await
        .with_context(|| format!("cannot start {}", program.display()))?;
    ensure!(
        output.status.success(),
        "{} {args:?}: {}",
        program.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}
