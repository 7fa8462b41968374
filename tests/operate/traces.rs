//! One trace through the fleet, and no secret in what the fleet writes.

use std::collections::BTreeMap;

use contracts::listings::v1::WhoAmIRequest;
use contracts::listings::v1::staff_member_service_client::StaffMemberServiceClient;
use e2e::{
    Client, Fleet, KeyRequest, Receiver, Service, SmallFleet, Staff, WebClient, WebPage,
    add_endpoint, dial, eventually,
};
use kit::Clock;
use kit::ids::row_id;
use kit::rpc::staff::Role;
use serde_json::json;
use tokio::task::JoinSet;
use url::Url;
use web::domain::session_token::Token;
use web::domain::totp::SharedSecret;

use crate::collector::{Collector, Sent};

const PREFIXES: [&str; 6] = ["GATEWAY", "WEB", "CATALOGUE", "LISTINGS", "ECONOMY", "WEBHOOK"];

/// The settings that contain secrets, without the prefixes of the services.
const SECRETS: [&str; 5] =
    ["DATABASE_URL", "REDIS_URL", "SECRET_KEYS", "FLEET_TOKEN", "STAFF_TOKEN"];

const PASSWORD: &str = "baobab lorry teapot nine";

/// A fleet that traces every request, and a webhook receiver.
struct TracedFleet {
    small: SmallFleet,
    fleet: Fleet,
    staff: Staff,
    collector: Collector,
    receiver: Receiver,
    /// All secrets that the test has created.
    secrets: Vec<String>,
    _server: JoinSet<()>,
}

impl TracedFleet {
    async fn start() -> Self {
        let (collector, mut server) = (Collector::default(), JoinSet::new());
        let endpoint = collector.serve(&mut server).await;
        let receiver = Receiver::start().await;
        let mut small = SmallFleet::patient();
        small.set("WEBHOOK_ALLOW", &format!("http://{}", receiver.address));
        for prefix in PREFIXES {
            small.set(&format!("{prefix}_OTLP_ENDPOINT"), &endpoint);
            small.set(&format!("{prefix}_TRACE_SAMPLE"), "1");
        }
        let fleet = small.up().await;
        let mut secrets = secrets_in_settings(&fleet);
        for account in &fleet.accounts {
            let keys = &account.keys;
            let keys = [
                &keys.test,
                &keys.test_write,
                &keys.live,
                &keys.live_write,
                &keys.live_secret,
                &keys.live_public,
                &keys.test_secret,
                &keys.revoked,
            ];
            secrets.extend(keys.into_iter().chain([&account.password]).cloned());
        }
        let database = Url::parse(&fleet.database_url).unwrap();
        secrets.extend(database.password().map(ToOwned::to_owned));
        let staff = Staff::new(&fleet).await;
        Self { small, fleet, staff, collector, receiver, secrets, _server: server }
    }

    /// Waits until the log of a service has a line with both ids.
    async fn assert_logged(&self, service: &str, request: &str, root: &Sent) {
        let ids = [request.to_owned(), format!("trace.id={}", hex::encode(&root.span.trace_id))];
        let what = format!("{service} logs {ids:?} in a line");
        eventually(&what, async || {
            let log = self.small.log(service);
            let mut lines = log.lines();
            lines.find(|line| ids.iter().all(|id| line.contains(id)))?;
            Some(())
        })
        .await;
    }

    /// A write is one trace, from the gateway to listings-svc.
    async fn trace_a_write(&mut self) {
        let account = self.staff.account("partner").await;
        let handle = format!("studio-{}", row_id().simple());
        self.staff.page(&account, &handle).await;
        let events = ["listing.published", "listing.updated"];
        let place = &self.receiver.address;
        let secret = add_endpoint(&self.fleet, &account, place, &events).await;
        self.receiver.expect(&secret);
        self.secrets.push(secret);
        let wanted = KeyRequest { may_write: true, ..KeyRequest::live() };
        let (_, key) = self.staff.key(&account, wanted).await;
        let writer = Client::new(&self.fleet, &key);
        self.secrets.push(key);

        let body = json!({"creator": handle, "title": "A Traced Game", "platforms": ["web"]});
        let written = writer.post("/games", &body).await;
        let slug = written.data()["slug"].as_str().unwrap().to_owned();
        let id = written.header("x-request-id").unwrap();
        let root = self.collector.request("gateway", id).await;
        self.collector.child(&root, "listings-svc", "rpc").await;
        self.collector.child(&root, "gateway", "redis").await;
        self.assert_logged("gateway", id, &root).await;

        self.staff.approve("game", &slug).await;
        self.trace_a_read(&writer, "/webhooks/messages", "webhook-svc").await;
    }

