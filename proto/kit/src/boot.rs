//! From settings to a running process and back: what every `main` does.

use std::future::Future;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use sqlx::PgPool;
use sqlx::migrate::Migrator;
use tokio::net::TcpListener;
use tonic::service::RoutesBuilder;

use crate::admin::{self, Readiness};
use crate::clock::Clock;
use crate::config::{self, Common, Settings};
use crate::feed::{self, Store, Stored};
use crate::lease::Lease;
use crate::lifecycle::Lifecycle;
use crate::pg::Schema;
use crate::rpc::Gate;
use crate::rpc::staff::Members;
use crate::{pg, rpc, telemetry};

/// What a service is given at start.
#[derive(Debug)]
pub struct Boot<S> {
    /// Its settings.
    pub settings: S,
    /// Spawns and stops its tasks.
    pub lifecycle: Lifecycle,
    /// Its readiness; add a condition for each thing that must be there first.
    pub readiness: Readiness,
    /// Its clock.
    pub clock: Clock,
}

/// Runs a service: reads its settings, starts telemetry and the admin port, hands over to `start`, and stops in two steps when told
/// to. `start` sets the service up and returns.
pub fn run<S, F>(start: impl FnOnce(Boot<S>) -> F) -> ExitCode
where
    S: Settings,
    F: Future<Output = anyhow::Result<()>>,
{
    let settings = match config::load::<S>() {
        Ok(settings) => settings,
        // Prints to the right stream, and exits with the right code, for problems and for --help alike.
        Err(error) => error.exit(),
    };
    let ended = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("no runtime")
        .and_then(|runtime| runtime.block_on(live(settings, start)));
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
    reason = "the last words of a process, for whoever started it"
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
        lifecycle.background("clock file", async {
            clock.follow_file(file).await;
            Ok(())
        });
    }

    lifecycle.background("metrics upkeep", telemetry.upkeep());

    let listener = bind(common.admin_listen, "admin_listen").await?;
    let router = admin::router(readiness.clone(), telemetry.metrics());
    // It answers to the very end, so that the drain can be watched.
    lifecycle.background("admin server", async move {
        axum::serve(listener, router)
            .await
            .context("the admin port")
    });

    start(Boot {
        settings,
        lifecycle: lifecycle.clone(),
        readiness,
        clock,
    })
    .await?;
    started.set(true);
    tracing::info!(service = S::SERVICE, "started");

    let draining = lifecycle.draining();
    lifecycle.detached(async move {
        draining.cancelled().await;
        started.set(false);
    });
    drop(lifecycle);
    let ended = supervisor.run(common.drain).await;
    tokio::task::spawn_blocking(|| telemetry.shutdown()).await?;
    ended
}

/// Opens a port.
///
/// # Errors
/// A sentence that names the setting and the address.
pub async fn bind(address: SocketAddr, setting: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| {
        format!("{setting}: {address} cannot be opened; is another program using the port?")
    })
}

impl<S: Settings> Boot<S> {
    /// Settings that every service has.
    pub fn common(&self) -> &Common {
        self.settings.common()
    }

    /// Opens the service's database and brings its schema up to date.
    pub async fn database(&self, migrator: &Migrator) -> anyhow::Result<PgPool> {
        pg::open(&self.common().database, S::SERVICE, migrator).await
    }

    /// A channel to another service of the fleet.
    pub fn client(
        &self,
        addresses: &rpc::client::Addresses,
    ) -> anyhow::Result<rpc::client::Client> {
        let token = &self.common().identity.fleet_token;
        rpc::client::connect(addresses.clone(), token, &self.lifecycle)
    }

    /// Follows the feed of `producer` into `store`, in one replica of this service at a time.
    pub fn follow<T: Store + Clone + 'static>(
        &self,
        pool: &PgPool,
        schema: Schema,
        producer: &'static str,
        addresses: &rpc::client::Addresses,
        store: T,
    ) -> anyhow::Result<()> {
        let client = self.client(addresses)?;
        let lease = Lease::new(pool.clone(), schema, producer, self.clock.clone());
        let pool = pool.clone();
        lease.spawn(&self.lifecycle, move || {
            let consumer = Stored::new(pool.clone(), schema, producer, store.clone());
            // Another replica may be the one that follows, so readiness does not wait for it.
            feed::consume(client.clone(), S::SERVICE, consumer, None)
        });
        Ok(())
    }

    /// Serves `services` on the internal port, beside health and reflection. `members` knows the staff by name.
    pub async fn serve_rpc_to_members(
        &self,
        services: RoutesBuilder,
        members: Arc<dyn Members>,
    ) -> anyhow::Result<()> {
        let gate = Gate::new(self.common().identity.clone()).with_members(members);
        let common = self.common();
        let listener = bind(common.grpc_listen, "grpc_listen").await?;
        let readiness = self.readiness.clone();
        let (draining, ended) = (self.lifecycle.draining(), self.lifecycle.ended());
        self.lifecycle.serve(
            "gRPC server",
            rpc::server::serve(listener, services, gate, readiness, draining, ended),
        );
        Ok(())
    }
}
