//! `deploy/up`: starts a whole fleet.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::signal::Signal;
use nix::unistd::setsid;

use crate::activity;
use crate::cargo::{self, Profile};
use crate::fleet::{ExternalServers, Fleet, Plan};
use crate::folder::Folder;
use crate::lock::{self, Lock};
use crate::logs;
use crate::manifest::{FleetState, Manifest};
use crate::process;
use crate::say::{say, say_lines};
use crate::seed::PEOPLE;
use crate::services::{SERVICES, parse_replicas};
use crate::supervise::Supervisor;
use crate::wait::{Event, Interrupted, Signals, format_duration};

/// The seed data of a fleet, for `staff apply`.
const SEED: &str = "deploy/data/fleet.toml";

/// Options of `up`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// State folder; a second fleet needs one of its own [default: .fleet in the checkout]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Public port of the gateway; 0 is any free port [default: the port of the last start, 8080, or any free port]
    #[arg(long, value_parser = port)]
    port: Option<u16>,
    /// Number of processes of a service, such as webhook-svc=3,gateway=2
    #[arg(long, value_name = "SERVICE=N", value_delimiter = ',', value_parser = parse_replicas)]
    replicas: Vec<(&'static str, u16)>,
    /// Leave the fleet running in the background once it is ready
    #[arg(long)]
    detach: bool,
    /// Remove the data, keys and logs of the state folder first
    #[arg(long)]
    fresh: bool,
    /// Compile with full optimization: more requests per second, but the build takes about 20 minutes on two cores
    #[arg(long)]
    release: bool,
    /// Use the existing binaries without building
    #[arg(long)]
    no_build: bool,
    /// Use the binaries in this folder
    #[arg(long, value_name = "DIR", conflicts_with = "release")]
    bin_dir: Option<PathBuf>,
    /// A table of plans (TOML), instead of the one of the gateway
    #[arg(long, value_name = "FILE")]
    plans: Option<PathBuf>,
    /// Create no reports and votes in a new fleet
    #[arg(long)]
    no_activity: bool,
    /// Copy the data of the stopped fleet in this folder, if the state folder has none; for tests
    #[arg(long, hide = true, value_name = "DIR")]
    template: Option<PathBuf>,
    /// Create the accounts of this file as well; for tests
    #[arg(long, hide = true, value_name = "FILE")]
    seed: Option<PathBuf>,
    /// Start only PostgreSQL and Redis, with roles and schemas; for tests
    #[arg(long, hide = true)]
    servers_only: bool,
    /// Do not wait for the disk: a crash of the machine may lose data; for tests
    #[arg(long, hide = true)]
    no_fsync: bool,
    /// PostgreSQL 15+ to use instead of a private one, with a user that may create roles and owns the database
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, value_name = "URL")]
    database_url: Option<String>,
    /// Redis 6.2+ to use instead of a private one
    #[arg(long, env = "REDIS_URL", hide_env_values = true, value_name = "URL")]
    redis_url: Option<String>,
    /// Set for the background process of --detach
    #[arg(long, hide = true)]
    detached: bool,
}

impl Args {
    fn profile(&self) -> Profile {
        if self.release { Profile::Release } else { Profile::Dev }
    }

    fn external(&self) -> ExternalServers {
        // An empty variable counts as not set.
        let set = |url: &Option<String>| url.clone().filter(|url| !url.is_empty());
        ExternalServers { database: set(&self.database_url), redis: set(&self.redis_url) }
    }
}

/// Starts a fleet and runs it until a stop signal.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if args.detached {
        setsid().context("cannot leave the terminal's session")?;
    }
    let since = Instant::now();
    let signals = Signals::install()?;
    let folder = Folder::locate(args.dir.as_deref(), cargo::root().join(".fleet"))?;
    let external = args.external();
    folder.prepare()?;
    let Some(lock) = lock::acquire(&folder, &signals)? else {
        return already_running(&folder, args);
    };
    run_locked(args, external, &folder, lock, &signals, since)
}

