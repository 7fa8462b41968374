#![doc = include_str!("../README.md")]

pub mod config;
pub mod deliver;
pub mod domain;
pub mod feeds;
pub mod http;
pub mod jobs;
pub mod key_ring;
mod notice;
pub mod service;
pub mod store;

use kit::boot::Boot;
use kit::feed::{Producer, Retention};
use kit::pg::Schema;
use kit::wakeup::Wakeup;

use feeds::Publisher;
use feeds::catalogue::Catalogue;
use feeds::economy::Economy;
use feeds::gateway::Gateway;
use feeds::listings::Listings;
use http::Sender;

pub use config::Settings;

pub const SCHEMA: Schema = Schema("webhook");

pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!();

/// The PostgreSQL channel on which replicas wake each other when deliveries are due.
pub const CHANNEL: &str = "webhook_due";

/// Starts the service.
pub async fn start(boot: Boot<Settings>) -> anyhow::Result<()> {
    let pool = boot.database_with(&store::READ_BY_INDEXES).await?;
    let (settings, clock) = (&boot.settings, &boot.clock);
    let wakeup = Wakeup::start(pool.clone(), CHANNEL, &boot.lifecycle);

    let publisher =
        Publisher { clock: clock.clone(), schedule: settings.schedule(), wakeup: wakeup.clone() };
    let leader = boot.leader(&pool, SCHEMA);
    let listings = boot.client("listings-svc", &settings.listings_addresses)?;
    let economy = boot.client("economy-svc", &settings.economy_addresses)?;
    let catalogue = boot.client("catalogue-svc", &settings.catalogue_addresses)?;
    let gateway = boot.client("gateway", &settings.gateway_addresses)?;
    let follower =
        Listings { publisher: publisher.clone(), public_url: settings.public_url.clone() };
    boot.follow(&leader, "listings", listings, follower);
    let tips = Economy { publisher: publisher.clone(), public_url: settings.public_url.clone() };
    boot.follow(&leader, "economy", economy, tips);
    boot.follow(&leader, "catalogue", catalogue, Catalogue(publisher));
    boot.follow(&leader, "gateway", gateway, Gateway);

    let key_ring = settings.secret_keys.clone();
    let sender = Sender::new(&settings.http)?;
    let producer = Producer::start(&leader, &boot.lifecycle, Retention::default());
    let dependencies = deliver::DeliveryDependencies {
        pool: pool.clone(),
        producer: producer.clone(),
        clock: clock.clone(),
        wakeup: wakeup.clone(),
        sender: sender.clone(),
        key_ring: key_ring.clone(),
        schedule: settings.schedule(),
        disable_policy: settings.disable_policy(),
        limits: settings.limits().within_descriptors(),
    };
    deliver::spawn(dependencies, &boot.lifecycle);

    jobs::spawn_sweep(&leader, &pool, clock, &wakeup, settings.sweep_hour)?;
    jobs::spawn_oldest_due(&leader, &pool);
    jobs::spawn_retention(&leader, &pool, settings.retention());
    jobs::spawn_secret_rotation(&leader, &pool, &key_ring);

    let mut services = kit::rpc::server::services();
    services.add_service(producer.service());
    let service = service::Service {
        pool,
        clock: clock.clone(),
        wakeup,
        sender,
        key_ring,
        schedule: settings.schedule(),
        rotation: settings.rotation(),
        retention: settings.retention(),
        public_url: settings.public_url.clone(),
    };
    service.add_to(&mut services);
    boot.serve_rpc(services).await
}
