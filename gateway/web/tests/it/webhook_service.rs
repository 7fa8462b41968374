//! A site with a real webhook-svc, in the same database, and a receiver.

use std::sync::{Arc, Mutex};
use std::time::Duration as StdDuration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::IntoResponse;
use axum::routing::post;
use http::StatusCode;
use http::header::SET_COOKIE;
use kit::clock::Clock;
use kit::feed::{Producer, Retention};
use kit::jobs::Leader;
use kit::lifecycle::{Lifecycle, Supervisor};
use kit::wakeup::Wakeup;
use sqlx::PgPool;
use time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use uuid::Uuid;
use web::domain::role::Role;
use webhook::deliver::{self, DeliveryDependencies, Limits};
use webhook::domain::health::DisablePolicy;
use webhook::domain::schedule::Schedule;
use webhook::http::{Sender, Settings};
use webhook::service::Service;
use webhook::store::accounts;
use webhook::store::plans::{self, Plan};

use crate::browser::{Browser, Page};
use crate::support::{ADA, START, Site};

/// A site, an account on a plan with five endpoints and real events, and its owner.
pub(crate) struct WebhookSite {
    pub(crate) site: Site,
    pub(crate) account: Uuid,
    pub(crate) browser: Browser,
    pub(crate) receiver: Receiver,
    lifecycle: Lifecycle,
    _supervisor: Supervisor,
}

impl Drop for WebhookSite {
    fn drop(&mut self) {
        self.lifecycle.draining().cancel();
        self.lifecycle.stopping().cancel();
    }
}

impl WebhookSite {
    pub(crate) async fn new(pool: PgPool) -> Self {
        webhook::MIGRATOR.run(&pool).await.unwrap();
        let (lifecycle, supervisor) = Lifecycle::new();
        let (clock, receiver) = (Clock::fixed(START), Receiver::start().await);
        let client = serve(&pool, &clock, &receiver, &lifecycle).await;
        let site = Site::with_webhooks(pool, clock, client).await;
        let ada = site.person(ADA).await;
        let account = site.account(ada, Role::Owner).await;
        insert_account(&site.pool, account, "build").await;
        Self {
            browser: site.signed_in(ADA).await,
            site,
            account,
            receiver,
            lifecycle,
            _supervisor: supervisor,
        }
    }

    /// The path of the account's webhooks.
    pub(crate) fn base(&self) -> String {
        format!("/accounts/{}/webhooks", self.account)
    }

    /// Adds an endpoint for the receiver; returns the path of its page.
    pub(crate) async fn add(&mut self) -> String {
        let (base, url) = (self.base(), self.receiver.url.clone());
        let fields = [("url", url.as_str()), ("events", "tip.paid")];
        let page = self.browser.submit(&format!("{base}/new"), &base, &fields).await;
        page.assert(200, "SERVICE_WEBHOOK_SECRET=svc_whsec_");
        let (_, rest) = page.text.split_once(&format!("action=\"{base}/")).unwrap();
        format!("{base}/{}", rest.split('/').next().unwrap())
    }

    /// Waits until a page has this text.
    pub(crate) async fn eventually(&mut self, path: &str, text: &str) -> Page {
        testing::eventually(&format!("{path} has the text {text}"), async || {
            let page = self.browser.get(path).await;
            page.text.contains(text).then_some(page)
        })
        .await
    }
}

/// Adds an account and the table of plans to webhook-svc, as the gateway's feed does.
pub(crate) async fn insert_account(pool: &PgPool, id: Uuid, plan: &str) {
    let mut connection = pool.acquire().await.unwrap();
    let account = accounts::Row { id, plan: plan.to_owned() };
    accounts::upsert(&mut connection, Uuid::nil(), vec![account]).await.unwrap();
    let plan = |name: &str, endpoints, events| Plan {
        name: name.to_owned(),
        title: name.to_owned(),
        endpoints: Some(endpoints),
        events,
        coming: false,
    };
    let table = [plan("free", 1, false), plan("build", 5, true)];
    plans::replace(&mut connection, Uuid::nil(), &table).await.unwrap();
}

