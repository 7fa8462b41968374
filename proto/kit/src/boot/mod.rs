//! Starts and stops a service process: every `main` calls [`run`].

mod runtime;

use std::ffi::OsStr;
use std::future::Future;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::process::ExitCode;

use anyhow::Context as _;
use sqlx::PgPool;
use sqlx::migrate::Migrator;
use tokio::net::TcpListener;
use tonic::service::RoutesBuilder;

use crate::admin::{self, Readiness};
use crate::clock::Clock;
use crate::clock_difference::ClockComparison;
use crate::config::{self, Common, Profile, Request, Settings};
use crate::feed::{self, PgConsumer, Projection, Subscription};
use crate::healthcheck;
use crate::jobs::Leader;
use crate::lifecycle::{Lifecycle, Shutdown, StopSignals};
use crate::pg::Schema;
use crate::redis::Redis;
use crate::rpc::client::{Addresses, Client, Resolvers, Transport};
use crate::rpc::tls::Credentials;
use crate::rpc::{Authenticator, StaffMembers};
use crate::{pg, rpc, telemetry};
use runtime::block_on;

/// The parts that a service gets at start.
#[derive(Debug)]
pub struct Boot<S> {
    /// The settings of the service.
    pub settings: S,
    /// Spawns tasks and stops them at shutdown.
    pub lifecycle: Lifecycle,
    /// The readiness of the process. Add a condition for each thing that must be loaded before calls may come.
    pub readiness: Readiness,
    /// The source of the current time.
    pub clock: Clock,
    /// The certificate of this process, if the services speak TLS.
    credentials: Option<Credentials>,
    /// The addresses of the services that it calls.
    resolvers: Resolvers,
    /// The migrations that the service requires.
    migrator: &'static Migrator,
}

/// Runs a service: reads its settings, starts telemetry and the admin port, calls `start`, and stops in three steps after a signal.
///
/// `start` spawns the tasks of the service and returns; a signal before that drops it. With the argument `healthcheck` it asks a running service
/// whether it is ready instead, with `migrate` it runs `migrator`, with `check-config` nothing.
pub fn run<S, F>(start: impl FnOnce(Boot<S>) -> F, migrator: &'static Migrator) -> ExitCode
where
    S: Settings,
    F: Future<Output = anyhow::Result<()>>,
{
    run_with_data(start, migrator, async |_| Ok(()))
}

/// Like [`run`]. `migrate` also calls `load`, after the migrations, with a pool of the owner of the
/// schema: for data that a release brings.
pub fn run_with_data<S, F>(
    start: impl FnOnce(Boot<S>) -> F,
    migrator: &'static Migrator,
    load: impl AsyncFnOnce(PgPool) -> anyhow::Result<()>,
) -> ExitCode
where
    S: Settings,
    F: Future<Output = anyhow::Result<()>>,
{
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|it| it == healthcheck::COMMAND) {
        let address = arguments.next();
        let checked = healthcheck::run(address.as_deref().and_then(OsStr::to_str));
        return exit_code::<S>(checked);
    }
    let request = match config::load::<S>() {
        Ok(request) => request,
        // For bad settings and for --help: prints to the right stream.
        Err(error) => {
            drop(error.print());
            return if error.use_stderr() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
        }
    };
    let ended = match request {
        Request::Serve(settings) => block_on(live(settings, start, migrator)),
        Request::Migrate(settings, telemetry) => {
            block_on(migrate(S::SERVICE, &settings, &telemetry, migrator, load))
        }
        Request::CheckConfig => {
            writeln!(io::stdout(), "{}: the settings are good", S::SERVICE).map_err(Into::into)
        }
    };
    exit_code::<S>(ended)
}

fn exit_code<S: Settings>(ended: anyhow::Result<()>) -> ExitCode {
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report(S::SERVICE, &error);
            ExitCode::FAILURE
        }
    }
}

async fn migrate(
    service: &'static str,
    settings: &config::Migration,
    telemetry: &config::Telemetry,
    migrator: &Migrator,
    load: impl AsyncFnOnce(PgPool) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let telemetry = telemetry::start(service, telemetry)?;
    let migrated = async {
        pg::migrate(settings, service, migrator).await?;
        let pool = pg::owner_pool(settings, service)?;
        let loaded = load(pool.clone()).await;
        pool.close().await;
        loaded
    };
    let migrated = migrated.await;
    tokio::task::spawn_blocking(|| telemetry.shutdown()).await?;
    migrated
}

#[expect(
    clippy::print_stderr,
    reason = "the error of the process, for the operator who started it"
)]
fn report(service: &str, error: &anyhow::Error) {
    eprintln!("{service}: {error:#}");
}

