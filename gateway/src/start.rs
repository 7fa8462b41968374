//! Puts the process together.

use std::sync::Arc;

use contracts::gateway::v1::staff_service_server::StaffServiceServer;
use kit::audit::Audit;
use kit::boot::{self, Boot};
use kit::feed::{HighWaterMark, Producer, Retention};
use kit::redis::Redis;
use kit::rpc::FleetMembers;
use kit::rpc::client::{Client, Resolver};
use kit::workers;
use sqlx::PgPool;
use tonic::service::RoutesBuilder;

use crate::app::{App, Gateway};
use crate::coding::Openings;
use crate::config::Settings;
use crate::domain::plan::Plans;
use crate::domain::secret::Format;
use crate::feeds::listings::{Games, PRODUCER};
use crate::feeds::own::Own;
use crate::jobs::last_used::LastUsed;
use crate::jobs::month_use::MonthUse;
use crate::layers::admission::{Limits, limited};
use crate::lookup::Lookup;
use crate::quota::{self, Quota};
use crate::router::router;
use crate::server::{self, serve, within_descriptor_limit};
use crate::service::staff::Staff;
use crate::store::accounts;
use crate::switches::Board;
use crate::upstream::pictures::Pictures;
use crate::upstream::{Catalogue, Economy, Listings};
use crate::write::{Item, Write, Writes};
use crate::{MIGRATOR, SCHEMA};

/// What it means that Redis is away, for the log.
const WITHOUT_REDIS: &str =
    "calls are counted by each gateway alone, and a read may miss the writes of the last moment";

/// Starts the gateway.
pub async fn start(boot: Boot<Settings>) -> anyhow::Result<()> {
    let settings = &boot.settings;
    let plans = settings.plan_table();
    let plans = Arc::new(plans.map_err(|problems| anyhow::anyhow!(problems.join("; ")))?);
    let redis = Redis::connect(&settings.redis_url, settings.redis_patience, WITHOUT_REDIS).await?;
    let counted = Arc::new(quota::Shared::new(quota::SEED_PATIENCE));
    let pool = boot.database(&MIGRATOR).await?;
    known_plans(&pool, &plans).await?;

    let producer = Producer::start(
        pool.clone(),
        SCHEMA,
        boot.clock.clone(),
        &boot.lifecycle,
        Retention::default(),
    );
    let writer = producer.writer(Writes {
        plans: Arc::clone(&plans),
        grace: settings.grace,
    });
    writer.write(Write::of_gateway(Item::TellPlans)).await?;

    let lookup = Arc::new(Lookup::new(pool.clone(), settings.lookup_bounds()));
    let switches = Arc::new(Board::new(pool.clone()));
    follow_own_feed(&boot, &pool, &producer, &lookup, &switches).await?;
    let listings = &settings.listings_addresses;
    boot.follow(&pool, SCHEMA, PRODUCER, listings, Games)?;

    let last_used = Arc::new(LastUsed::default());
    write_last_used(&boot, &last_used, &pool);
    let month_use = MonthUse::new(pool.clone(), redis.new_connection(), Arc::clone(&counted));
    write_month_use(&boot, month_use);

    let mut services = kit::rpc::server::services();
    services
        .add_service(producer.service())
        .add_service(StaffServiceServer::new(Staff {
            audit: Audit::new(pool.clone(), SCHEMA, boot.clock.clone()),
            pool,
            writer,
            plans: Arc::clone(&plans),
            format: Format::new(&settings.key_prefix),
            quota: Arc::new(Quota::new(redis.new_connection(), Arc::clone(&counted))),
            clock: boot.clock.clone(),
        }));
    serve_rpc(&boot, services).await?;

    let catalogue = Resolver::watch(settings.catalogue_addresses.clone(), &boot.lifecycle)?;
    let listings = Resolver::watch(settings.listings_addresses.clone(), &boot.lifecycle)?;
    let economy = Resolver::watch(settings.economy_addresses.clone(), &boot.lifecycle)?;
    let (given, clock) = (settings.clone(), boot.clock.clone());
    let openings = Arc::new(Openings::default());
    let bounds = settings.upstream.bounds();
    let gateway = move || -> anyhow::Result<App> {
        let redis = redis.new_connection();
        let token = &given.common.identity.fleet_token;
        let catalogue = Client::new(catalogue.clone(), token)?;
        let listings = Client::new(listings.clone(), token)?;
        let economy = Client::new(economy.clone(), token)?;
        Ok(Arc::new(Gateway {
            clock: clock.clone(),
            format: Format::new(&given.key_prefix),
            proxies: given.lookup.trusted_proxies.clone(),
            proxy_header: given.lookup.proxy_header,
            docs_url: given.docs_url.clone(),
            plans: Arc::clone(&plans),
            switches: Arc::clone(&switches),
            lookup: Arc::clone(&lookup),
            last_used: Arc::clone(&last_used),
            openings: Arc::clone(&openings),
            quota: Quota::new(redis.clone(), Arc::clone(&counted)),
            catalogue: Catalogue::new(catalogue, listings.clone(), bounds),
            listings: Listings::new(listings.clone(), bounds),
            economy: Economy::new(economy, bounds),
            player_calls: given.player_calls,
            pictures: Arc::new(Pictures::new(listings, bounds)),
            latest: HighWaterMark::new(redis, PRODUCER),
            body_timeout: given.port.timeouts.http_body,
        }))
    };
    serve_http(&boot, gateway).await
}

