//! Wires up the process and starts its servers and tasks.

use std::sync::Arc;

use contracts::gateway::v1::staff_service_server::StaffServiceServer;
use kit::audit::Audit;
use kit::boot::{self, Boot};
use kit::descriptor_limit;
use kit::feed::{HighWaterMark, Producer, Retention};
use kit::redis::Redis;
use kit::rpc::FleetMembers;
use kit::rpc::client::{Client, Resolver};
use kit::workers;
use sqlx::PgPool;
use tonic::service::RoutesBuilder;

use crate::app::{App, Gateway};
use crate::coding::EncodedPrefixCache;
use crate::config::Settings;
use crate::domain::plan::Plans;
use crate::domain::secret::KeyFormat;
use crate::feeds::invalidation::Invalidation;
use crate::feeds::listings::{Games, PRODUCER};
use crate::jobs::last_used::LastUsed;
use crate::jobs::month_use::MonthUse;
use crate::layers::admission::{ConcurrencyLimits, limit_calls};
use crate::lookup::Lookup;
use crate::quota::{self, Quota};
use crate::router::router;
use crate::server::{self, serve};
use crate::service::staff::Staff;
use crate::store::accounts;
use crate::switches::SwitchCache;
use crate::upstream::pictures::Pictures;
use crate::upstream::{Catalogue, Economy, Listings, ListingsPosition};
use crate::write::{AuthoredCommand, Command, CommandHandler};
use crate::{MIGRATOR, SCHEMA};

/// Logged when Redis is away.
const WITHOUT_REDIS: &str =
    "each gateway counts calls by itself, and reads ask listings-svc for its position";

pub async fn start(boot: Boot<Settings>) -> anyhow::Result<()> {
    let settings = &boot.settings;
    let plans = settings.plan_table();
    let plans = Arc::new(plans.map_err(|problems| anyhow::anyhow!(problems.join("; ")))?);
    let redis = Redis::connect(&settings.redis_url, settings.redis_patience, WITHOUT_REDIS).await?;
    let counters = Arc::new(quota::SharedCounters::new(quota::BACKFILL_TIMEOUT));
    let pool = boot.database(&MIGRATOR).await?;
    check_account_plans(&pool, &plans).await?;

    let producer = Producer::start(
        pool.clone(),
        SCHEMA,
        boot.clock.clone(),
        &boot.lifecycle,
        Retention::default(),
    );
    let writer = producer.writer(CommandHandler {
        plans: Arc::clone(&plans),
        grace: settings.grace,
    });
    writer
        .write(AuthoredCommand::by_gateway(Command::PublishPlans))
        .await?;

    let lookup = Arc::new(Lookup::new(pool.clone(), settings.lookup_options()));
    let switches = Arc::new(SwitchCache::new(pool.clone()));
    follow_gateway_feed(&boot, &pool, &producer, &lookup, &switches).await?;
    let listings = &settings.listings_addresses;
    boot.follow(&pool, SCHEMA, PRODUCER, listings, Games)?;

    let last_used = Arc::new(LastUsed::default());
    write_last_used(&boot, &last_used, &pool);
    write_month_use(&boot, &pool, &redis, &counters);

    let mut services = kit::rpc::server::services();
    services
        .add_service(producer.service())
        .add_service(StaffServiceServer::new(Staff {
            audit: Audit::new(pool.clone(), SCHEMA, boot.clock.clone()),
            pool,
            writer,
            plans: Arc::clone(&plans),
            format: KeyFormat::new(&settings.key_prefix),
            quota: Arc::new(Quota::new(redis.new_connection(), Arc::clone(&counters))),
            clock: boot.clock.clone(),
        }));
    serve_rpc(&boot, services).await?;

    let catalogue = Resolver::watch(settings.catalogue_addresses.clone(), &boot.lifecycle)?;
    let listings = Resolver::watch(settings.listings_addresses.clone(), &boot.lifecycle)?;
    let economy = Resolver::watch(settings.economy_addresses.clone(), &boot.lifecycle)?;
    let (thread_settings, clock) = (settings.clone(), boot.clock.clone());
    let encoded_prefixes = Arc::new(EncodedPrefixCache::default());
    let limits = settings.upstream.limits();
    let build_app = move || -> anyhow::Result<App> {
        let redis = redis.new_connection();
        let token = &thread_settings.common.identity.fleet_token;
        let catalogue = Client::new(catalogue.clone(), token)?;
        let listings = Client::new(listings.clone(), token)?;
        let economy = Client::new(economy.clone(), token)?;
        Ok(Arc::new(Gateway {
            clock: clock.clone(),
            format: KeyFormat::new(&thread_settings.key_prefix),
            proxies: thread_settings.lookup.trusted_proxies.clone(),
            proxy_header: thread_settings.lookup.proxy_header,
            docs_url: thread_settings.docs_url.clone(),
            plans: Arc::clone(&plans),
            switches: Arc::clone(&switches),
            lookup: Arc::clone(&lookup),
            last_used: Arc::clone(&last_used),
            encoded_prefixes: Arc::clone(&encoded_prefixes),
            quota: Quota::new(redis.clone(), Arc::clone(&counters)),
            catalogue: Catalogue::new(&catalogue, limits),
            listings: Listings::new(listings.clone(), limits),
            economy: Economy::new(economy, limits),
            player_calls: thread_settings.player_calls,
            pictures: Arc::new(Pictures::new(listings.clone(), limits)),
            newest_position: HighWaterMark::new(redis, PRODUCER),
            listings_position: ListingsPosition::new(listings, limits.position_timeout),
            body_timeout: thread_settings.port.timeouts.http_body,
        }))
    };
    serve_http(&boot, build_app).await
}

