//! `deploy/up`: a whole fleet with one command.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, setsid};

use crate::cargo::{self, Profile};
use crate::database;
use crate::fleet::{Fleet, Given, Plan};
use crate::folder::{Folder, Lock};
use crate::manifest::{Manifest, Run, State};
use crate::packages;
use crate::say::{say, say_lines};
use crate::services::{Replicas, SERVICES};
use crate::stop;
use crate::supervise::Supervisor;
use crate::wait::{Event, Interrupted, Signals, spoken};

/// Options of `up`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// State folder, for a second fleet beside the first [default: .fleet in the checkout]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Public port of the gateway [default: last time's, 8080, or any that is free]
    #[arg(long, value_parser = port)]
    port: Option<u16>,
    /// How many processes of a service, as in webhook-svc=3,gateway=2
    #[arg(long, value_name = "SERVICE=N")]
    replicas: Vec<Replicas>,
    /// Leave the fleet running in the background once it is ready
    #[arg(long)]
    detach: bool,
    /// Throw away the data, keys and logs of the state folder first
    #[arg(long)]
    fresh: bool,
    /// Compile with full optimization, for load: more requests a second, after a build of some 20 minutes on two cores
    #[arg(long)]
    release: bool,
    /// Take the binaries as they are
    #[arg(long)]
    no_build: bool,
    /// Take the binaries of this folder
    #[arg(long, value_name = "DIR", conflicts_with = "release")]
    bin_dir: Option<PathBuf>,
    /// A table of plans (TOML) instead of the gateway's own
    #[arg(long, value_name = "FILE")]
    plans: Option<PathBuf>,
    #[command(flatten)]
    servers: Servers,
    /// This is the background half of --detach
    #[arg(long, hide = true)]
    detached: bool,
}

/// Servers to use instead of private ones.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Servers to use instead of private ones")]
struct Servers {
    /// PostgreSQL 15+: of all services, by a user who may make roles and owns the database, or SERVICE=URL for each of the five, ready
    /// to use (in the environment `DATABASE_URL`, or `GATEWAY_DATABASE_URL` and so on)
    #[arg(long, value_name = "[SERVICE=]URL")]
    database_url: Vec<String>,
    /// Redis 6.2+
    #[arg(long, env = "REDIS_URL", hide_env_values = true, value_name = "URL")]
    redis_url: Option<String>,
}

impl Args {
    fn profile(&self) -> Profile {
        if self.release {
            Profile::Release
        } else {
            Profile::Dev
        }
    }
}

impl Servers {
    fn given(&self) -> Result<Given> {
        #[expect(
            clippy::disallowed_methods,
            reason = "the launcher reads its own options, without kit"
        )]
        let variable = |name: &str| env::var(name).ok();
        let (database, databases) = database::given(&self.database_url, variable)?;
        Ok(Given {
            database,
            databases,
            // An empty variable is one that is not set.
            redis: self.redis_url.clone().filter(|url| !url.is_empty()),
        })
    }
}

/// Brings a fleet up and keeps it until it is told to stop.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if args.detached {
        setsid().context("the background half cannot leave the terminal")?;
    }
    let since = Instant::now();
    let signals = Signals::install()?;
    let folder = Folder::locate(args.dir.as_deref(), cargo::root().join(".fleet"))?;
    let given = args.servers.given()?;
    folder.prepare()?;
    let Some(lock) = folder.lock()? else {
        return already_running(&folder, args);
    };
    stop::clean_up(&folder, &signals)?;
    let outcome = locked(args, given, &folder, lock, &signals, since);
    if outcome.is_err() {
        Run::remove(&folder)?;
    }
    outcome
}