    /// A read is one trace, from the gateway to the service that answers it.
    async fn trace_a_read(&self, caller: &Client, path: &str, service: &str) {
        let read = caller.get(path).await;
        assert_eq!(read.status, 200, "{}", read.text);
        let id = read.header("x-request-id").unwrap();
        let root = self.collector.request("gateway", id).await;
        self.collector.child(&root, service, "rpc").await;
    }

    /// Each attempt of a delivery is a trace, whose id the receiver gets.
    async fn trace_a_delivery(&self) {
        let headers = self.receiver.first().await;
        let message = headers["x-service-delivery"].to_str().unwrap();
        let what = "webhook-svc sends the span of the attempt";
        let attempt = self
            .collector
            .span(what, |one| {
                one.span.name == "webhook attempt" && one.attribute("webhook.message") == message
            })
            .await;
        assert_eq!(attempt.service, "webhook-svc");
        assert!(attempt.span.parent_span_id.is_empty(), "{attempt:?}");
        let (trace, span) = (&attempt.span.trace_id, &attempt.span.span_id);
        let expected = format!("00-{}-{}-01", hex::encode(trace), hex::encode(span));
        assert_eq!(headers["traceparent"], expected);
    }

    /// A page is one trace, from web to catalogue-svc.
    async fn trace_a_page(&self) {
        let url = format!("{}games?q=adventure", self.fleet.dashboard_url);
        let page = reqwest::get(url).await.unwrap();
        assert_eq!(page.status(), 200);
        let id = page.headers()["x-request-id"].to_str().unwrap();
        let root = self.collector.request("web", id).await;
        self.collector.child(&root, "catalogue-svc", "rpc").await;
        self.assert_logged("web", id, &root).await;
    }

    /// A page of an account is one trace, from web to the gateway.
    async fn trace_an_account(&self, browser: &mut WebClient) {
        let path = browser.get("/accounts").await.location;
        let request = browser.http.get(format!("{}{path}", browser.base));
        let cookies = browser.cookie_header().unwrap();
        let page = request.header("cookie", cookies).send().await.unwrap();
        assert_eq!(page.status(), 200);
        let id = page.headers()["x-request-id"].to_str().unwrap();
        let root = self.collector.request("web", id).await;
        self.collector.child(&root, "gateway", "rpc").await;
    }

    /// Creates the secrets of a person; returns the browser, which is signed in.
    async fn sign_up(&mut self) -> WebClient {
        let mut browser = WebClient::new(&self.fleet);
        let [_, link] = browser.sign_up(&self.fleet, "Savanna Studio", PASSWORD).await;
        let page = browser.get("/you/totp").await;
        let totp = page.element("secret");
        // As the page shows it, and as an app stores it.
        let plain = totp.replace(' ', "");
        let token = link.trim_start_matches("/link/").to_owned();
        self.secrets.extend([PASSWORD.to_owned(), totp, plain, token]);
        self.add_cookies(&browser);
        let codes = turn_on_totp(&mut browser, &page).await;
        self.secrets.extend(codes);
        // Turning on the second factor starts a new session.
        self.add_cookies(&browser);
        browser
    }

    fn add_cookies(&mut self, browser: &WebClient) {
        let cookies = browser.cookies.values();
        let long = cookies.filter(|value| value.len() >= 16);
        let before = self.secrets.len();
        self.secrets.extend(long.cloned());
        assert!(self.secrets.len() > before, "the session has a cookie");
    }

    /// Adds a staff member, who uses the token.
    async fn add_token(&mut self) {
        let member = self.fleet.add_member("traced", Role::Reviewer);
        let listings = &self.fleet.service("listings-svc").grpc;
        let client = dial(listings, &member.clone().into()).await;
        let members = StaffMemberServiceClient::new(client);
        eventually("the file of members is read", async || {
            let who = members.clone().who_am_i(WhoAmIRequest {}).await.ok()?;
            assert_eq!(who.get_ref().name, "traced");
            Some(())
        })
        .await;
        self.secrets.push(member);
    }