/// Learns from the gateway's own feed what other replicas change.
async fn follow_own_feed(
    boot: &Boot<Settings>,
    pool: &PgPool,
    producer: &Producer,
    lookup: &Arc<Lookup>,
    switches: &Arc<Board>,
) -> anyhow::Result<()> {
    let (lookup, switches) = (Arc::clone(lookup), Arc::clone(switches));
    let own = Own::start(pool.clone(), lookup, switches, boot.clock.clone()).await?;
    let news = producer.subscribe();
    boot.lifecycle
        .spawn_background("own feed", own.follow(news));
    Ok(())
}

/// Opens the internal port, to the fleet and to the staff whom listings-svc knows.
async fn serve_rpc(boot: &Boot<Settings>, services: RoutesBuilder) -> anyhow::Result<()> {
    let settings = &boot.settings;
    let listings = boot.client(&settings.listings_addresses)?;
    let deadline = settings.upstream.upstream_deadline;
    let members = FleetMembers::new(listings, deadline, boot.clock.clone());
    boot.serve_rpc_to_members(services, Arc::new(members)).await
}

/// Opens the public port; each of its threads has what `gateway` makes for it.
async fn serve_http(
    boot: &Boot<Settings>,
    gateway: impl Fn() -> anyhow::Result<App> + Send + Sync + 'static,
) -> anyhow::Result<()> {
    let port = &boot.settings.port;
    let listener = boot::bind(port.http_listen, "http_listen").await?;
    let limits = Limits::of(port.http_calls);
    let settings = server::Settings {
        timeouts: port.timeouts,
        connections: within_descriptor_limit(port.http_connections),
        threads: port.http_threads.unwrap_or_else(workers::available_cores),
        draining: boot.lifecycle.draining(),
        ended: boot.lifecycle.ended(),
    };
    let server = serve(listener, settings, move || {
        let app = gateway()?;
        Ok(limited(router(&app), &app, limits))
    });
    boot.lifecycle.spawn_server("HTTP server", server);
    Ok(())
}

/// Accounts must not be on plans that nobody describes.
async fn known_plans(pool: &PgPool, plans: &Plans) -> anyhow::Result<()> {
    let names: Vec<String> = plans.iter().map(|plan| plan.name.clone()).collect();
    let unknown = accounts::plans_beside(pool, &names).await?;
    anyhow::ensure!(
        unknown.is_empty(),
        "plans: there are accounts on {}, which the table lacks; it has {}",
        unknown.join(", "),
        plans.names()
    );
    Ok(())
}

fn write_last_used(boot: &Boot<Settings>, last_used: &Arc<LastUsed>, pool: &PgPool) {
    let (last_used, pool) = (Arc::clone(last_used), pool.clone());
    let stopping = boot.lifecycle.stopping();
    boot.lifecycle.spawn_graceful("last used", async move {
        last_used.run(pool, stopping).await;
        Ok(())
    });
}

fn write_month_use(boot: &Boot<Settings>, month_use: MonthUse) {
    let (every, stopping) = (boot.settings.month_flush, boot.lifecycle.stopping());
    boot.lifecycle.spawn_graceful("month use", async move {
        month_use.run(every, stopping).await;
        Ok(())
    });
}
