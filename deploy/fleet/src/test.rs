//! `deploy/test`: runs the tests on a private PostgreSQL, a private Redis and a real fleet; with `--checks`, also the checks.

use std::fmt::{self, Display, Formatter};
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::cargo::{self, Profile};
use crate::database::Address;
use crate::fleet::{ExternalServers, Fleet, Plan};
use crate::folder::Folder;
use crate::lock;
use crate::manifest::FleetState;
use crate::packages::{self, Requirement};
use crate::prepare;
use crate::process;
use crate::say::{say, say_lines};
use crate::services::Replicas;
use crate::supervise::Supervisor;
use crate::up;
use crate::wait::{Signals, format_duration};

/// The additional account of the shared fleet.
const TEST_SEED: &str = "deploy/data/test-fleet.toml";

const UNLIMITED_PLAN: &str = r#"
[[plan]]
name = "unlimited"
title = "Unlimited"
webhook_events = true
"#;

/// Settings of the services, a line each. The tests' own fleets have them, too.
const LONG_DEADLINES: &str = include_str!("../../data/long-deadlines.env");

/// More settings of the shared fleet.
const SETTINGS: [(&str, &str); 3] = [
    // Each test of the dashboard has an address of its own, so that their sign-ins are limited apart.
    ("WEB_TRUSTED_PROXIES", "127.0.0.1"),
    ("GATEWAY_HTTP_CLIENT_CONNECTIONS", "4096"),
    ("GATEWAY_HTTP_CLIENT_UNSENT", "128"),
];

/// The preferred port is left to a fleet of the user.
const ANY_PORT: Option<u16> = Some(0);

/// The crate whose tests need a running fleet.
const E2E: &str = "e2e";

/// The crates with about half of the other tests.
const LARGE: [&str; 3] = ["catalogue", "gateway", "kit"];

/// The crate of the launcher, whose tests start fleets.
const LAUNCHER: &str = "fleet";

/// The gateway's table of plans.
const PLANS: &str = "gateway/src/domain/plans.toml";

/// Options of `test`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Run only tests whose names contain this text
    filter: Option<String>,
    /// Run only the tests of this crate, such as listings; only the tests of e2e start a fleet
    #[arg(long, short, value_name = "CRATE")]
    package: Option<String>,
    /// Also check formatting, lints, checked SQL and documentation, before the tests
    #[arg(long, conflicts_with_all = ["filter", "package"])]
    checks: bool,
    /// Regenerate the data of checked SQL queries (.sqlx), and run no tests
    #[arg(long, conflicts_with_all = ["filter", "package", "checks"])]
    prepare: bool,
}

/// The result of the run so far.
#[derive(Debug, Default)]
struct TestResults {
    failed_steps: Vec<&'static str>,
    counts: Counts,
}

/// Test counts.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Counts {
    passed: u64,
    failed: u64,
    ignored: u64,
}

/// Runs the tests. All processes that it starts end with it.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let signals = Signals::install()?;
    let folder = Folder::locate(None, cargo::root().join(".fleet-test"))?;
    folder.prepare()?;
    let Some(lock) = lock::acquire(&folder, &signals)? else {
        bail!("tests are already running here: wait for them, or stop them with Ctrl-C");
    };
    // The data of the template may be behind a link as well.
    Folder::locate(Some(&folder.template()), PathBuf::new())?.wipe()?;
    folder.wipe()?;
    folder.prepare()?;
    folder.use_memory()?;
    let external = ExternalServers::default();
    let mut requirements = external.requirements();
    requirements.extend([
        Requirement::Python,
        Requirement::Node,
        Requirement::Curl,
        Requirement::Nginx,
        Requirement::Chromium,
        Requirement::Chromedriver,
    ]);
    packages::ensure(&requirements)?;
    let plan = Plan {
        port: ANY_PORT,
        replicas: Replicas::default(),
        binaries: cargo::binaries(Profile::Dev)?,
        plans: Some(plans(&folder)?),
        settings: LONG_DEADLINES
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_once('='))
            .chain(SETTINGS)
            .collect(),
        external,
        durable: false,
        seeds: [up::SEED, TEST_SEED]
            .map(|file| cargo::root().join(file))
            .into(),
        template: None,
    };
    let mut results = TestResults::default();
    let outcome = Fleet::run(&folder, &lock, &plan, &signals, |fleet, supervisor| {
        if args.prepare {
            regenerate(fleet, supervisor, &folder, &signals)
        } else {
            run_all(fleet, supervisor, args, &folder, &mut results)
        }
    });
    if !args.prepare {
        if !results.failed_steps.is_empty() {
            say(format!("Failed: {}", results.failed_steps.join(", ")));
        }
        say(results.counts.to_string());
    }
    // The data may be in memory.
    let removed = folder.wipe_data();
    outcome.and(removed)?;
    let good = results.failed_steps.is_empty() && results.counts.failed == 0;
    Ok(if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Writes a table with the gateway's plans and the plan without limits.
fn plans(folder: &Folder) -> Result<PathBuf> {
    let file = cargo::root().join(PLANS);
    let plans =
        fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    folder.write(
        &folder.plans(),
        format!("{plans}{UNLIMITED_PLAN}").as_bytes(),
        0o644,
    )?;
    Ok(folder.plans())
}

/// Starts and stops a fleet, whose data the fleets of the fault tests copy. It takes about as long as one of these takes without a copy.
fn make_template(shared: &Folder, signals: &Signals) -> Result<()> {
    let folder = Folder::locate(Some(&shared.template()), PathBuf::new())?;
    folder.prepare()?;
    let lock = lock::acquire(&folder, signals)?.context("another launcher uses the template")?;
    say("== template of the fleets of single tests");
    let plan = Plan {
        port: ANY_PORT,
        replicas: Replicas::default(),
        binaries: cargo::binaries(Profile::Dev)?,
        plans: None,
        settings: Vec::new(),
        external: ExternalServers::default(),
        durable: false,
        seeds: vec![cargo::root().join(up::SEED)],
        template: None,
    };
    Fleet::run(&folder, &lock, &plan, signals, Fleet::start)
}

/// Tests that one process of cargo runs.
struct Selection<'a> {
    arguments: Vec<&'a str>,
    /// The number of concurrent tests, if it differs from that in `.cargo/config.toml`.
    threads: Option<&'static str>,
}

