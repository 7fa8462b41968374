//! A gateway in the test's process, with stubs of the services.

mod catalogue;
pub(crate) mod economy;
mod listings;
mod response;
mod setup;
pub(crate) mod webhooks;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_server::StaffService as _;
use gateway::app::{App, Gateway};
use gateway::call_log::{CallLog, CallRecorder};
use gateway::domain::key::{Caller, GameState, Key, KeyKind, Mode};
use gateway::domain::plan::Plans;
use gateway::domain::plan_table;
use gateway::domain::secret::KeyFormat;
use gateway::etag::ETag;
use gateway::feeds::invalidation::Invalidation;
use gateway::jobs::call_records::CallRecords;
use gateway::jobs::last_used::LastUsed;
use gateway::lookup::Options;
use gateway::overload::admission::LoadLimits;
use gateway::overload::refused_calls::RefusedCalls;
use gateway::quota::{Counters, Quota};
use gateway::service::Services;
use gateway::service::dashboard::Dashboard;
use gateway::service::staff::Staff;
use gateway::service::tombstones::Tombstones;
use gateway::upstream;
use http::header::HOST;
use kit::audit::Audit;
use kit::client_address::{ProxyHeader, TrustedProxies};
use kit::config::Secret;
use kit::redis::Redis;
use kit::representations::Representations;
use kit::rpc::staff::Member;
use kit::{Clock, Fault, Lifecycle};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use time::OffsetDateTime;
use time::macros::datetime;
use tonic::Request;
use tower::ServiceExt as _;
use uuid::Uuid;

pub(crate) use catalogue::{Catalogue, Script};
pub(crate) use economy::Economy;
pub(crate) use listings::{Listings, Outcome};
pub(crate) use response::TestResponse;
pub(crate) use setup::{CALL_LOG, producer};
use setup::{caches, connect, openapi, position, write_month_use};
pub(crate) use webhooks::Webhooks;

/// A path of each read that catalogue-svc serves.
pub(crate) const READS: [&str; 12] = [
    "/games",
    "/games/kora",
    "/creators",
    "/creators/kora",
    "/genres",
    "/countries",
    "/countries/kora",
    "/cities",
    "/events",
    "/events/kora",
    "/search?q=x",
    "/rankings/kora/kora",
];

/// The clock's initial time.
pub(crate) const START: OffsetDateTime = datetime!(2026-03-22 08:00:00.5 UTC);

/// A timeout that only a hanging test reaches, for every timeout that is not under test.
pub(crate) const LONG: Duration = Duration::from_mins(2);

pub(crate) const UPSTREAM: upstream::CallLimits =
    upstream::CallLimits { deadline: LONG, write_deadline: LONG, calls: 256, queue_timeout: LONG };

pub(crate) const LIMITS: LoadLimits =
    LoadLimits { calls: 1_000, queued: 1_000, queue_timeout: LONG, body_timeout: LONG };

/// A replica of the gateway with its stubs.
pub(crate) struct Test {
    pub(crate) app: App,
    pub(crate) router: Router,
    pub(crate) clock: Clock,
    pub(crate) pool: PgPool,
    pub(crate) staff: Staff,
    pub(crate) accounts: Dashboard,
    pub(crate) call_records: CallRecords,
    pub(crate) catalogue: Catalogue,
    pub(crate) economy: Economy,
    pub(crate) webhooks: Webhooks,
    pub(crate) listings: Listings,
    invalidation: Invalidation,
    lifecycle: Lifecycle,
}

impl Drop for Test {
    /// Stops the tasks, so that they release their connections.
    fn drop(&mut self) {
        self.lifecycle.stopping().cancel();
    }
}

/// A key with its secret.
pub(crate) struct TestKey {
    pub(crate) id: String,
    pub(crate) secret: String,
}

/// The settings of a replica.
pub(crate) struct TestConfig {
    pub(crate) clock: Clock,
    /// The time of Redis, if it is not that of `clock`.
    pub(crate) redis_clock: Option<Clock>,
    pub(crate) plans: Plans,
    pub(crate) redis: String,
    pub(crate) patience: Duration,
    pub(crate) upstream: upstream::CallLimits,
    pub(crate) lookup: Options,
    pub(crate) refused_calls: u32,
    pub(crate) proxies: TrustedProxies,
    /// Whether listings-svc is down.
    pub(crate) no_listings: bool,
}

