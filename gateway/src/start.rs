//! Puts the process together.

use std::sync::Arc;

use contracts::gateway::v1::staff_service_server::StaffServiceServer;
use kit::boot::{self, Boot};
use kit::feed::{Latest, Producer, Retention};
use kit::redis::Redis;
use sqlx::PgPool;

use crate::app::{App, Gateway};
use crate::config::Settings;
use crate::domain::plan::Plans;
use crate::domain::secret::Format;
use crate::feeds::listings::{Games, PRODUCER};
use crate::feeds::own::Own;
use crate::jobs::last_used::LastUsed;
use crate::jobs::month_use::MonthUse;
use crate::lookup::Lookup;
use crate::quota::{self, Quota};
use crate::router::router;
use crate::serve::{of_descriptors, serve};
use crate::service::staff::Staff;
use crate::store::accounts;
use crate::store::write::{Item, Writes};
use crate::switches::Board;
use crate::upstream::Upstream;
use crate::{MIGRATOR, SCHEMA};

/// What it means that Redis is away, for the log.
const WITHOUT_REDIS: &str =
    "calls are counted by each gateway alone, and a read may miss the writes of the last moment";

/// Starts the gateway.
pub async fn start(boot: Boot<Settings>) -> anyhow::Result<()> {
    let settings = &boot.settings;
    let plans = settings
        .plan_table()
        .map_err(|problems| anyhow::anyhow!(problems.join("; ")))?;
    let plans = Arc::new(plans);
    let redis = Redis::connect(&settings.redis_url, settings.redis_patience, WITHOUT_REDIS).await?;
    let counted = Arc::new(quota::Shared::new(quota::SEED_PATIENCE));
    let quota = Arc::new(Quota::new(redis.clone(), Arc::clone(&counted)));
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
    writer.write(Item::TellPlans).await?;

    let lookup = Arc::new(Lookup::new(pool.clone()));
    let switches = Arc::new(Board::new(pool.clone()));
    let own = Own::start(pool.clone(), Arc::clone(&lookup), Arc::clone(&switches)).await?;
    let news = producer.news();
    boot.lifecycle.background("own feed", own.follow(news));
    let listings = &settings.listings_addresses;
    boot.follow(&pool, SCHEMA, PRODUCER, listings, Games)?;

    let app: App = Arc::new(Gateway {
        clock: boot.clock.clone(),
        format: Format::new(&settings.key_prefix),
        docs_url: settings.docs_url.clone(),
        plans: Arc::clone(&plans),
        switches,
        lookup,
        quota: Arc::clone(&quota),
        upstream: Upstream::new(
            boot.client(&settings.catalogue_addresses)?,
            settings.upstream_deadline,
        ),
        latest: Latest::new(redis.clone(), PRODUCER),
        last_used: Arc::new(LastUsed::default()),
    });
    write_last_used(&boot, &app, &pool);
    write_month_use(&boot, MonthUse::new(pool.clone(), redis.another(), counted));

    let mut services = kit::rpc::server::services();
    services
        .add_service(producer.service())
        .add_service(StaffServiceServer::new(Staff {
            pool,
            writer,
            plans,
            format: app.format.clone(),
            quota,
            clock: boot.clock.clone(),
        }));
    boot.serve_rpc(services).await?;

    let port = &settings.port;
    let listener = boot::bind(port.http_listen, "http_listen").await?;
    let server = serve(
        listener,
        router(&app),
        port.patience,
        of_descriptors(port.http_connections),
        boot.lifecycle.draining(),
    );
    boot.lifecycle.serve("HTTP server", server);
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

fn write_last_used(boot: &Boot<Settings>, app: &App, pool: &PgPool) {
    let (last_used, pool) = (Arc::clone(&app.last_used), pool.clone());
    let stopping = boot.lifecycle.stopping();
    boot.lifecycle.finishing("last used", async move {
        last_used.run(pool, stopping).await;
        Ok(())
    });
}

fn write_month_use(boot: &Boot<Settings>, month_use: MonthUse) {
    let (every, stopping) = (boot.settings.month_flush, boot.lifecycle.stopping());
    boot.lifecycle.finishing("month use", async move {
        month_use.run(every, stopping).await;
        Ok(())
    });
}