/// Runs a fleet in a folder that this launcher has locked.
fn run_locked(
    args: &Args,
    external: ExternalServers,
    folder: &Folder,
    lock: Lock,
    signals: &Signals,
    since: Instant,
) -> Result<ExitCode> {
    if args.fresh {
        folder.wipe()?;
        folder.prepare()?;
    }
    let mut manifest = Manifest::load(folder);
    if manifest.state != FleetState::Stopped {
        // The last launcher was killed.
        manifest.set_state(FleetState::Stopped, folder)?;
    }
    if !external.install_packages()? {
        return Ok(ExitCode::FAILURE);
    }
    let binaries = if args.servers_only { PathBuf::new() } else { build(args, signals)? };
    if args.detach {
        return detach(folder, lock, signals);
    }
    // What others may have written is as new as the present.
    let is_private = external.database.is_none() && external.redis.is_none();
    let plan = Plan {
        activity: is_private && !args.no_activity && args.template.is_none(),
        port: args.port,
        replicas: args.replicas.iter().copied().collect(),
        binaries,
        plans: args
            .plans
            .as_deref()
            .map(std::path::absolute)
            .transpose()
            .context("cannot resolve --plans")?,
        external,
        durable: !args.no_fsync,
        seeds: [cargo::root().join(SEED)].into_iter().chain(args.seed.clone()).collect(),
        template: args.template.clone(),
    };
    // The ports are released before the folder, so that the next start finds them free.
    let outcome = Fleet::run(folder, &lock, &plan, signals, |fleet, supervisor| {
        serve(fleet, supervisor, args, since)
    });
    drop(lock);
    match outcome {
        Err(error) if !error.is::<Interrupted>() => return Err(error),
        _ => say("Stopped; data and keys are kept"),
    }
    Ok(ExitCode::SUCCESS)
}

fn serve(
    fleet: &mut Fleet<'_>,
    supervisor: &mut Supervisor<'_>,
    args: &Args,
    since: Instant,
) -> Result<()> {
    if args.servers_only {
        fleet.start_servers(supervisor)?;
        say(format!("\nThe servers are up after {}", format_duration(since.elapsed())));
        say(format!("Stop it with {}", fleet.folder().command("down")));
        fleet.set_state(FleetState::Running)?;
        return supervisor.supervise(&mut fleet.manifest);
    }
    fleet.start(supervisor)?;
    say(format!("\nThe fleet is up after {}\n", format_duration(since.elapsed())));
    say_lines(&summary(&fleet.manifest, fleet.folder()));
    say("\nTry it:\n");
    say_lines(&fleet.examples()?);
    if !args.release {
        say(format!(
            "\nFor load tests, use {}; its first build takes about 20 minutes",
            fleet.folder().command("up --release")
        ));
    }
    say(if args.detached {
        format!("\nStop it with {}", fleet.folder().command("down"))
    } else {
        "\nCtrl-C stops it; data and keys are kept".to_owned()
    });
    fleet.activity.iter().for_each(say);
    // After the last line, because `follow` shows the log until then.
    fleet.set_state(FleetState::Running)?;
    supervisor.supervise(&mut fleet.manifest)
}

/// Addresses and keys of a running fleet.
fn summary(manifest: &Manifest, folder: &Folder) -> String {
    let mut lines = vec![row("API", &manifest.base_url)];
    // Each further gateway has its own port.
    let gateways = manifest.services.iter().filter(|s| s.name == "gateway");
    let others = gateways.filter_map(|s| s.http.as_ref());
    lines.extend(others.skip(1).map(|http| row("", &format!("{http}/v1"))));
    lines.push(row("dashboard", &manifest.dashboard_url));
    if let Some(account) = manifest.accounts.first() {
        let sign_in = format!("{} with the password {}", account.email, account.password);
        lines.push(row("sign in as", &sign_in));
    }
    let file = folder.manifest();
    lines.push(row(
        "everything",
        &format!("{} (addresses, keys, tokens: keep it secret)", file.display()),
    ));
    lines.push(String::new());
    for account in &manifest.accounts {
        let mut head = account.name.as_str();
        for name in ["live", "live_write", "test", "live_secret", "live_public"] {
            let key = account.keys.get(name).map_or("", String::as_str);
            lines.push(format!("  {head:<16} {name:<11} {key}"));
            head = "";
        }
        if !account.pages.is_empty() {
            let pages = account.pages.join(", ");
            lines.push(format!("  {:<16} {:<11} {pages}", "", "owns"));
        }
        if let Some(game) = account.games.first() {
            let game = format!("{game} (of live_secret and live_public)");
            lines.push(format!("  {:<16} {:<11} {game}", "", "game"));
        }
    }
    lines.join("\n")
}