impl Default for TestConfig {
    fn default() -> Self {
        Self {
            clock: Clock::fixed(START),
            redis_clock: None,
            plans: plan_table::parse(plan_table::BUILT_IN).unwrap(),
            redis: redis_url(),
            patience: LONG,
            upstream: UPSTREAM,
            lookup: Options { outage: Duration::from_hours(1), deadline: LONG },
            refused_calls: u32::MAX,
            proxies: TrustedProxies::default(),
            no_listings: false,
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "tests have no settings")]
pub(crate) fn redis_url() -> String {
    std::env::var("REDIS_URL").expect("REDIS_URL names a Redis for tests")
}

/// A plan table: `free` with these limits, and `build` without limits.
pub(crate) fn plans(limits: &str) -> Plans {
    plan_table::parse(&format!(
        "version = 1\n[[plan]]\nname = \"free\"\ntitle = \"Free\"\nwebhook_events = false\n{limits}\n
         [[plan]]\nname = \"build\"\ntitle = \"Build\"\nwebhook_events = true"
    ))
    .unwrap()
}

/// A caller with a new key of an account, as the checks of a route get it.
pub(crate) fn caller(account: Uuid, mode: Mode) -> Caller {
    let id = kit::ids::row_id();
    Caller {
        key: Key {
            id,
            account,
            chain: id,
            name: "server".to_owned(),
            mode,
            kind: KeyKind::Account,
            may_write: false,
            game: None,
            last4: "abcd".to_owned(),
            created_at: START,
            last_used_at: None,
            grace_until: None,
            revoked_at: None,
            revision: 1,
            seen_by: None,
            game_state: GameState::Usable,
        },
        account_name: "Savanna".to_owned(),
        plan: "free".to_owned(),
    }
}

impl Test {
    pub(crate) async fn new(pool: PgPool) -> Self {
        Self::with(pool, TestConfig::default()).await
    }

    pub(crate) async fn with(pool: PgPool, with: TestConfig) -> Self {
        // Without a supervisor, a task that ends early makes the test fail.
        let (lifecycle, _) = Lifecycle::new();
        let catalogue = Catalogue::start(&lifecycle).await;
        let economy = Economy::start(&lifecycle).await;
        let webhooks = Webhooks::start(&lifecycle).await;
        let listings_stub = Listings::default();
        let address = listings_stub.serve(&lifecycle).await;
        let address = Some(address.as_str()).filter(|_| !with.no_listings);
        let of = |address: &str| connect(address, &lifecycle);
        let listings = of(address.unwrap_or("http://127.0.0.1:1"));

        let (clock, plans) = (with.clock, Arc::new(with.plans));
        let openapi = openapi(&plans);
        let producer = producer(&pool, &clock, &lifecycle);
        let redis = Redis::lazy(&Secret::from(with.redis), with.patience, "").unwrap();
        let redis_clock = with.redis_clock.unwrap_or_else(|| clock.clone());
        let counters = || Counters::new(redis.clone(), redis_clock.clone());
        let quota = Arc::new(Quota::new(counters(), pool.clone(), LONG, 50, clock.clone()));
        let counters = Arc::new(counters());
        let (log, log_of_services) = (redis.new_connection(), redis.new_connection());
        write_month_use(&lifecycle, Arc::clone(&quota));
        let newest_position = position(redis);
        let (lookup, switches, invalidation) = caches(&pool, with.lookup, &clock).await;
        let call_recorder = Arc::new(CallRecorder::new(true));
        let services = Arc::new(Services {
            pool: pool.clone(),
            producer,
            plans: Arc::clone(&plans),
            format: KeyFormat::new("svc_"),
            clock: clock.clone(),
            tombstones: Tombstones::start(&lifecycle, &counters),
            counters,
            audit: Audit::new(pool.clone(), gateway::SCHEMA, clock.clone()),
            call_log: CallLog::new(log_of_services, CALL_LOG),
        });
        let log = CallLog::new(log, CALL_LOG);
        let recorder = Arc::clone(&call_recorder);
        let call_records = CallRecords::new(recorder, log, clock.clone(), "svc_");
        let upstream = |name, client| upstream::Upstream::new(name, client, with.upstream);
        let app: App = Arc::new(Gateway {
            clock: clock.clone(),
            format: KeyFormat::new("svc_"),
            proxies: with.proxies,
            proxy_header: ProxyHeader::default(),
            docs_url: "https://docs.example/errors".to_owned(),
            plans,
            switches,
            lookup,
            refused_calls: Arc::new(RefusedCalls::new(with.refused_calls)),
            quota,
            catalogue: upstream("catalogue", of(&catalogue.address)),
            listings: upstream("listings", listings),
            economy: upstream("economy", of(&economy.address)),
            webhooks: upstream("webhook", of(&webhooks.address)),
            player_calls: 30,
            rates: upstream::RatesCache::default(),
            openapi_tag: ETag::for_data(&openapi, None, None),
            openapi: Representations::new(&openapi),
            newest_position,
            last_used: Arc::new(LastUsed::default()),
            call_recorder,
        });
        Self {
            router: gateway::router::router(&app, LIMITS),
            app,
            clock,
            pool,
            staff: Staff(Arc::clone(&services)),
            accounts: Dashboard(services),
            call_records,
            catalogue,
            economy,
            webhooks,
            listings: listings_stub,
            invalidation,
            lifecycle,
        }
    }

    /// Reads the feed, as the replica does periodically.
    pub(crate) async fn catch_up(&mut self) {
        self.try_catch_up().await.unwrap();
    }

    pub(crate) async fn try_catch_up(&mut self) -> Result<(), sqlx::Error> {
        self.invalidation.catch_up().await
    }

