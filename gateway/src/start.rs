//! Wires up the process and starts its servers and tasks.

use std::sync::Arc;

use contracts::gateway::v1::accounts_service_server::AccountsServiceServer;
use contracts::gateway::v1::staff_service_server::StaffServiceServer;
use kit::audit::Audit;
use kit::boot::{self, Boot};
use kit::feed::{HighWaterMark, Producer, Retention};
use kit::http_server;
use kit::redis::Redis;
use kit::representations::Representations;
use sqlx::PgPool;
use tokio::sync::watch;
use tonic::service::RoutesBuilder;

use crate::SCHEMA;
use crate::app::{App, Gateway};
use crate::call_log::{CallLog, CallRecorder};
use crate::config::Settings;
use crate::domain::plan::Plans;
use crate::domain::secret::KeyFormat;
use crate::etag::ETag;
use crate::feeds::invalidation::Invalidation;
use crate::feeds::listings::{GamesAndPages, PRODUCER};
use crate::jobs::call_records::{self, CallRecords};
use crate::jobs::last_used::{self, LastUsed};
use crate::jobs::repeat;
use crate::lookup::{Changes, Lookup};
use crate::openapi;
use crate::overload::admission::LoadLimits;
use crate::overload::refused_calls::RefusedCalls;
use crate::quota::{Counters, Quota};
use crate::router::{self, router};
use crate::service::Services;
use crate::service::dashboard::Dashboard;
use crate::service::staff::Staff;
use crate::service::tombstones::Tombstones;
use crate::store::accounts;
use crate::switches::SwitchCache;
use crate::upstream::{RatesCache, Upstream};
use crate::write;
use crate::write::plans::Publication;

/// Logged when Redis is unavailable.
const WITHOUT_REDIS: &str =
    "each gateway counts calls by itself, and reads may miss writes of the last moment";

pub async fn start(boot: Boot<Settings>) -> anyhow::Result<()> {
    let settings = &boot.settings;
    let plans = settings.plan_table();
    let plans = Arc::new(plans.map_err(anyhow::Error::msg)?);
    let redis = Redis::connect(&settings.redis_url, settings.redis_patience, WITHOUT_REDIS).await?;
    boot.compare_clock_with(&redis);
    let pool = boot.database().await?;
    // A call counts and reads the newest position in one round trip.
    let redis_of_calls = redis.new_connection();
    let counters = Counters::new(redis_of_calls.clone(), boot.clock.clone());
    let (deadline, public_share) = (settings.lookup.keys_deadline, settings.public_share);
    let clock = boot.clock.clone();
    let quota = Arc::new(Quota::new(counters, pool.clone(), deadline, public_share, clock));
    check_account_plans(&pool, &plans).await?;

    let leader = boot.leader(&pool, SCHEMA);
    let producer = Producer::start(&leader, &boot.lifecycle, Retention::default());
    // Before this process puts an account on one of the plans.
    publish_plans(&producer, &plans).await?;

    let (applied, changes) = watch::channel(Changes::UnreadSince(boot.clock.now()));
    let lookup = Arc::new(Lookup::new(pool.clone(), settings.lookup_options(), changes));
    let refused_calls = Arc::new(RefusedCalls::new(settings.lookup.refused_calls));
    let switches = Arc::new(SwitchCache::new(pool.clone()));
    let caches = (&lookup, &switches);
    follow_gateway_feed(&boot, &pool, &producer, caches, applied).await?;
    let listings = boot.client("listings-svc", &settings.listings_addresses)?;
    boot.follow(&leader, PRODUCER, listings, GamesAndPages);

    let last_used = Arc::new(LastUsed::default());
    let call_recorder = Arc::new(CallRecorder::new(settings.call_log > 0));
    write_behind(&boot, (&last_used, &pool), (&call_recorder, &redis), &quota);

    let counters = Arc::new(Counters::new(redis.new_connection(), boot.clock.clone()));
    let services = Arc::new(Services {
        audit: Audit::new(pool.clone(), SCHEMA, boot.clock.clone()),
        pool,
        producer,
        plans: Arc::clone(&plans),
        format: KeyFormat::new(&settings.key_prefix),
        clock: boot.clock.clone(),
        tombstones: Tombstones::start(&boot.lifecycle, &counters),
        counters,
        call_log: CallLog::new(redis.new_connection(), settings.call_log),
    });
    let for_callers = settings.for_callers(&plans);
    let openapi = openapi::file(&settings.api_url, &for_callers, router::API)?;
    let limits = settings.upstream.limits();
    let (catalogue, listings) = (
        boot.client("catalogue-svc", &settings.catalogue_addresses)?,
        boot.client("listings-svc", &settings.listings_addresses)?,
    );
    let (economy, webhooks) = (
        boot.client("economy-svc", &settings.economy_addresses)?,
        boot.client("webhook-svc", &settings.webhook_addresses)?,
    );
    let app = Arc::new(Gateway {
        clock: boot.clock.clone(),
        format: KeyFormat::new(&settings.key_prefix),
        proxies: settings.lookup.trusted_proxies.clone(),
        proxy_header: settings.lookup.proxy_header,
        docs_url: settings.docs_url.clone(),
        plans,
        switches,
        lookup,
        refused_calls,
        last_used,
        call_recorder,
        openapi_tag: ETag::for_data(&openapi, None, None),
        openapi: Representations::new(&openapi),
        rates: RatesCache::default(),
        quota,
        catalogue: Upstream::new("catalogue", catalogue, limits),
        listings: Upstream::new("listings", listings, limits),
        economy: Upstream::new("economy", economy, limits),
        webhooks: Upstream::new("webhook", webhooks, limits),
        player_calls: settings.player_calls,
        newest_position: HighWaterMark::new(redis_of_calls, PRODUCER),
    });
    boot.serve_rpc(internal_services(&services)).await?;
    serve_http(&boot, app).await
}