fn row(name: &str, value: &str) -> String {
    format!("  {name:<16} {value}")
}

fn port(text: &str) -> Result<u16, String> {
    let port = text.parse();
    port.map_err(|_error| "it is a number from 0 to 65535; 0 is any free port".to_owned())
}

fn already_running(folder: &Folder, args: &Args) -> Result<ExitCode> {
    let pid = lock::launcher_pid(folder).map_or_else(String::new, |pid| format!(" (pid {pid})"));
    let down = folder.command("down");
    if args.fresh {
        bail!(
            "a fleet is running here{pid}, and --fresh would remove its data: stop it first with {down}"
        );
    }
    let manifest = Manifest::load(folder);
    if manifest.state == FleetState::Running {
        let file = folder.manifest();
        say(format!(
            "The fleet is running{pid} with the options of its start, described in {}; {down} stops it",
            file.display()
        ));
    } else {
        say(format!("The fleet is starting{pid}; {} shows its progress", folder.command("status")));
    }
    Ok(ExitCode::SUCCESS)
}

fn build(args: &Args, signals: &Signals) -> Result<PathBuf> {
    let names: Vec<&str> = SERVICES
        .iter()
        .map(|service| service.name)
        .chain(["staff", PEOPLE, activity::PROGRAM])
        .collect();
    let binaries = if let Some(folder) = &args.bin_dir {
        std::path::absolute(folder).context("cannot resolve --bin-dir")?
    } else {
        if !args.no_build {
            say(
                "Building the services (the first time takes some 5 minutes on two cores; later, seconds)",
            );
            // The fleet does not need the tool `webhook`, but developers of webhook receivers do.
            let built = [&names[..], &["webhook"]].concat();
            cargo::build(args.profile(), &built, signals)?;
        }
        cargo::binaries(args.profile())?
    };
    if let Some(missing) = names.iter().find(|name| !binaries.join(name).is_file()) {
        bail!("{} has no {missing}: build it first, without --no-build", binaries.display());
    }
    Ok(binaries)
}

/// Starts the launcher again in the background, and shows its output until the fleet is up.
fn detach(folder: &Folder, lock: Lock, signals: &Signals) -> Result<ExitCode> {
    let path = folder.log("launcher");
    logs::rotate(&path)?;
    let log = logs::open(&path)?;
    let errors = log.try_clone().context("cannot duplicate the file handle of a log")?;
    let args: Vec<OsString> = env::args_os()
        .skip(1)
        .filter(|arg| arg != "--detach" && arg != "--fresh" && arg != "--no-build")
        .collect();
    // The same program, even if a build has replaced its file in the meantime.
    let mut command = Command::new("/proc/self/exe");
    command.arg0("fleet");
    command.args(args).args(["--no-build", "--detached"]);
    command.stdin(Stdio::null()).stdout(log).stderr(errors);
    drop(lock);
    let mut child = command.spawn().context("cannot start the background process")?;
    let mut log = File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
    follow(folder, &mut child, &mut log, signals)
}

/// Shows the log of the background process until it is up or has ended.
fn follow(
    folder: &Folder,
    child: &mut Child,
    log: &mut File,
    signals: &Signals,
) -> Result<ExitCode> {
    loop {
        // First the status and the state, so that nothing of its output is missing.
        let status = child.try_wait().context("cannot wait for the background process")?;
        let is_up = Manifest::load(folder).state == FleetState::Running;
        let mut text = String::new();
        log.read_to_string(&mut text).context("cannot read the log of the launcher")?;
        say_lines(&text);
        if is_up || status.is_some_and(|status| status.success()) {
            return Ok(ExitCode::SUCCESS);
        }
        if status.is_some() {
            return Ok(ExitCode::FAILURE);
        }
        if signals.next(Duration::from_millis(100)) == Some(Event::Stop) {
            process::signal(child, Signal::SIGTERM)?;
        }
    }
}