/// Serves webhook-svc, including deliveries.
async fn serve(
    pool: &PgPool,
    clock: &Clock,
    receiver: &Receiver,
    lifecycle: &Lifecycle,
) -> kit::rpc::client::Client {
    let wakeup = Wakeup::start(pool.clone(), webhook::CHANNEL, lifecycle);
    let origin = receiver.url.strip_suffix("/hook").unwrap();
    let settings = Settings {
        allow: origin.parse().unwrap(),
        answer_timeout: testing::LONG,
        excerpt_timeout: testing::LONG,
        address_check_timeout: testing::LONG,
        ..Settings::default()
    };
    let sender = Sender::new(&settings).unwrap();
    let key_ring: kit::key_ring::KeyRing =
        "a:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=".parse().unwrap();
    let leader = Leader::start(lifecycle, pool.clone(), webhook::SCHEMA, clock.clone());
    let delivering = DeliveryDependencies {
        pool: pool.clone(),
        producer: Producer::start(&leader, lifecycle, Retention::default()),
        clock: clock.clone(),
        wakeup: wakeup.clone(),
        sender: sender.clone(),
        key_ring: key_ring.clone(),
        schedule: Schedule::default(),
        disable_policy: DisablePolicy::default(),
        limits: Limits {
            in_flight: 16,
            per_endpoint: 4,
            endpoints: 4,
            lease: StdDuration::from_secs(10),
            statement_timeout: testing::LONG,
        },
    };
    deliver::spawn(delivering, lifecycle);
    let service = Service {
        pool: pool.clone(),
        clock: clock.clone(),
        wakeup,
        sender,
        key_ring,
        schedule: Schedule::default(),
        rotation: Duration::DAY,
        retention: Duration::days(30),
        public_url: "https://mchezo.example".to_owned(),
    };
    let mut services = kit::rpc::server::services();
    service.add_to(&mut services);
    let address = testing::serve(services, lifecycle).await.unwrap();
    testing::client(&address, lifecycle).unwrap()
}

/// A receiver that responds to every POST with one status, and records the bodies.
pub(crate) struct Receiver {
    pub(crate) url: String,
    shared: Arc<Shared>,
    server: JoinSet<()>,
}

struct Shared {
    /// `None`: no response until the test sets a status.
    status: watch::Sender<Option<u16>>,
    bodies: Mutex<Vec<String>>,
    answer: Mutex<String>,
}

impl Receiver {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let shared = Arc::new(Shared {
            status: watch::Sender::new(Some(200)),
            bodies: Mutex::default(),
            answer: Mutex::new("<b>noted</b>".to_owned()),
        });
        let router = Router::new().route("/hook", post(receive)).with_state(Arc::clone(&shared));
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, shared, server }
    }

    /// Refuses connections from now on.
    pub(crate) async fn stop(&mut self) {
        self.server.shutdown().await;
    }

    pub(crate) fn answer(&self, status: u16) {
        self.shared.status.send_replace(Some(status));
    }

    /// Sets the body of responses from now on.
    pub(crate) fn say(&self, text: &str) {
        text.clone_into(&mut self.shared.answer.lock().unwrap());
    }

    pub(crate) fn hang(&self) {
        self.shared.status.send_replace(None);
    }

    pub(crate) fn bodies(&self) -> Vec<String> {
        self.shared.bodies.lock().unwrap().clone()
    }
}

/// Sets a cookie, which nobody but the receiver may see.
async fn receive(State(shared): State<Arc<Shared>>, body: Bytes) -> impl IntoResponse {
    let body = String::from_utf8_lossy(&body).into_owned();
    shared.bodies.lock().unwrap().push(body);
    let mut status = shared.status.subscribe();
    let status = status.wait_for(Option::is_some).await.unwrap().unwrap();
    let answer = shared.answer.lock().unwrap().clone();
    let cookie = [(SET_COOKIE, "receiver=of-the-studio")];
    (StatusCode::from_u16(status).unwrap(), cookie, answer)
}
