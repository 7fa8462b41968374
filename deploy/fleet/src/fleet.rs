//! A whole fleet, from its servers to its seed data.

use std::fs::OpenOptions;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::activity;
use crate::cargo;
use crate::database::{self, Address};
use crate::folder::Folder;
use crate::lock::Lock;
use crate::manifest::{FleetState, Manifest};
use crate::ports::Ports;
use crate::postgres::{self, DataFolders};
use crate::process;
use crate::ready::readiness;
use crate::redis;
use crate::say::say;
use crate::seed::{self, Staff};
use crate::services::{self, Instance, POSTGRES_PORT, REDIS_PORT, Replicas, Shared, WEB};
use crate::supervise::Supervisor;
use crate::wait::{Interrupted, Signals, format_duration};

/// How long servers and services may take to start, several fleets at once on a slow machine.
const SERVER_LIMIT: Duration = Duration::from_mins(3);
const SERVICE_LIMIT: Duration = Duration::from_mins(5);

/// The servers of the user. The launcher starts the ones that are absent.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExternalServers {
    pub(crate) database: Option<String>,
    pub(crate) redis: Option<String>,
}

impl ExternalServers {
    /// Installs the Debian packages of the programs that the fleet requires; `false` if one is missing, after a sentence that says so.
    pub(crate) fn install_packages(&self) -> Result<bool> {
        let mut shell = Command::new("sh");
        let script = cargo::root().join("deploy/fleet/packages.sh");
        shell.args(["-c", r#". "$0"; require "$@""#]).arg(script).arg("setpriv=util-linux");
        let external = self.database.is_some();
        shell.arg(if external { "psql=postgresql-client" } else { "postgres=postgresql" });
        shell.args(self.redis.is_none().then_some("redis-server=redis-server"));
        Ok(shell.status().context("cannot start sh")?.success())
    }
}

/// The configuration of a fleet.
#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) port: Option<u16>,
    pub(crate) replicas: Replicas,
    /// The folder of the services' binaries.
    pub(crate) binaries: PathBuf,
    /// A table of plans, instead of the one of the gateway.
    pub(crate) plans: Option<PathBuf>,
    pub(crate) external: ExternalServers,
    /// Whether data survive a crash of the machine, and not only one of PostgreSQL or Redis.
    pub(crate) durable: bool,
    /// The files for `staff apply`.
    pub(crate) seeds: Vec<PathBuf>,
    /// The folder of a stopped fleet, whose data a new fleet copies.
    pub(crate) template: Option<PathBuf>,
    /// Whether a new fleet gets a month of reports and votes.
    pub(crate) activity: bool,
}

/// A fleet that is starting or running.
pub(crate) struct Fleet<'a> {
    folder: &'a Folder,
    signals: &'a Signals,
    plan: &'a Plan,
    pub(crate) manifest: Manifest,
    /// A sentence about the activity that this start has made.
    pub(crate) activity: Option<String>,
    instances: Vec<Instance>,
    ports: Ports,
}

impl<'a> Fleet<'a> {
    /// Calls `work` with a fleet, and ends all processes that it has started.
    pub(crate) fn run(
        folder: &'a Folder,
        lock: &'a Lock,
        plan: &'a Plan,
        signals: &'a Signals,
        work: impl FnOnce(&mut Self, &mut Supervisor<'a>) -> Result<()>,
    ) -> Result<()> {
        let mut fleet = Self::prepare(folder, plan, signals)?;
        let mut supervisor = Supervisor::new(folder, lock, signals);
        let outcome = work(&mut fleet, &mut supervisor);
        let stopped = supervisor.stop();
        let saved = fleet.set_state(FleetState::Stopped);
        match outcome {
            Err(error) if !error.is::<Interrupted>() => Err(error),
            outcome => stopped.and(saved).and(outcome),
        }
    }

    /// Chooses ports and secrets. Starts nothing.
    fn prepare(folder: &'a Folder, plan: &'a Plan, signals: &'a Signals) -> Result<Self> {
        let mut manifest = match &plan.template {
            Some(template) if !folder.manifest().exists() => Manifest::copy(template)?,
            _ => Manifest::load(folder),
        };
        if plan.activity && !folder.manifest().exists() {
            activity::begin(folder, &mut manifest)?;
        }
        let memory = &mut manifest.memory;
        let count = services::port_count(&plan.replicas);
        let mut ports = Ports::reserve(count, memory.first_port, plan.port)?;
        let mut instances = services::instances(&plan.replicas, &ports);
        let mut gateways =
            instances.iter_mut().filter(|instance| instance.service.name == "gateway");
        if let Some(first) = gateways.next()
            && let Some(private) = first.http
        {
            let port = ports.public(plan.port, memory.public_port, private)?;
            first.http = Some(port);
            memory.public_port = Some(port);
        }
        memory.first_port = Some(ports.private(0));
        manifest.state = FleetState::Starting;
        manifest.services.clear();
        manifest.servers.clear();
        manifest.staff_token = manifest.secret("staff")?;
        manifest.fleet_token = manifest.secret("fleet")?;
        manifest.secret(services::SIGNING_KEY)?;
        manifest.secret(services::PEOPLE_KEY)?;
        manifest.clock_file = folder.clock().display().to_string();
        manifest.mail_dir = folder.mail().display().to_string();
        let fleet = Self { folder, signals, plan, manifest, activity: None, instances, ports };
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(folder.clock())
            .context("cannot create the clock file")?;
        Ok(fleet)
    }

    pub(crate) fn folder(&self) -> &'a Folder {
        self.folder
    }