/// Brings a fleet up in a folder that is ours.
fn locked(
    args: &Args,
    given: Given,
    folder: &Folder,
    lock: Lock,
    signals: &Signals,
    since: Instant,
) -> Result<ExitCode> {
    if args.fresh {
        folder.wipe()?;
        folder.prepare()?;
    }
    // From here on deploy/down knows whom to stop, even while cargo is at work.
    Run::begin()?.save(folder)?;
    packages::ensure(&given.needs())?;
    let binaries = build(args, signals)?;
    if args.detach {
        return detach(folder, lock, signals);
    }
    let plan = Plan {
        port: args.port,
        replicas: Replicas::merged(&args.replicas),
        binaries,
        plans: args
            .plans
            .as_deref()
            .map(std::path::absolute)
            .transpose()
            .context("--plans cannot be resolved")?,
        settings: &[],
        given,
        durable: true,
        data: cargo::root().join("deploy/data"),
        accounts: &[],
    };
    let mut fleet = Fleet::prepare(folder, &plan, signals)?;
    let mut supervisor = Supervisor::new(folder, signals)?;
    let outcome = serve(&mut fleet, &mut supervisor, args, since);
    let stopped = supervisor.stop();
    let saved = fleet.set_state(State::Stopped);
    // Ports are free before the folder is: the next start finds them as they were.
    drop(fleet);
    drop(lock);
    match outcome {
        Err(error) if !error.is::<Interrupted>() => return Err(error),
        _ => stopped.and(saved)?,
    }
    say("Stopped; data and keys are kept");
    Ok(ExitCode::SUCCESS)
}

fn serve(
    fleet: &mut Fleet<'_>,
    supervisor: &mut Supervisor<'_>,
    args: &Args,
    since: Instant,
) -> Result<()> {
    fleet.servers(supervisor)?;
    fleet.services(supervisor)?;
    fleet.fill()?;
    fleet.set_state(State::Running)?;
    say(format!(
        "\nThe fleet is up after {}\n",
        spoken(since.elapsed())
    ));
    say_lines(&summary(&fleet.manifest, fleet.folder()));
    say("\nTry it:\n");
    say_lines(&fleet.examples()?);
    if !args.release {
        say(
            "\nFor load, deploy/up --release serves more requests a second; its first build takes some 20 minutes",
        );
    }
    say(if args.detached {
        "\nStop it with deploy/down"
    } else {
        "\nCtrl-C stops it; data and keys are kept"
    });
    supervisor.keep(&mut fleet.manifest)
}

/// Addresses and keys of a running fleet.
fn summary(manifest: &Manifest, folder: &Folder) -> String {
    let mut lines = vec![row("API", &manifest.base_url)];
    // Further gateways have ports of their own.
    let others = manifest.services.iter().filter_map(|s| s.http.as_ref());
    lines.extend(others.skip(1).map(|http| row("", &format!("{http}/v1"))));
    let file = folder.manifest();
    lines.push(row(
        "everything",
        &format!(
            "{} (addresses, keys, tokens; keep it to yourself)\n",
            file.display()
        ),
    ));
    lines.push(row("service", "internal gRPC             health"));
    for service in &manifest.services {
        let ports = format!("{:<25} {}", service.grpc, service.health);
        lines.push(row(&service.full_name(), &ports));
    }
    lines.push(String::new());
    for account in &manifest.accounts {
        let shown = [
            ("live", "live"),
            ("live_write", "writes"),
            ("test", "test"),
            ("live_secret", "secret"),
            ("live_public", "public"),
        ];
        for (place, (name, what)) in shown.into_iter().enumerate() {
            let head = if place == 0 {
                account.name.as_str()
            } else {
                ""
            };
            let key = account.keys.get(name).map_or("", String::as_str);
            lines.push(format!("  {head:<16} {what:<7} {key}"));
        }
        if !account.pages.is_empty() {
            let pages = account.pages.join(", ");
            lines.push(format!("  {:<16} {:<7} {pages}", "", "owns"));
        }
        if let Some(game) = account.games.first() {
            let game = format!("{game} (of the secret and the public key)");
            lines.push(format!("  {:<16} {:<7} {game}", "", "game"));
        }
    }
    lines.join("\n")
}

fn row(name: &str, value: &str) -> String {
    format!("  {name:<16} {value}")
}

fn port(text: &str) -> Result<u16, String> {
    let port = text.parse().ok().filter(|port| *port > 0);
    port.ok_or_else(|| "a number from 1 to 65535 is wanted".to_owned())
}

