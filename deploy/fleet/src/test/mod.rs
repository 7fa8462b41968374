//! `deploy/test`: runs the tests on a private PostgreSQL, a private Redis and a real fleet; with `--checks`, also the checks.

mod checks;
mod crates;
mod output;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use self::crates::{E2E, Selection};
use self::output::Counts;
use crate::cargo::{self, Profile};
use crate::fleet::{ExternalServers, Fleet, Plan};
use crate::folder::{self, Folder};
use crate::lock;
use crate::manifest::FleetState;
use crate::packages;
use crate::prepare;
use crate::say::say;
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
const LONG_DEADLINES: &str = include_str!("../../../data/long-deadlines.env");

/// More settings of the shared fleet.
const SETTINGS: [(&str, &str); 1] = [
    // Each test of the dashboard has an address of its own, so that their sign-ins are limited apart.
    ("WEB_TRUSTED_PROXIES", "127.0.0.1"),
];

/// The preferred port is left to a fleet of the user.
const ANY_PORT: Option<u16> = Some(0);

/// The built-in table of plans.
const PLANS: &str = "proto/src/plans.toml";

/// Options of `test`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Run only tests whose names contain this text; with -p e2e also a test target, such as operate
    filter: Option<String>,
    /// Run only the tests of this crate, such as listings; only the tests of e2e start a fleet
    #[arg(long, short, value_name = "CRATE")]
    package: Option<String>,
    /// Run the tests that take long and whose subject seldom changes, instead of the others
    #[arg(long)]
    long: bool,
    /// Also check formatting, lints, checked SQL and documentation, before the tests
    #[arg(long, conflicts_with_all = ["filter", "package", "long"])]
    checks: bool,
    /// Regenerate the data of checked SQL queries (.sqlx), and run no tests
    #[arg(long, conflicts_with_all = ["filter", "package", "long", "checks"])]
    prepare: bool,
}

/// The result of the run so far.
#[derive(Debug, Default)]
struct TestResults {
    failed_steps: Vec<&'static str>,
    /// The names of the tests that failed.
    failed_tests: Vec<String>,
    counts: Counts,
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
    let mut requirements = ExternalServers::default().requirements();
    requirements.extend(packages::TESTS);
    if args.long {
        requirements.extend(packages::LONG_TESTS);
    }
    packages::ensure(&requirements)?;
    let plan = Plan {
        port: ANY_PORT,
        binaries: cargo::binaries(Profile::Dev)?,
        plans: Some(plans(&folder)?),
        settings: LONG_DEADLINES
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_once('='))
            .chain(SETTINGS)
            .collect(),
        seeds: [up::SEED, TEST_SEED].map(|file| cargo::root().join(file)).into(),
        ..Plan::default()
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
        for name in &results.failed_tests {
            say(format!("failed: {name}"));
        }
        let counts = results.counts;
        say(match &outcome {
            Ok(()) => counts.to_string(),
            // Such as a run that Ctrl-C ends: a test binary prints its counts at its end.
            Err(_) => format!("{counts}, in the test binaries that had ended"),
        });
    }
    // The data may be in memory.
    let removed = folder
        .wipe_data()
        .and_then(|()| Folder::locate(Some(&folder.template()), PathBuf::new())?.wipe());
    outcome.and(removed)?;
    let good = results.failed_steps.is_empty() && results.counts.failed == 0;
    if let Some(filter) = &args.filter
        && good
        && results.counts.passed == 0
    {
        bail!(
            "no test ran: no name contains `{filter}`; long tests run only with --long, and the others only without"
        );
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Writes a table with the gateway's plans and the plan without limits.
fn plans(folder: &Folder) -> Result<PathBuf> {
    let file = cargo::root().join(PLANS);
    let plans =
        fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    folder::write(&folder.plans(), format!("{plans}{UNLIMITED_PLAN}").as_bytes(), 0o644)?;
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
        binaries: cargo::binaries(Profile::Dev)?,
        seeds: vec![cargo::root().join(up::SEED)],
        ..Plan::default()
    };
    Fleet::run(&folder, &lock, &plan, signals, Fleet::start)
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
    let filter = args.filter.as_deref();
    let selections = Selection::all(package, filter, args.long);
    fleet.start_servers(supervisor)?;
    let server = fleet.server()?;
    if args.checks {
        checks::run(&server, folder, results, signals)?;
    }
    if !step(results, "build", || crates::build(package, signals))? {
        return Ok(());
    }
    if package.is_none_or(|package| package == E2E) {
        if filter.is_none_or(|filter| crates::is_target(package, filter)) {
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
    say("== tests");
    crates::run(fleet, &selections, &server.sibling("test"), folder, results)?;
    let took = format_duration(since.elapsed());
    say(format!("== tests ended, {took}"));
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
    let end = if good { "passed" } else { "failed" };
    let took = format_duration(since.elapsed());
    say(format!("== {name} {end}, {took}"));
    Ok(good)
}

fn regenerate(
    fleet: &mut Fleet<'_>,
    supervisor: &mut Supervisor<'_>,
    folder: &Folder,
    signals: &Signals,
) -> Result<()> {
    fleet.start_servers(supervisor)?;
    let (server, queries) = (fleet.server()?, folder.queries());
    let changed = prepare::regenerate(&server, &queries, prepare::COMPILER, signals)?;
    say_regenerated(&changed);
    Ok(())
}

/// Says which crates have other query data than before.
fn say_regenerated(changed: &[&str]) {
    say(match changed {
        [] => "All query data is up to date".to_owned(),
        _ => format!("Regenerated the query data of {}: commit the changes", changed.join(", ")),
    });
}