    /// The public address of the first process of a service.
    fn public_url(&self, service: &str) -> String {
        let mut instances = self.instances.iter();
        let instance = instances.find(|instance| instance.service.name == service);
        let port = instance.and_then(|instance| instance.http);
        format!("http://127.0.0.1:{}", port.unwrap_or_default())
    }

    /// Starts PostgreSQL and Redis, unless the user has them, and creates roles and schemas.
    pub(crate) fn start_servers(&mut self, supervisor: &mut Supervisor<'_>) -> Result<()> {
        self.manifest.base_url = format!("{}/v1", self.public_url("gateway"));
        self.manifest.openapi_url = format!("{}/openapi.json", self.manifest.base_url);
        self.manifest.dashboard_url = format!("{}/", self.public_url(WEB));
        self.manifest.save(self.folder)?;
        self.start_redis(supervisor)?;
        self.start_postgres(supervisor)?;
        self.manifest.servers = supervisor.servers();
        self.manifest.save(self.folder)
    }

    /// The folders of the private servers, with the data of the template if they are new.
    fn data_folders(&self) -> Result<DataFolders> {
        let folders = DataFolders::prepare(self.folder)?;
        if let Some(template) = &self.plan.template {
            folders.copy(template, self.signals)?;
        }
        Ok(folders)
    }

    fn start_redis(&mut self, supervisor: &mut Supervisor<'_>) -> Result<()> {
        let since = Instant::now();
        if let Some(url) = &self.plan.external.redis {
            self.manifest.redis_url.clone_from(url);
            return Ok(());
        }
        let folders = self.data_folders()?;
        let port = self.ports.private(REDIS_PORT);
        let password = self.manifest.secret("redis")?;
        self.manifest.redis_url = redis::url(port, &password);
        supervisor
            .start(redis::spec(&folders, self.folder, port, &password, self.plan.durable)?, None)?;
        let version =
            supervisor.until("Redis", SERVER_LIMIT, || Ok(redis::version(port, &password)))?;
        redis::require(&version)?;
        say(format!("Redis {version} on port {port}, {}", format_duration(since.elapsed())));
        Ok(())
    }

    fn start_postgres(&mut self, supervisor: &mut Supervisor<'_>) -> Result<()> {
        let since = Instant::now();
        let signals = self.signals;
        if let Some(url) = &self.plan.external.database {
            let admin = Address::parse("DATABASE_URL", url)?;
            self.manifest.use_database(&admin.identity());
            return database::set_up(&admin, false, self.folder, &mut self.manifest, signals);
        }
        let folders = self.data_folders()?;
        let port = self.ports.private(POSTGRES_PORT);
        let password = self.manifest.secret("postgres")?;
        // Saves the password before the data folder is created with it, in case the launcher is killed in between.
        self.manifest.save(self.folder)?;
        let tools = postgres::initialize(&folders, &password, self.plan.durable, signals)?;
        supervisor
            .start(postgres::spec(&tools, &folders, self.folder, port, self.plan.durable), None)?;
        let address = |database| {
            Address::parse("PostgreSQL", &postgres::url(port, postgres::OWNER, &password, database))
        };
        let system = address("postgres")?;
        supervisor.until("PostgreSQL", SERVER_LIMIT, || {
            match system.query("select 1", signals) {
                Err(error) if error.is::<Interrupted>() => Err(error),
                result => Ok(result.ok()),
            }
        })?;
        let owner = postgres::OWNER;
        system.query(
            &format!(
                "select 'create database {owner}' where not exists (select from pg_database where datname = '{owner}') \\gexec"
            ),
            signals,
        )?;
        self.manifest.use_database("private");
        database::set_up(&address(owner)?, true, self.folder, &mut self.manifest, signals)?;
        say(format!(
            "PostgreSQL {} on port {port}, {}",
            tools.version,
            format_duration(since.elapsed())
        ));
        Ok(())
    }