fn already_running(folder: &Folder, args: &Args) -> Result<ExitCode> {
    let pid =
        Run::load(folder).map_or_else(String::new, |run| format!(" (pid {})", run.launcher.pid));
    if args.fresh {
        bail!(
            "a fleet runs here{pid}: --fresh would take its data away, so stop it first with deploy/down"
        );
    }
    let manifest = Manifest::load(folder);
    if manifest.state == State::Running {
        say(format!("The fleet is running{pid}; deploy/down stops it\n"));
        say_lines(&summary(&manifest, folder));
        if args.port.is_some() || !args.replicas.is_empty() || args.plans.is_some() {
            say(
                "It runs as it was started: --port, --replicas and --plans count after deploy/down",
            );
        }
    } else {
        say(format!(
            "The fleet is on its way{pid}; deploy/status says how far it is"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn build(args: &Args, signals: &Signals) -> Result<PathBuf> {
    let names: Vec<&str> = SERVICES
        .iter()
        .map(|service| service.name)
        .chain(["staff"])
        .collect();
    let binaries = if let Some(folder) = &args.bin_dir {
        std::path::absolute(folder).context("--bin-dir cannot be resolved")?
    } else {
        if !args.no_build {
            say(
                "Building the services (the first time takes some 5 minutes on two cores; later, seconds)",
            );
            // The fleet does without the listener for webhooks; who develops one does not.
            let built = [&names[..], &["webhook-listen"]].concat();
            cargo::build(args.profile(), &built, signals)?;
        }
        cargo::binaries(args.profile(), signals)?
    };
    if let Some(missing) = names.iter().find(|name| !binaries.join(name).is_file()) {
        bail!(
            "{} has no {missing}: build first, without --no-build",
            binaries.display()
        );
    }
    Ok(binaries)
}

/// Goes on in the background, and shows here what happens there until the fleet is up.
fn detach(folder: &Folder, lock: Lock, signals: &Signals) -> Result<ExitCode> {
    let path = folder.log("launcher");
    let log = File::options()
        .create(true)
        .truncate(true)
        .write(true)
        .mode(0o600)
        .open(&path);
    let log = log.with_context(|| format!("{} cannot be opened", path.display()))?;
    let errors = log.try_clone().context("a log cannot be opened twice")?;
    let args: Vec<OsString> = env::args_os()
        .skip(1)
        .filter(|arg| arg != "--detach" && arg != "--fresh" && arg != "--no-build")
        .collect();
    // It is this very program, even if the file was replaced by a build meanwhile.
    let mut command = Command::new("/proc/self/exe");
    command.arg0("fleet");
    command.args(args).args(["--no-build", "--detached"]);
    command.stdin(Stdio::null()).stdout(log).stderr(errors);
    // The background half takes over; it must not take this one for a launcher that was killed.
    Run::remove(folder)?;
    drop(lock);
    let mut child = command
        .spawn()
        .context("the background half cannot be started")?;
    let mut shown =
        File::open(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    follow(&mut child, &mut shown, folder, signals)
}

fn follow(
    child: &mut Child,
    log: &mut File,
    folder: &Folder,
    signals: &Signals,
) -> Result<ExitCode> {
    let pid = Pid::from_raw(i32::try_from(child.id()).context("process number out of range")?);
    loop {
        let status = child
            .try_wait()
            .context("the background half cannot be waited for")?;
        let up = status.is_none() && is_up(folder, child.id());
        let mut text = String::new();
        log.read_to_string(&mut text)
            .context("the launcher's log cannot be read")?;
        say_lines(&text);
        if let Some(status) = status {
            return Ok(if status.success() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            });
        }
        if up {
            return Ok(ExitCode::SUCCESS);
        }
        if signals.next(Duration::from_millis(100)) == Some(Event::Stop) {
            kill(pid, Signal::SIGTERM).context("the background half cannot be ended")?;
        }
    }
}

/// Whether the background half has said all it says at its start.
fn is_up(folder: &Folder, pid: u32) -> bool {
    let ours = Run::load(folder).is_some_and(|run| u32::try_from(run.launcher.pid) == Ok(pid));
    let said =
        fs::read_to_string(folder.log("launcher")).is_ok_and(|text| text.contains("deploy/down"));
    ours && said && Manifest::load(folder).state == State::Running
}
