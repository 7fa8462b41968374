//! A site with stubs of the services, and its people.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use contracts::common::v1::feed_service_server::FeedServiceServer;
use contracts::gateway::v1::accounts_service_server::AccountsServiceServer;
use kit::clock::Clock;
use kit::config::Secret;
use kit::feed::HighWaterMark;
use kit::ids;
use kit::lifecycle::Lifecycle;
use kit::overload::ConcurrencyLimit;
use kit::redis::Redis;
use kit::rpc::client::Client;
use pages::Language;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;
use web::admission::{Admission, Count, PageKind, stored};
use web::app::{App, Web};
use web::articles::Articles;
use web::client_info::ClientInfo;
use web::docs::document_cache::DocumentCache;
use web::docs::guides::{GuideAddresses, Links};
use web::domain::device::{self, Devices};
use web::domain::role::Role;
use web::hashing::PasswordPool;
use web::mail::{self, NewMessage};
use web::page_cache::PageCache;
use web::router::router;
use web::session_cookie::CookieStyle;
use web::store::sessions::Lifetimes;
use web::store::{members, people};
use web::uploads::Uploads;
use web::upstream::{
    Api, CatalogueClient, Currencies, Economy, Feeds, Gateway, Listings, Webhooks,
};

use crate::browser::Browser;
use crate::gateway::StubGateway;
use crate::stub_api::StubApi;
use crate::stub_catalogue::StubCatalogue;
use crate::stub_economy::StubEconomy;
use crate::stub_feed::StubFeed;
use crate::stub_listings::StubListings;
use crate::work::with_counted_calls;

/// The clock's initial time.
pub(crate) const START: OffsetDateTime = datetime!(2026-11-23 12:00 UTC);
/// Longer than a response takes on a busy machine; a test waits this long for an API that hangs.
const API_DEADLINE: std::time::Duration = std::time::Duration::from_secs(12);
const LIFETIMES: Lifetimes = Lifetimes { idle: Duration::days(14), most: Duration::days(90) };
pub(crate) const PASSWORD: &str = "baobab lorry teapot nine";
pub(crate) const ADA: &str = "ada@studio.example";
pub(crate) const BOB: &str = "bob@games.example";

pub(crate) struct Site {
    pub(crate) pool: PgPool,
    pub(crate) clock: Clock,
    pub(crate) router: Router,
    pub(crate) app: App,
    passwords: PasswordPool,
    pub(crate) gateway: StubGateway,
    pub(crate) listings: StubListings,
    pub(crate) economy: StubEconomy,
    pub(crate) catalogue: StubCatalogue,
    pub(crate) api: StubApi,
    /// The feeds of all services, and the position of the listings feed in Redis.
    pub(crate) feed: StubFeed,
    pub(crate) mark: HighWaterMark,
    lifecycle: Lifecycle,
}

impl Drop for Site {
    fn drop(&mut self) {
        self.lifecycle.draining().cancel();
        self.lifecycle.stopping().cancel();
    }
}

#[expect(clippy::disallowed_methods, reason = "tests have no settings")]
pub(crate) fn redis_url() -> Secret {
    let url = std::env::var("REDIS_URL").expect("REDIS_URL names a Redis for tests");
    url.into()
}

/// A site, an account with a game, and the browser of its owner.
pub(crate) async fn studio(pool: PgPool) -> (Site, String, Browser) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await.to_string();
    site.listings.game(&account, "okoto", "Okoto");
    let owner = site.signed_in(ADA).await;
    (site, account, owner)
}

impl Site {
    pub(crate) async fn new(pool: PgPool) -> Self {
        Self::with_redis(pool, redis_url()).await
    }

    /// A site whose documentation has read the API.
    pub(crate) async fn with_docs(pool: PgPool) -> Self {
        let site = Self::new(pool).await;
        site.app.docs.refresh().await;
        site
    }

    pub(crate) async fn with_redis(pool: PgPool, redis: Secret) -> Self {
        Self::build(pool, redis, Clock::fixed(START), None).await
    }

    /// A site with a webhook-svc; other sites have none.
    pub(crate) async fn with_webhooks(pool: PgPool, clock: Clock, webhooks: Client) -> Self {
        Self::build(pool, redis_url(), clock, Some(webhooks)).await
    }

