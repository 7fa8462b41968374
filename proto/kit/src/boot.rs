//! Starts and stops a service process: every `main` calls [`run`].

use std::ffi::OsStr;
use std::future::Future;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};
use sqlx::PgPool;
use sqlx::migrate::Migrator;
use tokio::net::TcpListener;
use tonic::service::RoutesBuilder;

use crate::admin::{self, Readiness};
use crate::clock::Clock;
use crate::clock_difference::ClockComparison;
use crate::config::{self, Common, Settings};
use crate::feed::{self, ChangeSource, DeadLetterService, PgConsumer, Projection, Subscription};
use crate::leader::Leader;
use crate::lifecycle::Lifecycle;
use crate::pg::Schema;
use crate::rpc::Authenticator;
use crate::rpc::staff::Members;
use crate::{healthcheck, pg, rpc, telemetry};

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
    /// The staff calls for the feeds of the service.
    dead_letters: Mutex<Option<DeadLetterService>>,
}

/// Runs a service: reads its settings, starts telemetry and the admin port, calls `start`, and stops in two steps after a signal.
/// `start` spawns the tasks of the service and returns. With the argument `healthcheck`, it asks a running service whether it is ready.
pub fn run<S, F>(start: impl FnOnce(Boot<S>) -> F) -> ExitCode
where
    S: Settings,
    F: Future<Output = anyhow::Result<()>>,
{
    let mut arguments = std::env::args_os().skip(1);
    if arguments
        .next()
        .is_some_and(|it| it == healthcheck::COMMAND)
    {
        let address = arguments.next();
        let checked = healthcheck::run(address.as_deref().and_then(OsStr::to_str));
        return exit_code::<S>(checked);
    }
    let settings = match config::load::<S>() {
        Ok(settings) => settings,
        // For errors and for --help: prints to the right stream and exits with the right code.
        Err(error) => error.exit(),
    };
    let ended = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot create the runtime")
        .and_then(|runtime| runtime.block_on(live(settings, start)));
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

#[expect(
    clippy::print_stderr,
    reason = "the error of the process, for the operator who started it"
)]
fn report(service: &str, error: &anyhow::Error) {
    eprintln!("{service}: {error:#}");
}

async fn live<S, F>(settings: S, start: impl FnOnce(Boot<S>) -> F) -> anyhow::Result<()>
where
    S: Settings,
    F: Future<Output = anyhow::Result<()>>,
{
    let common = settings.common().clone();
    let telemetry = telemetry::start(S::SERVICE, &common.telemetry)?;
    let (lifecycle, supervisor) = Lifecycle::new();
    let readiness = Readiness::default();
    let started = readiness.condition("the service to start");
    let clock = Clock::system();
    if let Some(file) = common.clock_file {
        let clock = clock.clone();
        // Before the service starts: its jobs compare stored times with this clock.
        clock.read_file(&file).await;
        lifecycle.spawn_background("clock file", async {
            clock.follow_file(file).await;
            Ok(())
        });
    }

    lifecycle.spawn_background("metrics upkeep", telemetry.upkeep());

    let listener = bind(common.admin_listen, "admin_listen").await?;
    let router = admin::router(readiness.clone(), telemetry.metrics());
    // A background task, so that the admin port also answers during the drain.
    lifecycle.spawn_background("admin server", async move {
        axum::serve(listener, router)
            .await
            .context("the admin port")
    });

    start(Boot {
        settings,
        lifecycle: lifecycle.clone(),
        readiness,
        clock,
        dead_letters: Mutex::default(),
    })
    .await?;
    started.set(true);
    tracing::info!(service = S::SERVICE, "started");

    let draining = lifecycle.draining();
    lifecycle.spawn(async move {
        draining.cancelled().await;
        started.set(false);
    });
    let ended = supervisor.run(common.drain).await;
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

    /// Connects to the service's database and runs its migrations. The process is not ready until its clock has agreed with PostgreSQL's.
    pub async fn database(&self, migrator: &Migrator) -> anyhow::Result<PgPool> {
        let pool = pg::open(&self.common().database, S::SERVICE, migrator).await?;
        let condition = "the clock to be compared with PostgreSQL's";
        let agreed = self.readiness.condition(condition);
        let mut comparison = ClockComparison::new(pool.clone(), agreed);
        comparison.compare().await;
        self.lifecycle
            .spawn_background("clock comparison", comparison.watch());
        Ok(pool)
    }

    /// A client of another service of the fleet.
    pub fn client(
        &self,
        addresses: &rpc::client::Addresses,
    ) -> anyhow::Result<rpc::client::Client> {
        let token = &self.common().identity.fleet_token;
        rpc::client::connect(addresses.clone(), token, &self.lifecycle)
    }

    /// The leader of this service, to which its jobs are added.
    pub fn leader(&self, pool: &PgPool, schema: Schema) -> Leader {
        Leader::start(&self.lifecycle, pool.clone(), schema, self.clock.clone())
    }

    /// Follows the feed of `producer` with `projection`, in the leader. Staff can list and retry what cannot be applied.
    pub fn follow<P: Projection + Clone>(
        &self,
        leader: &Leader,
        producer: &'static str,
        addresses: &rpc::client::Addresses,
        projection: P,
    ) -> anyhow::Result<()> {
        let client = self.client(addresses)?;
        let (pool, schema) = (leader.pool.clone(), leader.schema);
        self.add_dead_letters(&pool, schema, producer, client.clone(), projection.clone());
        let feed = Subscription { schema, producer };
        leader.spawn(producer, move || {
            let consumer = PgConsumer::new(pool.clone(), feed, client.clone(), projection.clone());
            // Readiness does not wait for the follower: another replica may be the leader.
            feed::consume(client.clone(), S::SERVICE, consumer, None)
        });
        Ok(())
    }

    /// Lets staff list and retry the changes of `producer` that `projection` could not apply; a retry reads them from `source`.
    /// [`follow`](Self::follow) calls this.
    pub fn add_dead_letters(
        &self,
        pool: &PgPool,
        schema: Schema,
        producer: &'static str,
        source: impl ChangeSource,
        projection: impl Projection,
    ) {
        self.feeds(pool, schema).add(producer, source, projection);
    }

    /// Lets staff list and forget the followers of the feed in `schema`. A service that follows another feed need not call this.
    pub fn add_feed(&self, pool: &PgPool, schema: Schema) {
        drop(self.feeds(pool, schema));
    }

    fn feeds(&self, pool: &PgPool, schema: Schema) -> MappedMutexGuard<'_, DeadLetterService> {
        let new = || DeadLetterService::new(pool.clone(), schema, self.clock.clone());
        MutexGuard::map(self.dead_letters.lock(), |service| {
            service.get_or_insert_with(new)
        })
    }

    /// Serves `services` on the internal port, with health and reflection. `members` finds staff members by their tokens.
    pub async fn serve_rpc_to_members(
        &self,
        mut services: RoutesBuilder,
        members: Arc<dyn Members>,
    ) -> anyhow::Result<()> {
        let dead_letters = self.dead_letters.lock().take();
        if let Some(service) = dead_letters {
            services.add_service(service.into_server());
        }
        let authenticator =
            Authenticator::new(self.common().identity.clone()).with_members(members);
        let common = self.common();
        let listener = bind(common.grpc_listen, "grpc_listen").await?;
        let readiness = self.readiness.clone();
        let draining = self.lifecycle.draining();
        self.lifecycle.spawn_server(
            "gRPC server",
            rpc::server::serve(listener, services, authenticator, readiness, draining),
        );
        Ok(())
    }
}