impl<'a> Selection<'a> {
    /// The tests of one crate, or of all crates: three processes at once keep two cores busy.
    fn of(package: Option<&'a str>) -> Vec<Self> {
        let of_e2e = |arguments| Self {
            arguments,
            // These tests share no connections of sqlx, and wait much longer than they compute.
            threads: Some("6"),
        };
        let others = |arguments| Self {
            arguments,
            threads: None,
        };
        match package {
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
        }
    }
}

fn run_all(
    fleet: &mut Fleet<'_>,
    supervisor: &mut Supervisor<'_>,
    args: &Args,
    folder: &Folder,
    results: &mut TestResults,
) -> Result<()> {
    let signals = fleet.signals();
    let package = args.package.as_deref();
    let selections = Selection::of(package);
    fleet.start_servers(supervisor)?;
    let server = fleet.server()?;
    if args.checks {
        checks(&server, folder, results, signals)?;
    }
    let built = step(
        results,
        "build (on two cores about 6 minutes from nothing, 3 after deploy/up)",
        || build(package, signals),
    )?;
    if !built {
        return Ok(());
    }
    if package.is_none_or(|package| package == E2E) {
        if args.filter.is_none() {
            make_template(folder, signals)?;
        }
        fleet.start_services(supervisor)?;
        fleet.set_state(FleetState::Running)?;
    } else {
        fleet.set_state(FleetState::Starting)?;
    }
    server.query("create database test", signals)?;
    prepare::migrate_template(&server, signals)?;
    let since = Instant::now();
    say("== tests (about 9 minutes for all)");
    tests(
        fleet,
        &selections,
        args.filter.as_deref(),
        &server.sibling("test"),
        folder,
        results,
    )?;
    say(format!(
        "== tests ended, {}",
        format_duration(since.elapsed())
    ));
    Ok(())
}

/// Compiles the tests, and the binaries that some of them start.
fn build(package: Option<&str>, signals: &Signals) -> Result<bool> {
    let Some(package) = package else {
        // Without benchmarks, which the lints compile as well.
        return cargo::run(&["build", "--bins", "--tests", "--workspace"], signals);
    };
    let starts_fleets = [E2E, LAUNCHER].contains(&package);
    if starts_fleets && !cargo::run(&["build", "--workspace", "--bins"], signals)? {
        return Ok(false);
    }
    let selection = cargo::selection(package);
    cargo::run(&[&["test", "--no-run"], &*selection].concat(), signals)
}

/// Runs the checks, the cheapest first. The others run even if one fails.
fn checks(
    server: &Address,
    folder: &Folder,
    results: &mut TestResults,
    signals: &Signals,
) -> Result<()> {
    step(results, "formatting", || {
        cargo::run(&["fmt", "--all", "--check"], signals)
    })?;
    let linted = step(results, "lints and checked SQL", || {
        check_queries(server, folder, signals)
    })?;
    step(results, "documentation", || {
        let mut doc = cargo::command(&[
            "doc",
            "--workspace",
            "--no-deps",
            "--document-private-items",
        ]);
        if linted {
            prepare::reuse_linted(&mut doc, &folder.queries());
        }
        Ok(process::run(doc.env("RUSTDOCFLAGS", "-Dwarnings"), signals)?.success())
    })?;
    Ok(())
}