    async fn build(pool: PgPool, redis: Secret, clock: Clock, webhooks: Option<Client>) -> Self {
        let (lifecycle, supervisor) = Lifecycle::new();
        drop(supervisor);
        let gateway = StubGateway::default();
        gateway.clock.set(clock.clone()).unwrap();
        let mut services = kit::rpc::server::services();
        services.add_service(AccountsServiceServer::new(gateway.clone()));
        let (listings, economy) = (StubListings::default(), StubEconomy::default());
        let api = StubApi::start().await;
        listings.add_to(&mut services);
        economy.add_to(&mut services);
        let catalogue = StubCatalogue::default();
        catalogue.add_to(&mut services);
        let feed = StubFeed::default();
        services.add_service(FeedServiceServer::new(feed.clone()));
        let services = with_counted_calls(services);
        let address = testing::serve(services, &lifecycle).await.unwrap();
        let client = testing::client(&address, &lifecycle).unwrap();
        // Tests share a Redis, so that each has a prefix of its own.
        let redis = Redis::lazy(&redis, testing::LONG, "").unwrap();
        let prefix = format!("test-{}", ids::row_id());
        let mark = HighWaterMark::new(redis, &prefix);
        let stub = Api::new(api.url.clone(), API_DEADLINE).unwrap();
        let passwords = PasswordPool::new(2).unwrap();
        let app = Arc::new(Web {
            pool: pool.clone(),
            clock: clock.clone(),
            admission: Admission::new(pool.clone(), passwords.clone(), 120, 1_200),
            session_lifetimes: LIFETIMES,
            cookie: CookieStyle::Secure,
            key_ring: "a:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=".parse().unwrap(),
            webhooks: Webhooks::new(webhooks.unwrap_or_else(|| client.clone()), testing::LONG),
            gateway: Gateway::new(client.clone(), testing::LONG),
            listings: Listings::new(client.clone(), testing::LONG),
            uploads: Uploads::default(),
            economy: Economy::new(client.clone(), testing::LONG),
            currencies: currencies(&client, testing::LONG),
            catalogue: CatalogueClient::new(client.clone(), testing::LONG, 1, mark.clone()),
            feeds: Feeds::new(&client, &client, &client, &client, testing::LONG),
            page_cache: PageCache::default(),
            articles: Articles::read(None).unwrap(),
            docs: Arc::new(docs(stub)),
            public_pictures: ConcurrencyLimit::new("public pictures", web::PUBLIC_PICTURES),
            security_contact: Some("mailto:security@mchezo.example".to_owned()),
            staff_mail: Some("staff@mchezo.example".to_owned()),
            large_month: 10_000_000,
            proxies: web_proxies(),
            proxy_header: kit::client_address::ProxyHeader::default(),
            public_url: "https://mchezo.example".to_owned(),
            api_url: "https://mchezo.example/v1".to_owned(),
            mail_folder: None,
            timeout: testing::LONG,
            lifecycle: lifecycle.clone(),
        });
        Self {
            pool,
            clock,
            router: router(&app),
            app,
            passwords,
            gateway,
            listings,
            economy,
            catalogue,
            api,
            feed,
            mark,
            lifecycle,
        }
    }

    /// The same site with a change, and with unlimited pages.
    pub(crate) fn changed(&self, change: impl FnOnce(&mut Web)) -> Router {
        let app = &self.app;
        let mut web = Web {
            pool: app.pool.clone(),
            clock: app.clock.clone(),
            admission: self.admission(1_000_000, 1_000_000),
            session_lifetimes: app.session_lifetimes,
            cookie: app.cookie,
            key_ring: app.key_ring.clone(),
            gateway: app.gateway.clone(),
            webhooks: app.webhooks.clone(),
            listings: app.listings.clone(),
            economy: app.economy.clone(),
            catalogue: app.catalogue.clone(),
            feeds: app.feeds.clone(),
            security_contact: app.security_contact.clone(),
            staff_mail: app.staff_mail.clone(),
            large_month: app.large_month,
            currencies: app.currencies.clone(),
            page_cache: PageCache::default(),
            articles: Articles::read(None).unwrap(),
            docs: Arc::clone(&app.docs),
            public_pictures: ConcurrencyLimit::new("public pictures", 1),
            uploads: Uploads::default(),
            proxies: app.proxies.clone(),
            proxy_header: app.proxy_header,
            public_url: app.public_url.clone(),
            api_url: app.api_url.clone(),
            mail_folder: app.mail_folder.clone(),
            timeout: app.timeout,
            lifecycle: app.lifecycle.clone(),
        };
        change(&mut web);
        router(&Arc::new(web))
    }

    /// The same site with one connection to PostgreSQL.
    pub(crate) fn with_one_connection(&self) -> Router {
        let one = PgPoolOptions::new()
            .max_connections(1)
            .acquire_timeout(std::time::Duration::from_secs(3))
            .connect_lazy_with((*self.pool.connect_options()).clone());
        self.changed(|web| web.pool = one)
    }

    pub(crate) fn browser(&self) -> Browser {
        Browser::new(&self.router)
    }

    /// Creates a person with [`PASSWORD`].
    pub(crate) async fn person(&self, email: &str) -> Uuid {
        let site = IpAddr::from([192, 0, 2, 2]).into();
        let permit = self.passwords.try_acquire(site, true).unwrap();
        let hash = permit.hash(PASSWORD).await.unwrap();
        let id = ids::row_id();
        let person =
            people::NewPerson { id, email, password_hash: &hash, language: Language::English };
        people::insert(&self.pool, person).await.unwrap();
        id
    }

