//! The tests of each crate, and the processes of cargo that run them.

use std::fs;

use anyhow::{Context, Result};

use super::TestResults;
use super::output::{Counts, FailureBlock, failed_test};
use crate::cargo;
use crate::database::Address;
use crate::fleet::Fleet;
use crate::folder::Folder;
use crate::process;
use crate::wait::Signals;

/// The crate whose tests need a running fleet.
pub(super) const E2E: &str = "e2e";

/// The crates with about half of the other tests.
const LARGE: [&str; 3] = ["catalogue", "gateway", "kit"];

/// The crate of the launcher, whose tests start fleets.
const LAUNCHER: &str = "fleet";

/// The manifest of [`E2E`], which names its test targets.
const E2E_MANIFEST: &str = include_str!("../../../../tests/Cargo.toml");

/// The names of the test targets of [`E2E`], such as `operate`.
fn targets() -> impl Iterator<Item = &'static str> {
    let sections = E2E_MANIFEST.split("[[test]]").skip(1);
    sections.filter_map(|section| {
        let mut lines = section.lines();
        lines.find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))
    })
}

/// Whether a filter selects a whole test target: the paths of its tests do not contain its name. Only the targets of [`E2E`] have names of
/// their own.
pub(super) fn is_target(package: Option<&str>, filter: &str) -> bool {
    package == Some(E2E) && targets().any(|name| name == filter)
}

/// The number of tests of [`E2E`] that run at once: they share no connections of sqlx, and wait much longer than they compute.
const E2E_THREADS: usize = 6;

/// The number of other tests of a process that run at once, as in `.cargo/config.toml`, which says why.
const THREADS: usize = 3;

/// What libtest is told for the long tests. Those by hand are measurements, and pictures to look at.
const LONG: [&str; 4] = ["--", "--ignored", "--skip", "by_hand_"];

/// Tests that one process of cargo runs.
pub(super) struct Selection<'a> {
    arguments: Vec<&'a str>,
    threads: usize,
}

impl<'a> Selection<'a> {
    /// The tests of one crate, or of all crates: three processes at once keep two cores busy. A filter is the name of a test target, or a
    /// part of the names of tests. The short run leaves out the tests that are ignored, and the long run has only those.
    pub(super) fn all(package: Option<&'a str>, filter: Option<&'a str>, long: bool) -> Vec<Self> {
        let of_e2e = |arguments| Self { arguments, threads: E2E_THREADS };
        let others = |arguments| Self { arguments, threads: THREADS };
        let mut selections = match package {
            None => {
                let with = |option| LARGE.into_iter().flat_map(move |name| [option, name]);
                let large = with("-p").chain(["-p", "features"]).collect();
                let exclude = ["--workspace", "--exclude", E2E].into_iter();
                vec![
                    of_e2e(cargo::selection(E2E)),
                    others(large),
                    others(exclude.chain(with("--exclude")).collect()),
                ]
            }
            Some(E2E) => vec![of_e2e(cargo::selection(E2E))],
            Some(package) => vec![others(cargo::selection(package))],
        };
        if let Some(filter) = filter {
            for selection in &mut selections {
                if is_target(package, filter) {
                    selection.arguments.push("--test");
                }
                selection.arguments.push(filter);
            }
        }
        if long {
            for selection in &mut selections {
                selection.arguments.extend(LONG);
            }
        }
        selections
    }
}

/// Compiles the tests, and the binaries that some of them start.
pub(super) fn build(package: Option<&str>, signals: &Signals) -> Result<bool> {
    let Some(package) = package else {
        // Without benchmarks, which the lints compile as well. Tests start some of the examples.
        let all = ["build", "--bins", "--examples", "--tests", "--workspace"];
        return cargo::run(&all, signals);
    };
    let starts_fleets = [E2E, LAUNCHER].contains(&package);
    if starts_fleets && !cargo::run(&["build", "--workspace", "--bins"], signals)? {
        return Ok(false);
    }
    let selection = cargo::selection(package);
    cargo::run(&[&["test", "--no-run"], &*selection].concat(), signals)
}

/// Runs the tests of all selections at once: those of e2e mostly wait for fleets, while others compute.
pub(super) fn run(
    fleet: &Fleet<'_>,
    selections: &[Selection<'_>],
    database: &Address,
    folder: &Folder,
    results: &mut TestResults,
) -> Result<()> {
    // Without the links, which may be in a private folder: the user of the servers can enter the target.
    let data = folder.data().canonicalize();
    let temporary = data.context("the data folder is missing")?.join("tmp");
    fs::create_dir(&temporary).with_context(|| format!("cannot create {}", temporary.display()))?;
    let mut commands: Vec<_> = selections
        .iter()
        .map(|selection| {
            let mut command = cargo::command(&["test", "--no-fail-fast"]);
            command
                .args(&selection.arguments)
                .env("DATABASE_URL", database.to_string())
                .env("REDIS_URL", &fleet.manifest.redis_url)
                .env("FLEET_JSON", folder.manifest())
                .env("TMPDIR", &temporary)
                .env("RUST_TEST_THREADS", selection.threads.to_string());
            if folder.template().exists() {
                command.env("FLEET_TEMPLATE", folder.template());
            }
            command
        })
        .collect();
    let mut blocks = vec![FailureBlock::default(); commands.len()];
    let good = process::stream_all(&mut commands, fleet.signals(), |number, line| {
        blocks[number].say(line);
        let failed = failed_test(line).map(str::to_owned);
        results.failed_tests.extend(failed);
        if let Some(counts) = Counts::read(line) {
            results.counts.add(counts);
        }
    })?;
    // A test binary that crashes or does not compile prints no counts, but the status of cargo is a failure.
    if !good {
        results.failed_steps.push("tests");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arguments of the last process for these options.
    fn arguments<'a>(package: Option<&'a str>, filter: Option<&'a str>) -> Vec<&'a str> {
        let mut selections = Selection::all(package, filter, false);
        selections.pop().unwrap().arguments
    }

    #[test]
    fn a_filter_is_a_target_of_e2e_or_a_part_of_names() {
        let found: Vec<_> = targets().collect();
        assert_eq!(found, ["e2e", "faults", "operate", "browser", "architecture"]);
        let e2e = ["-p", "e2e", "-p", "features"];
        assert_eq!(arguments(Some(E2E), None), e2e);
        for target in found {
            let arguments = arguments(Some(E2E), Some(target));
            assert_eq!(arguments, [&e2e[..], &["--test", target]].concat());
        }
        for (package, filter) in [
            (Some(E2E), "own_changes"),
            (Some(E2E), "oper"),
            (Some("listings"), "operate"),
            (None, "operate"),
        ] {
            let arguments = arguments(package, Some(filter));
            assert_eq!(arguments.last(), Some(&filter));
            assert!(!arguments.contains(&"--test"), "{arguments:?}");
        }
    }

    #[test]
    fn the_long_run_has_what_the_short_one_leaves_out() {
        for (package, filter) in [(None, None), (Some("kit"), Some("mail"))] {
            let short = Selection::all(package, filter, false);
            let long = Selection::all(package, filter, true);
            assert_eq!(short.len(), long.len());
            for (short, long) in short.into_iter().zip(long) {
                assert_eq!(long.arguments, [&short.arguments[..], &LONG].concat());
            }
        }
    }
}