/// Publishes the table of plans, or says why this gateway's table is not the one that the fleet
/// uses.
async fn publish_plans(producer: &Producer, plans: &Plans) -> anyhow::Result<()> {
    let publication = write::plans::publish(producer, plans).await?;
    let own = plans.version();
    match publication {
        Publication::Published => {}
        Publication::Older { published } => tracing::warn!(
            own,
            published,
            "the table of plans is older than the published one and was not published: start this gateway with the newer file, or, to undo \
             the newer one, give the old table a version above it"
        ),
        Publication::SameVersion => tracing::warn!(
            own,
            published = own,
            "the published table of plans has the same version and other plans, and this one was not published: raise `version`"
        ),
    }
    let is_unpublished = publication != Publication::Published;
    metrics::gauge!("plans_unpublished").set(f64::from(u8::from(is_unpublished)));
    Ok(())
}

/// Follows the gateway's own feed, through which replicas learn of each other's changes.
async fn follow_gateway_feed(
    boot: &Boot<Settings>,
    pool: &PgPool,
    producer: &Producer,
    (lookup, switches): (&Arc<Lookup>, &Arc<SwitchCache>),
    applied: watch::Sender<Changes>,
) -> anyhow::Result<()> {
    let (lookup, switches) = (Arc::clone(lookup), Arc::clone(switches));
    let clock = boot.clock.clone();
    let invalidation = Invalidation::start(pool.clone(), lookup, switches, clock, applied).await?;
    let notifications = producer.subscribe();
    boot.lifecycle.spawn_background("key invalidation", invalidation.run(notifications));
    Ok(())
}

/// The services of the internal port.
fn internal_services(services: &Arc<Services>) -> RoutesBuilder {
    let mut routes = kit::rpc::server::services();
    routes
        .add_service(services.producer.service())
        .add_service(StaffServiceServer::new(Staff(Arc::clone(services))))
        .add_service(AccountsServiceServer::new(Dashboard(Arc::clone(services))));
    routes
}

/// Opens the public port. The replica is ready when it has connected to Redis.
async fn serve_http(boot: &Boot<Settings>, app: App) -> anyhow::Result<()> {
    let port = &boot.settings.port;
    let listener = boot::bind(port.http_listen, "http_listen").await?;
    let (port_limits, draining) = (port.limits, boot.lifecycle.draining());
    let limits = LoadLimits::new(port.http_calls, port.http_body);
    let connected = boot.readiness.condition("the connection to Redis");
    boot.lifecycle.spawn_server("HTTP server", async move {
        app.quota.warm_up().await;
        connected.set(true);
        let router = router(&app, limits);
        http_server::serve(listener, port_limits, draining, router).await;
        Ok(())
    });
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

/// Starts the tasks that write what calls have left in memory.
fn write_behind(
    boot: &Boot<Settings>,
    (last_used, pool): (&Arc<LastUsed>, &PgPool),
    (recorder, redis): (&Arc<CallRecorder>, &Redis),
    quota: &Arc<Quota>,
) {
    let (settings, lifecycle) = (&boot.settings, &boot.lifecycle);
    let (last_used, pool) = (Arc::clone(last_used), pool.clone());
    let last_used = repeat(last_used::INTERVAL, lifecycle.stopping(), async move || {
        if let Err(error) = last_used.flush(&pool).await {
            tracing::warn!(%error, "cannot write when keys were last used; trying again");
        }
    });
    lifecycle.spawn_graceful("last used", last_used);

    let (recorder, log) =
        (Arc::clone(recorder), CallLog::new(redis.new_connection(), settings.call_log));
    let records = CallRecords::new(recorder, log, boot.clock.clone(), &settings.key_prefix);
    let records = repeat(call_records::INTERVAL, lifecycle.stopping(), async move || {
        records.write_log().await;
    });
    lifecycle.spawn_graceful("call records", records);

    let quota = Arc::clone(quota);
    let month_use = repeat(settings.month_flush, lifecycle.stopping(), async move || {
        quota.flush_month_use().await;
    });
    lifecycle.spawn_graceful("month use", month_use);
}