    /// Creates an account with this person in a role.
    pub(crate) async fn account(&self, person: Uuid, role: Role) -> Uuid {
        let id = ids::row_id();
        let account = contracts::gateway::v1::Account {
            id: id.to_string(),
            name: "Savanna".to_owned(),
            plan: "free".to_owned(),
            created_at: None,
        };
        self.gateway.add(account);
        self.join(id, person, role).await;
        id
    }

    pub(crate) async fn join(&self, account: Uuid, person: Uuid, role: Role) {
        members::insert(&self.pool, account, person, role, START).await.unwrap();
    }

    /// With these pages a minute for a network, and for a person or one browser.
    pub(crate) fn admission(&self, pages: u32, pages_of_visitor: u32) -> Admission {
        Admission::new(self.pool.clone(), self.passwords.clone(), pages, pages_of_visitor)
    }

    /// The client of a browser.
    pub(crate) fn client(&self, browser: &Browser) -> ClientInfo {
        let cookie = browser.cookies.get("__Host-device").map_or("", String::as_str);
        let devices = Devices::read(&self.app.key_ring, cookie, self.clock.now());
        ClientInfo::new(browser.address.ip(), &browser.headers(), devices)
    }

    /// Uses up what a client, or its network, may request of these pages.
    pub(crate) fn use_up_pages(&self, kind: PageKind, browser: &Browser) {
        let (client, now) = (self.client(browser), self.clock.now());
        while self.app.admission.page(kind, &client, now).is_ok() {}
    }

    /// Uses up a limit; returns how many were left.
    pub(crate) async fn use_up(&self, count: Count) -> u32 {
        let (counts, now) = ([count], self.clock.now());
        let mut left = 0;
        while stored::count_in(&self.pool, &counts, now).await.unwrap().is_ok() {
            left += 1;
        }
        left
    }

    /// A browser in which this person was signed in, such as that of the sign-up.
    pub(crate) async fn known_browser(&self, email: &str) -> Browser {
        let mut browser = self.browser();
        let email = web::domain::email::parse(email).unwrap();
        let person = people::by_email(&self.pool, &email).await.unwrap().unwrap();
        let (keys, now) = (&self.app.key_ring, self.clock.now());
        let value = Devices::default().signed_in(keys, person.id, now);
        browser.cookies.insert(format!("__Host-{}", device::COOKIE), value);
        browser
    }

    /// A browser in which this person is signed in.
    pub(crate) async fn signed_in(&self, email: &str) -> Browser {
        let mut browser = self.known_browser(email).await;
        let fields = [("email", email), ("password", PASSWORD)];
        let page = browser.post("/sign-in", &fields).await;
        assert_eq!(page.location(), "/accounts");
        browser
    }

    /// The mails of the outbox, oldest first: recipient, subject and body, as their readers see them.
    pub(crate) async fn mails(&self) -> Vec<(String, String, String)> {
        let rows = sqlx::query!("select recipient, subject, body from web.mail order by id")
            .fetch_all(&self.pool)
            .await
            .unwrap()
            .into_iter();
        let sender = "Mchezo <no-reply@mchezo.example>".parse().unwrap();
        rows.map(|row| {
            let mail =
                NewMessage { recipient: &row.recipient, subject: &row.subject, body: &row.body };
            let sent = mail::message(&sender, ids::row_id(), mail).unwrap();
            let read = testing::mail::read(&sent.formatted()).unwrap();
            assert_eq!((&read.subject, &read.body), (&row.subject, &row.body));
            (row.recipient, row.subject, row.body)
        })
        .collect()
    }

    /// The path of the link in the newest mail to this address.
    pub(crate) async fn link(&self, recipient: &str) -> String {
        let mails = self.mails().await;
        let mail = mails.iter().rev().find(|(to, _, body)| to == recipient && has_link(body));
        link_in(&mail.unwrap().2)
    }
}

fn has_link(body: &str) -> bool {
    body.contains("https://mchezo.example/link/")
}

/// The path of the link in the body of a mail.
pub(crate) fn link_in(body: &str) -> String {
    let (_, rest) = body.split_once("https://mchezo.example").unwrap();
    rest.split_whitespace().next().unwrap().to_owned()
}

fn docs(api: Api) -> DocumentCache {
    let addresses = GuideAddresses {
        site: "https://mchezo.example".to_owned(),
        api_url: "https://mchezo.example/v1".to_owned(),
        links: Links::default(),
    };
    DocumentCache::new(api, addresses).unwrap()
}

/// A trusted proxy whose address no test uses.
fn web_proxies() -> kit::client_address::TrustedProxies {
    let proxy: IpAddr = [192, 0, 2, 1].into();
    proxy.to_string().parse().unwrap()
}

/// A client of economy-svc for public pages. The page of a game waits `game_timeout` for it.
pub(crate) fn currencies(client: &Client, game_timeout: std::time::Duration) -> Currencies {
    let mut currencies = Currencies::new(client.clone(), testing::LONG, game_timeout, 1);
    currencies.course_timeout = testing::LONG;
    currencies
}