/// Follows the gateway's own feed, through which replicas learn of each other's changes.
async fn follow_gateway_feed(
    boot: &Boot<Settings>,
    pool: &PgPool,
    producer: &Producer,
    lookup: &Arc<Lookup>,
    switches: &Arc<SwitchCache>,
) -> anyhow::Result<()> {
    let (lookup, switches) = (Arc::clone(lookup), Arc::clone(switches));
    let invalidation =
        Invalidation::start(pool.clone(), lookup, switches, boot.clock.clone()).await?;
    let notifications = producer.subscribe();
    boot.lifecycle
        .spawn_background("key invalidation", invalidation.run(notifications));
    Ok(())
}

/// Opens the internal port. It accepts the fleet token, and staff tokens, which listings-svc checks.
async fn serve_rpc(boot: &Boot<Settings>, services: RoutesBuilder) -> anyhow::Result<()> {
    let settings = &boot.settings;
    let listings = boot.client(&settings.listings_addresses)?;
    let deadline = settings.upstream.upstream_deadline;
    let members = FleetMembers::new(listings, deadline, boot.clock.clone());
    boot.serve_rpc_to_members(services, Arc::new(members)).await
}

/// Opens the public port. Each of its threads calls `build_app` once.
async fn serve_http(
    boot: &Boot<Settings>,
    build_app: impl Fn() -> anyhow::Result<App> + Send + Sync + 'static,
) -> anyhow::Result<()> {
    let port = &boot.settings.port;
    let listener = boot::bind(port.http_listen, "http_listen").await?;
    let limits = ConcurrencyLimits::new(port.http_calls);
    let settings = server::Settings {
        timeouts: port.timeouts,
        connections: descriptor_limit::allowed("http_connections", port.http_connections),
        threads: port.http_threads.unwrap_or_else(workers::available_cores),
        draining: boot.lifecycle.draining(),
        ended: boot.lifecycle.ended(),
    };
    let server = serve(listener, settings, move || {
        let app = build_app()?;
        Ok(limit_calls(router(&app), &app, limits))
    });
    boot.lifecycle.spawn_server("HTTP server", server);
    Ok(())
}

/// Fails if an account is on a plan that the table of plans lacks.
async fn check_account_plans(pool: &PgPool, plans: &Plans) -> anyhow::Result<()> {
    let names: Vec<String> = plans.iter().map(|plan| plan.name.clone()).collect();
    let unknown = accounts::plans_not_in(pool, &names).await?;
    anyhow::ensure!(
        unknown.is_empty(),
        "plans: the table lacks {}, which accounts are on; it has {}",
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

fn write_month_use(
    boot: &Boot<Settings>,
    pool: &PgPool,
    redis: &Redis,
    counters: &Arc<quota::SharedCounters>,
) {
    let month_use = MonthUse::new(
        pool.clone(),
        boot.settings.lookup.keys_deadline,
        redis.new_connection(),
        Arc::clone(counters),
    );
    let (every, stopping) = (boot.settings.month_flush, boot.lifecycle.stopping());
    boot.lifecycle.spawn_graceful("month use", async move {
        month_use.run(every, stopping).await;
        Ok(())
    });
}
