//! The parts of a replica.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use contracts::public::ApiPlan;
use gateway::domain::plan::Plans;
use gateway::feeds::invalidation::Invalidation;
use gateway::jobs::repeat;
use gateway::lookup::{Changes, Lookup, Options};
use gateway::openapi;
use gateway::quota::Quota;
use gateway::switches::SwitchCache;
use kit::config::Secret;
use kit::feed::{HighWaterMark, Producer, Retention};
use kit::jobs::Leader;
use kit::redis::Redis;
use kit::rpc::client::{Addresses, Client, Transport};
use kit::{Clock, Lifecycle};
use sqlx::PgPool;
use tokio::sync::watch;

/// The number of calls that the log of an account keeps.
pub(crate) const CALL_LOG: u32 = 50;
const MONTH_FLUSH: Duration = Duration::from_millis(50);

pub(super) fn write_month_use(lifecycle: &Lifecycle, quota: Arc<Quota>) {
    let stopping = lifecycle.stopping();
    let flush = async move || quota.flush_month_use().await;
    lifecycle.spawn_graceful("month use", repeat(MONTH_FLUSH, stopping, flush));
}

/// Tests share a Redis, so that each has a position of its own.
pub(super) fn position(redis: Redis) -> HighWaterMark {
    HighWaterMark::new(redis, &format!("test-{}", kit::ids::row_id()))
}

pub(crate) fn producer(pool: &PgPool, clock: &Clock, lifecycle: &Lifecycle) -> Producer {
    let leader = Leader::start(lifecycle, pool.clone(), gateway::SCHEMA, clock.clone());
    Producer::start(&leader, lifecycle, Retention::default())
}

/// The caches of the database, and the task that invalidates them.
pub(super) async fn caches(
    pool: &PgPool,
    options: Options,
    clock: &Clock,
) -> (Arc<Lookup>, Arc<SwitchCache>, Invalidation) {
    let (applied, changes) = watch::channel(Changes::UnreadSince(clock.now()));
    let lookup = Arc::new(Lookup::new(pool.clone(), options, changes));
    let switches = Arc::new(SwitchCache::new(pool.clone()));
    let caches = (Arc::clone(&lookup), Arc::clone(&switches));
    let started = Invalidation::start(pool.clone(), caches.0, caches.1, clock.clone(), applied);
    (lookup, switches, started.await.unwrap())
}

/// The OpenAPI document.
pub(super) fn openapi(plans: &Plans) -> Bytes {
    let url = "https://api.example/v1";
    let plans = plans.iter().map(ApiPlan::from);
    let settings = testing::openapi::settings(plans);
    openapi::file(url, &settings, gateway::router::API).unwrap()
}

pub(super) fn connect(address: &str, lifecycle: &Lifecycle) -> Client {
    let addresses = Addresses::List(vec![address.to_owned()]);
    let token = Secret::from("fleet-token-fleet-token-fleet-token".to_owned());
    testing::connect(addresses, Transport::plain(), &token, lifecycle).unwrap()
}
