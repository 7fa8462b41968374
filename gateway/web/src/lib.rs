#![doc = include_str!("../README.md")]

pub mod account;
pub mod admission;
pub mod app;
pub mod articles;
pub mod assets;
pub mod client_info;
pub mod config;
pub mod docs;
pub mod domain;
pub mod economy;
pub mod english;
pub mod etag;
pub mod form_body;
pub mod hashing;
pub mod jobs;
pub mod layers;
pub mod listings;
pub mod mail;
pub mod member_mail;
pub mod membership;
pub mod notice;
pub mod once_form;
pub mod page_cache;
pub mod page_error;
pub mod page_language;
pub mod people;
pub mod person_mail;
pub mod picture_file;
pub mod query;
pub mod render;
pub mod request;
pub mod route;
pub mod router;
pub mod seen_secrets;
pub mod service;
pub mod session_cookie;
pub mod site;
pub mod store;
pub mod uploads;
pub mod upstream;
pub mod url_query;
pub mod visit;
pub mod well_known;

use std::sync::Arc;
use std::thread::available_parallelism;

use contracts::web::v1::staff_service_server::StaffServiceServer;
use kit::audit::Audit;
use kit::boot::{self, Boot};
use kit::feed::HighWaterMark;
use kit::http_server;
use kit::overload::ConcurrencyLimit;
use kit::redis::Redis;
use time::Duration;

use admission::Admission;
use app::{App, Web};
use articles::Articles;
use docs::document_cache::DocumentCache;
use hashing::PasswordPool;
use page_cache::PageCache;
use service::staff::Staff;
use session_cookie::CookieStyle;
use store::SCHEMA;
use store::sessions::Lifetimes;
use uploads::Uploads;
use upstream::{Api, CatalogueClient, Currencies, Economy, Feeds, Gateway, Listings, Webhooks};

pub use config::Settings;

pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!();

/// The producer whose high-water mark public pages read.
const LISTINGS_FEED: &str = "listings";
/// Logged when Redis is unavailable.
const WITHOUT_REDIS: &str = "public pages may lack the changes of the last moment";

/// Pictures that public pages read from listings-svc at once.
pub const PUBLIC_PICTURES: usize = 32;
/// How long the documentation waits for the OpenAPI document of the public API.
const API_DEADLINE: std::time::Duration = std::time::Duration::from_secs(3);
/// How long a call of a public page to economy-svc may take.
const CURRENCIES_DEADLINE: std::time::Duration = std::time::Duration::from_secs(1);
/// How long the page of a game waits for economy-svc. After that, it says that the currency is
/// unavailable.
const GAME_CURRENCY_TIMEOUT: std::time::Duration = std::time::Duration::from_millis(500);

/// Starts the service.
pub async fn start(boot: Boot<Settings>) -> anyhow::Result<()> {
    let pool = boot.database().await?;
    let (settings, clock) = (&boot.settings, &boot.clock);
    settings.warn_of_default_texts();
    let redis = Redis::connect(&settings.redis_url, settings.redis_deadline, WITHOUT_REDIS).await?;
    let mailer = mail::Mailer::new(pool.clone(), clock.clone(), &settings.mail)?;
    let leader = boot.leader(&pool, SCHEMA);
    mailer.spawn(&leader, &boot.lifecycle);

    let gateway = boot.client("gateway", &settings.gateway_addresses)?;
    let webhooks = boot.client("webhook-svc", &settings.webhook_addresses)?;
    let listings = boot.client("listings-svc", &settings.listings_addresses)?;
    let economy = boot.client("economy-svc", &settings.economy_addresses)?;
    let catalogue = boot.client("catalogue-svc", &settings.catalogue_addresses)?;
    let deadline = settings.upstream_deadline;
    let mark = HighWaterMark::new(redis, LISTINGS_FEED);
    let catalogue = CatalogueClient::new(catalogue, deadline, settings.catalogue_calls, mark);
    let api = Api::new(settings.api_url(), API_DEADLINE)?;
    let app = Arc::new(Web {
        pool: pool.clone(),
        clock: clock.clone(),
        admission: Admission::new(
            pool,
            PasswordPool::new(available_parallelism()?.get())?,
            settings.pages_per_minute,
            settings.person_pages_per_minute,
        ),
        session_lifetimes: Lifetimes {
            idle: Duration::days(settings.session_idle.into()),
            most: Duration::days(settings.session_most.into()),
        },
        cookie: CookieStyle::for_url(&settings.public_url),
        key_ring: settings.secret_keys.clone(),
        feeds: Feeds::new(&gateway, &listings, &economy, &webhooks, deadline),
        gateway: Gateway::new(gateway, settings.upstream_deadline),
        webhooks: Webhooks::new(webhooks, settings.upstream_deadline),
        listings: Listings::new(listings.clone(), settings.upstream_deadline),
        uploads: Uploads::default(),
        currencies: Currencies::new(
            economy.clone(),
            CURRENCIES_DEADLINE,
            GAME_CURRENCY_TIMEOUT,
            settings.economy_calls,
        ),
        economy: Economy::new(economy, deadline),
        catalogue,
        page_cache: PageCache::default(),
        articles: Articles::read(settings.articles.as_deref())?,
        public_pictures: ConcurrencyLimit::new("public pictures", PUBLIC_PICTURES),
        docs: Arc::new(DocumentCache::new(api, settings.guide_addresses())?),
        proxies: settings.trusted_proxies.clone(),
        proxy_header: settings.proxy_header,
        public_url: settings.public_url.clone(),
        api_url: settings.api_url(),
        security_contact: settings.security_contact(),
        staff_mail: settings.staff_mail(),
        large_month: settings.large_month,
        mail_folder: settings.mail_folder(),
        timeout: settings.http_timeout,
        lifecycle: boot.lifecycle.clone(),
    });
    jobs::spawn(&leader, &app);
    app.docs.keep_fresh(&boot.lifecycle);
    serve_pages(&boot, &app).await?;

    serve_staff(&boot, app).await
}

async fn serve_staff(boot: &Boot<Settings>, app: App) -> anyhow::Result<()> {
    let audit = Audit::new(app.pool.clone(), SCHEMA, boot.clock.clone());
    let mut services = kit::rpc::server::services();
    services.add_service(StaffServiceServer::new(Staff { app, audit }));
    boot.serve_rpc(services).await
}

async fn serve_pages(boot: &Boot<Settings>, app: &App) -> anyhow::Result<()> {
    let settings = &boot.settings;
    let listener = boot::bind(settings.http_listen, "http_listen").await?;
    let draining = boot.lifecycle.draining();
    let pages = http_server::serve(listener, settings.http_limits, draining, router::router(app));
    boot.lifecycle.spawn_server("pages", async move {
        pages.await;
        Ok(())
    });
    Ok(())
}