    /// Everything that the processes have written, with its source.
    async fn written(&self) -> Vec<(String, String)> {
        let mut written = Vec::new();
        let state = self.fleet.clock_file.parent().unwrap();
        for log in std::fs::read_dir(state.join("logs")).unwrap() {
            let path = log.unwrap().path();
            let text = std::fs::read(&path).unwrap();
            let text = String::from_utf8_lossy(&text).into_owned();
            written.push((path.display().to_string(), text));
        }
        for service in &self.fleet.services {
            let metrics = reqwest::get(&service.metrics).await.unwrap();
            written.push((service.metrics.clone(), metrics.text().await.unwrap()));
        }
        written.push(("the traces".to_owned(), self.collector.text()));
        written
    }
}

/// The secrets in the settings of all services: passwords of PostgreSQL and Redis, encryption keys, and tokens.
fn secrets_in_settings(fleet: &Fleet) -> Vec<String> {
    let services = fleet.services.iter();
    let settings: BTreeMap<String, String> = services.flat_map(Service::environment).collect();
    let mut secrets = Vec::new();
    for name in SECRETS {
        let variables = PREFIXES.map(|prefix| format!("{prefix}_{name}"));
        let values = variables.iter().filter_map(|it| settings.get(it));
        let found: Vec<String> = values.flat_map(|value| secrets_in(value)).collect();
        assert!(!found.is_empty(), "no service has the setting {name}");
        secrets.extend(found);
    }
    secrets
}

/// The secrets in a setting: the password in a URL, or each item of a list, where a key follows its id.
fn secrets_in(setting: &str) -> Vec<String> {
    if setting.contains("://") {
        let url = Url::parse(setting).unwrap();
        return vec![url.password().unwrap().to_owned()];
    }
    let keys = setting.split(',');
    keys.map(|key| key.split_once(':').map_or(key, |(_, key)| key).to_owned()).collect()
}

/// Turns the second factor on with the secret on `page`; returns the recovery codes, with and without the separators that the page shows.
async fn turn_on_totp(browser: &mut WebClient, page: &WebPage) -> Vec<String> {
    let session = Token::parse(&browser.cookies["session"]).unwrap();
    let key = session.derived_key("authenticator app");
    let secret = SharedSecret(key[..20].try_into().unwrap());
    assert_eq!(secret.text(), page.element("secret"));
    let (form, code) = (page.hidden("form"), secret.code(Clock::system().now()));
    let fields = [("form", form.as_str()), ("code", code.as_str()), ("password", PASSWORD)];
    let page = browser.post("/you/totp", &fields).await;
    let items = page.text.split("<li>").skip(1).filter_map(|item| item.split('<').next());
    let codes: Vec<&str> = items.filter(|item| item.len() == 19).collect();
    assert_eq!(codes.len(), 10, "{}", page.text);
    let typed = codes.iter().map(|code| code.replace('-', ""));
    typed.chain(codes.iter().map(ToString::to_string)).collect()
}

#[tokio::test]
#[ignore = "long: a fleet that is used in every way, and a search in all that it wrote"]
async fn a_request_is_one_trace_and_no_secret_is_written() {
    let mut traced = TracedFleet::start().await;
    traced.trace_a_write().await;
    traced.trace_a_delivery().await;
    let game = Client::new(&traced.fleet, &traced.fleet.account("partner").keys.live_secret);
    traced.trace_a_read(&game, "/economy/currencies", "economy-svc").await;
    let mut browser = traced.sign_up().await;
    traced.add_token().await;
    traced.trace_an_account(&mut browser).await;
    // This one comes last: its log line follows those of the others.
    traced.trace_a_page().await;
    let written = traced.written().await;
    assert!(written.len() > 12, "logs and metrics of six services");
    for secret in &traced.secrets {
        assert!(secret.len() >= 16, "too short to be found only as itself");
        for (place, text) in &written {
            assert!(!text.contains(secret.as_str()), "{place} has {secret}");
        }
    }
}