    pub(crate) async fn call(&self, request: http::request::Builder) -> TestResponse {
        self.send(request.body(Body::empty()).unwrap()).await
    }

    pub(crate) async fn send(&self, request: http::Request<Body>) -> TestResponse {
        send(&self.router, request).await
    }

    /// Gets a path below `/v1`.
    pub(crate) async fn get(&self, key: &TestKey, path: &str) -> TestResponse {
        self.call(key.get(path)).await
    }

    /// A well-formed key that does not exist.
    pub(crate) fn guess(&self) -> TestKey {
        let secret = self.app.format.generate(Mode::Live, false, &mut rand::rng());
        TestKey { id: String::new(), secret: secret.expose().to_owned() }
    }

    /// Creates an account on a plan, and returns its id.
    pub(crate) async fn account(&self, plan: &str) -> String {
        let request = proto::CreateAccountRequest {
            name: "Savanna Studio".to_owned(),
            plan: plan.to_owned(),
            id: String::new(),
        };
        let made = self.staff.create_account(by_operator(request)).await;
        made.unwrap().into_inner().account.unwrap().id
    }

    pub(crate) async fn set_plan(&self, account: &str, plan: &str) {
        let request =
            proto::SetAccountPlanRequest { account_id: account.to_owned(), plan: plan.to_owned() };
        let set = self.staff.set_account_plan(by_operator(request)).await;
        set.unwrap();
    }

    /// Creates a read-only key.
    pub(crate) async fn key(&self, account: &str, mode: &str) -> TestKey {
        self.key_like(account_key(account, mode)).await.unwrap()
    }

    /// Creates a live key of a new account on the plan `free`.
    pub(crate) async fn live_key(&self) -> TestKey {
        let account = self.account("free").await;
        self.key(&account, "live").await
    }

    pub(crate) async fn key_like(
        &self,
        request: proto::CreateKeyRequest,
    ) -> Result<TestKey, Fault> {
        let made = self.staff.create_key(by_operator(request)).await?.into_inner();
        Ok(TestKey { id: made.key.unwrap().id, secret: made.secret })
    }

    pub(crate) async fn revoke(&self, key: &TestKey) {
        let request = proto::RevokeKeyRequest { id: key.id.clone() };
        self.staff.revoke_key(by_operator(request)).await.unwrap();
    }
}

/// Sends a request with a `host` header.
pub(crate) async fn send(router: &Router, mut request: http::Request<Body>) -> TestResponse {
    let host = http::HeaderValue::from_static("api.example");
    request.headers_mut().insert(HOST, host);
    TestResponse::read(router.clone().oneshot(request).await.unwrap()).await
}

/// Polls until the condition holds, for calls with a short timeout that a slow machine may miss.
pub(crate) async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let polling = async {
        while !holds().await {
            tokio::task::yield_now().await;
        }
    };
    let holds = tokio::time::timeout(LONG, polling).await;
    assert!(holds.is_ok(), "gave up waiting until {what}");
}

pub(crate) const NO_REDIS: &str = "redis://127.0.0.1:1";

/// A second pool of the same database, which a test can close alone.
pub(crate) async fn another(pool: &PgPool) -> PgPool {
    let options = (*pool.connect_options()).clone();
    PgPoolOptions::new().connect_with(options).await.unwrap()
}

/// Locks a table until the returned transaction is dropped.
pub(crate) async fn lock(pool: &PgPool, table: &str) -> sqlx::Transaction<'static, sqlx::Postgres> {
    let mut transaction = kit::pg::begin(&another(pool).await).await.unwrap();
    let lock = format!("lock table {table} in access exclusive mode");
    #[expect(clippy::disallowed_methods, reason = "the table is a parameter")]
    let locking = sqlx::query(sqlx::AssertSqlSafe(lock));
    locking.execute(&mut *transaction).await.unwrap();
    transaction
}

pub(crate) fn by_operator<T>(message: T) -> Request<T> {
    by(Member::operator(), message)
}

pub(crate) fn by<T>(member: Member, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.extensions_mut().insert(member);
    request
}

pub(crate) fn account_key(account: &str, mode: &str) -> proto::CreateKeyRequest {
    proto::CreateKeyRequest {
        account_id: account.to_owned(),
        name: "server".to_owned(),
        mode: mode.parse::<Mode>().unwrap().into(),
        ..Default::default()
    }
}

impl TestKey {
    pub(crate) fn request(&self, method: &str, path: &str) -> http::request::Builder {
        http::Request::builder()
            .method(method)
            .uri(format!("/v1{path}"))
            .header("authorization", format!("Bearer {}", self.secret))
    }

    pub(crate) fn get(&self, path: &str) -> http::request::Builder {
        self.request("GET", path)
    }

    /// Gets `/games` over a connection from `address`.
    pub(crate) fn get_from(&self, address: &str) -> http::request::Builder {
        let peer: IpAddr = address.parse().unwrap();
        self.get("/games").extension(ConnectInfo(SocketAddr::from((peer, 4711))))
    }
}