fn step(
    results: &mut TestResults,
    name: &'static str,
    work: impl FnOnce() -> Result<bool>,
) -> Result<bool> {
    let since = Instant::now();
    say(format!("== {name}"));
    let good = work()?;
    if !good {
        results.failed_steps.push(name);
    }
    say(format!(
        "== {name} {}, {}",
        if good { "passed" } else { "failed" },
        format_duration(since.elapsed())
    ));
    Ok(good)
}

fn check_queries(server: &Address, folder: &Folder, signals: &Signals) -> Result<bool> {
    match prepare::stale(server, &folder.queries(), signals) {
        Ok(stale) if stale.is_empty() => Ok(true),
        Ok(stale) => {
            say(format!(
                "The query data of {} is stale: run {} and commit the changes",
                stale.join(", "),
                prepare::COMMAND
            ));
            Ok(false)
        }
        Err(error) if error.is::<crate::wait::Interrupted>() => Err(error),
        Err(error) => {
            say(format!("{error:#}"));
            Ok(false)
        }
    }
}

fn regenerate(
    fleet: &mut Fleet<'_>,
    supervisor: &mut Supervisor<'_>,
    folder: &Folder,
    signals: &Signals,
) -> Result<()> {
    fleet.start_servers(supervisor)?;
    let changed = prepare::regenerate(&fleet.server()?, &folder.queries(), signals)?;
    say(match changed.len() {
        0 => "All query data is up to date".to_owned(),
        _ => format!(
            "Regenerated the query data of {}: commit the changes",
            changed.join(", ")
        ),
    });
    Ok(())
}

/// Runs the tests of all selections at once: those of e2e mostly wait for fleets, while others compute.
fn tests(
    fleet: &Fleet<'_>,
    selections: &[Selection<'_>],
    filter: Option<&str>,
    database: &Address,
    folder: &Folder,
    results: &mut TestResults,
) -> Result<()> {
    let temporary = folder.data().join("tmp");
    fs::create_dir(&temporary).with_context(|| format!("cannot create {}", temporary.display()))?;
    let mut commands: Vec<_> = selections
        .iter()
        .map(|selection| {
            let mut command = cargo::command(&["test", "--no-fail-fast"]);
            command
                .args(&selection.arguments)
                .args(filter)
                .env("DATABASE_URL", database.to_string())
                .env("REDIS_URL", &fleet.manifest.redis_url)
                .env("FLEET_JSON", folder.manifest())
                .env("TMPDIR", &temporary);
            if let Some(threads) = selection.threads {
                command.env("RUST_TEST_THREADS", threads);
            }
            if folder.template().exists() {
                command.env("FLEET_TEMPLATE", folder.template());
            }
            command
        })
        .collect();
    let mut blocks = vec![FailureBlock::default(); commands.len()];
    let good = process::stream_all(&mut commands, fleet.signals(), |number, line| {
        blocks[number].say(line);
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

/// The output of cargo about the failures of one test binary. It is printed as a block, because another cargo process prints at the same
/// time.
#[derive(Debug, Default, Clone)]
struct FailureBlock(Vec<String>);

impl FailureBlock {
    fn say(&mut self, line: &str) {
        let is_last = line.starts_with("test result: ");
        if line == "failures:" || !self.0.is_empty() {
            self.0.push(line.to_owned());
        } else {
            say(line);
        }
        if is_last {
            say_lines(&std::mem::take(&mut self.0).join("\n"));
        }
    }
}

impl Counts {
    /// `test result: ok. 12 passed; 1 failed; 2 ignored; …` → 12, 1 and 2.
    fn read(line: &str) -> Option<Self> {
        let rest = line.strip_prefix("test result: ")?.split_once(". ")?.1;
        let mut parts = rest.split("; ");
        let mut count = |what| {
            let number = parts.next()?.strip_suffix(what)?.trim_end();
            number.parse().ok()
        };
        Some(Self {
            passed: count("passed")?,
            failed: count("failed")?,
            ignored: count("ignored")?,
        })
    }

    fn add(&mut self, more: Self) {
        self.passed += more.passed;
        self.failed += more.failed;
        self.ignored += more.ignored;
    }
}

impl Display for Counts {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.ignored > 0 {
            write!(
                f,
                ", {} ignored (long tests and benchmarks: see tests/README.md)",
                self.ignored
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod unit {
    use super::Counts;

    #[test]
    fn results_are_counted() {
        let line = "test result: FAILED. 12 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        let counts = Counts::read(line).unwrap();
        assert_eq!(
            counts,
            Counts {
                passed: 12,
                failed: 1,
                ignored: 2
            }
        );
        assert_eq!(
            counts.to_string(),
            "12 passed, 1 failed, 2 ignored (long tests and benchmarks: see tests/README.md)"
        );
        assert_eq!(Counts::read("test a::b ... ok"), None);
    }
}