async fn live<S, F>(
    settings: S,
    start: impl FnOnce(Boot<S>) -> F,
    migrator: &'static Migrator,
) -> anyhow::Result<()>
where
    S: Settings,
    F: Future<Output = anyhow::Result<()>>,
{
    let mut signals = StopSignals::catch()?;
    let common = settings.common().clone();
    let telemetry = telemetry::start(S::SERVICE, &common.telemetry)?;
    let (lifecycle, supervisor) = Lifecycle::new();
    let readiness = Readiness::default();
    let started = readiness.condition("the service to start");
    let clock = Clock::system();
    if let Some(file) = common.clock_file {
        let clock = clock.clone();
        // Before the service starts: its jobs compare stored times with this clock.
        clock.read_file(&file);
        lifecycle.spawn_background("clock file", async {
            clock.follow_file(file).await;
            Ok(())
        });
    }

    lifecycle.spawn_background("metrics upkeep", telemetry.upkeep());
    let credentials = match common.tls.files() {
        Some(files) => Some(Credentials::load(&files, S::SERVICE).await?),
        None => None,
    };

    let listener = bind(common.admin_listen, "admin_listen").await?;
    let router = admin::router(readiness.clone(), telemetry.metrics());
    // A background task, so that the admin port also answers during the drain.
    lifecycle.spawn_background("admin server", async move {
        axum::serve(listener, router).await.context("the admin port")
    });

    let terminating = lifecycle.terminating();
    let unready = started.clone();
    lifecycle.spawn(async move {
        terminating.cancelled().await;
        unready.fail("the process to stop".to_owned());
    });
    let starting = start(Boot {
        settings,
        lifecycle,
        readiness,
        clock,
        credentials,
        resolvers: Resolvers::default(),
        migrator,
    });
    let interrupted = tokio::select! {
        result = starting => result.map(|()| None)?,
        signal = signals.next() => Some(signal),
    };
    let ended = if let Some(signal) = interrupted {
        tracing::info!(signal, "stopping before the start is complete");
        supervisor.stop(&mut signals, common.drain).await;
        Ok(())
    } else {
        started.set(true);
        tracing::info!(service = S::SERVICE, "started");
        let shutdown = Shutdown { delay: common.shutdown_delay, drain: common.drain };
        supervisor.run(signals, shutdown).await
    };
    tokio::task::spawn_blocking(|| telemetry.shutdown()).await?;
    ended
}

/// Binds a port.
///
/// # Errors
/// The port cannot be bound. The message names the setting and the address.
pub async fn bind(address: SocketAddr, setting: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| {
        format!(
            "{setting}: cannot listen on {address}; check whether another program uses the port"
        )
    })
}

impl<S: Settings> Boot<S> {
    /// The settings that every service has.
    pub fn common(&self) -> &Common {
        self.settings.common()
    }

    /// Connects to the service's database, which must have its migrations. The process is not ready until its clock has agreed with
    /// PostgreSQL's.
    pub async fn database(&self) -> anyhow::Result<PgPool> {
        self.database_with(&[]).await
    }

    /// Like [`database`](Self::database), with settings of PostgreSQL for every connection of the pool.
    pub async fn database_with(&self, session: &[(&str, &str)]) -> anyhow::Result<PgPool> {
        let settings = &self.common().database;
        let pool = pg::open(settings, S::SERVICE, self.migrator, session).await?;
        let condition = "the clock to be compared with PostgreSQL's";
        let agreed = self.readiness.condition(condition);
        let mut comparison = ClockComparison::with_postgresql(pool.clone(), agreed);
        comparison.compare().await;
        self.lifecycle.spawn_background("clock comparison", comparison.watch());
        self.lifecycle.spawn_background("pool metrics", pg::watch_pool(pool.clone()));
        Ok(pool)
    }

    /// Compares the clock with Redis's, by which the service counts.
    pub fn compare_clock_with(&self, redis: &Redis) {
        let comparison = ClockComparison::with_redis(redis.clone());
        self.lifecycle.spawn_background("clock comparison with Redis", comparison.watch());
    }

    /// A client of another service of the fleet. With TLS, the certificates of its replicas must have the DNS name `service`.
    pub fn client(&self, service: &str, addresses: &Addresses) -> anyhow::Result<Client> {
        let common = self.common();
        let mut transport = match common.profile {
            Profile::Local => Transport::plain(),
            Profile::Production => Transport::guarded(),
        };
        if let Some(credentials) = &self.credentials {
            transport = transport.with_tls(credentials.client(), service)?;
        }
        let token = &common.identity.fleet_token.first;
        let addresses = self.resolvers.watch(addresses, &transport, &self.lifecycle)?;
        Client::new(addresses, transport, token)
    }

    /// The leader of this service, to which its jobs are added.
    pub fn leader(&self, pool: &PgPool, schema: Schema) -> Leader {
        Leader::start(&self.lifecycle, pool.clone(), schema, self.clock.clone())
    }

    /// Follows the feed of `producer`, which `client` calls, with `projection`, in the leader.
    #[expect(clippy::unused_self, reason = "it names the service that follows")]
    pub fn follow<P: Projection + Clone>(
        &self,
        leader: &Leader,
        producer: &'static str,
        client: Client,
        projection: P,
    ) {
        let (pool, schema) = (leader.pool.clone(), leader.schema);
        let feed = Subscription { schema, producer };
        leader.spawn(producer, move || {
            let consumer = PgConsumer::new(pool.clone(), feed, projection.clone());
            // Readiness does not wait for the follower: another replica may be the leader.
            feed::consume(client.clone(), S::SERVICE, consumer, None)
        });
    }

    /// Serves `services` on the internal port, with health and reflection.
    pub async fn serve_rpc(&self, mut services: RoutesBuilder) -> anyhow::Result<()> {
        rpc::server::add_reflection(&mut services)?;
        let common = self.common();
        let mut authenticator = Authenticator::new(common.identity.clone());
        if let Some(file) = &common.identity.staff_members {
            let members = StaffMembers::watch(file, self.clock.clone(), &self.lifecycle)?;
            authenticator = authenticator.with_members(members);
        }
        if self.credentials.is_some() {
            authenticator = authenticator.requiring_certificates();
        }
        let listener = bind(common.grpc_listen, "grpc_listen").await?;
        self.lifecycle.spawn_server(
            "gRPC server",
            rpc::server::serve(
                listener,
                services,
                self.credentials.clone(),
                authenticator,
                self.readiness.clone(),
                self.lifecycle.draining(),
            ),
        );
        Ok(())
    }
}
