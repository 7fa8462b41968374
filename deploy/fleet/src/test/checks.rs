//! `deploy/test --checks`: formatting, lints, checked SQL and documentation.

use anyhow::Result;

use super::{TestResults, step};
use crate::cargo;
use crate::database::Address;
use crate::folder::Folder;
use crate::prepare;
use crate::process;
use crate::say::say;
use crate::wait::Signals;

/// Runs the checks, the cheapest first. The others run even if one fails.
pub(super) fn run(
    server: &Address,
    folder: &Folder,
    results: &mut TestResults,
    signals: &Signals,
) -> Result<()> {
    step(results, "formatting", || cargo::run(&["fmt", "--all", "--check"], signals))?;
    let linted = step(results, "lints and checked SQL", || check_queries(server, folder, signals))?;
    step(results, "documentation", || {
        let mut doc =
            cargo::command(&["doc", "--workspace", "--no-deps", "--document-private-items"]);
        if linted {
            prepare::reuse_linted(&mut doc, &folder.queries());
        }
        Ok(process::run(doc.env("RUSTDOCFLAGS", "-Dwarnings"), signals)?.success())
    })?;
    Ok(())
}

fn check_queries(server: &Address, folder: &Folder, signals: &Signals) -> Result<bool> {
    match prepare::regenerate(server, &folder.queries(), prepare::LINTER, signals) {
        Ok(changed) => {
            super::say_regenerated(&changed);
            Ok(changed.is_empty())
        }
        Err(error) if error.is::<crate::wait::Interrupted>() => Err(error),
        Err(error) => {
            say(format!("{error:#}"));
            Ok(false)
        }
    }
}