    /// Starts everything, with data.
    pub(crate) fn start(&mut self, supervisor: &mut Supervisor<'_>) -> Result<()> {
        self.start_servers(supervisor)?;
        self.start_services(supervisor)
    }

    /// Starts the services, waits until all are ready, and creates the seed data.
    fn start_services(&mut self, supervisor: &mut Supervisor<'_>) -> Result<()> {
        let since = Instant::now();
        say(format!("Starting {} service processes", self.instances.len()));
        let copied_url = self.manifest.memory.public_url.clone();
        let shared = Shared {
            folder: self.folder,
            binaries: &self.plan.binaries,
            plans: self.plan.plans.clone(),
            public_url: copied_url.unwrap_or_else(|| self.public_url(WEB)),
            dashboard_url: self.public_url(WEB),
        };
        self.migrate(&shared)?;
        // Services read these files at their start.
        let all: Vec<_> = self.instances.iter().map(|one| (one, None)).collect();
        supervisor.write_addresses(&all)?;
        for instance in &self.instances {
            // A service that calls another before that one listens warns in its log.
            let may_be_called =
                |one: &Instance| !instance.service.calls(one.service) || one.listens();
            supervisor.until_each(SERVICE_LIMIT, may_be_called)?;
            let spec = services::spec(instance, &shared, &self.manifest)?;
            supervisor.start(spec, Some(instance.clone()))?;
            supervisor.publish(&mut self.manifest)?;
        }
        supervisor.until_each(SERVICE_LIMIT, |one| readiness(one).is_ok())?;
        say(format!("All services are ready, {}", format_duration(since.elapsed())));
        self.seed()
    }

    /// Brings the schema of each service up to date, as its owner.
    fn migrate(&self, shared: &Shared<'_>) -> Result<()> {
        for instance in self.instances.iter().filter(|one| one.replica == 1) {
            let (name, schema) = (instance.service.name, instance.service.schema());
            let mut command = services::spec(instance, shared, &self.manifest)?.command;
            command.arg("migrate");
            if let Some(url) = self.manifest.database_owner_urls.get(schema) {
                command.env(database::owner_setting(schema), url);
            }
            let output = process::capture(&mut command, "", self.signals)?;
            if !output.status.success() {
                bail!("`{name} migrate` failed: {}", output.stderr.trim());
            }
        }
        Ok(())
    }

    /// Imports the directory, and creates accounts with keys and the activity of a new fleet, unless an earlier start has done so.
    fn seed(&mut self) -> Result<()> {
        let address = |name: &str| {
            let instance = self.instances.iter().find(|instance| instance.service.name == name);
            instance.map(Instance::address).unwrap_or_default()
        };
        let staff = Staff {
            folder: self.folder,
            binaries: &self.plan.binaries,
            signals: self.signals,
            gateway: address("gateway"),
            listings: address("listings-svc"),
            economy: address("economy-svc"),
        };
        seed::apply(&staff, &self.plan.seeds, &mut self.manifest)?;
        self.activity = activity::create(&staff, &address("catalogue-svc"), &mut self.manifest)?;
        Ok(())
    }

    pub(crate) fn set_state(&mut self, state: FleetState) -> Result<()> {
        self.manifest.set_state(state, self.folder)
    }

    /// Three example calls to paste into a shell.
    pub(crate) fn examples(&self) -> Result<String> {
        let mut accounts = self.manifest.accounts.iter();
        let account = accounts.find(|account| account.name == "free");
        let account = account.context("there is no account `free`")?;
        let (key, game) = (account.keys.get("live"), account.games.first());
        let key = key.context("the account `free` has no live key")?;
        let game = game.context("the account `free` has no game")?;
        let base = &self.manifest.base_url;
        let paths = ["/games?limit=3", &format!("/games/{game}"), "/me"];
        let call =
            |path: &&str| format!("  curl -H 'Authorization: Bearer {key}' '{base}{path}'\n");
        Ok(paths.iter().map(call).collect())
    }
}
