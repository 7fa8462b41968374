//! One trace through the fleet, and no secret in what it writes.

use std::sync::{Arc, Mutex};

use e2e::{AccountTokens, Client, Fleet, SmallFleet, Staff, WebClient, eventually, mails};
use http::StatusCode;
use kit::ids::row_id;
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use reqwest::Method;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

use crate::hook::Hook;

const PREFIXES: [&str; 6] = [
    "GATEWAY",
    "WEB",
    "CATALOGUE",
    "LISTINGS",
    "ECONOMY",
    "WEBHOOK",
];

/// The password of a person who signs up.
const PASSWORD: &str = "baobab lorry teapot nine";

/// A span, and the service that sent it.
#[derive(Clone, Debug)]
struct Sent {
    service: String,
    span: Span,
}

impl Sent {
    /// The text of an attribute; empty if it has none.
    fn attribute(&self, key: &str) -> &str {
        text(&self.span.attributes, key)
    }

    fn is_child_of(&self, parent: &Self) -> bool {
        self.span.trace_id == parent.span.trace_id
            && self.span.parent_span_id == parent.span.span_id
    }
}

fn text<'a>(attributes: &'a [KeyValue], key: &str) -> &'a str {
    let found = attributes.iter().find(|one| one.key == key);
    match found.and_then(|one| one.value.as_ref()?.value.as_ref()) {
        Some(Value::StringValue(text)) => text,
        _ => "",
    }
}

/// A collector that keeps all spans.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<Sent>>>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let mut spans = self.0.lock().unwrap();
        for resource in request.into_inner().resource_spans {
            let attributes = resource.resource.unwrap_or_default().attributes;
            let service = text(&attributes, "service.name").to_owned();
            let of_scopes = resource.scope_spans.into_iter();
            spans.extend(of_scopes.flat_map(|scope| scope.spans).map(|span| Sent {
                service: service.clone(),
                span,
            }));
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Collector {
    /// Serves until `server` is dropped; returns the address.
    async fn serve(&self, server: &mut JoinSet<()>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let serving = tonic::transport::Server::builder()
            .add_service(TraceServiceServer::new(self.clone()))
            .serve_with_incoming(TcpListenerStream::new(listener));
        server.spawn(async move { serving.await.unwrap() });
        address
    }

    /// The first span that `matches`, once it has come.
    async fn span(&self, what: &str, matches: impl Fn(&Sent) -> bool) -> Sent {
        eventually(what, async || {
            let spans = self.0.lock().unwrap();
            spans.iter().find(|one| matches(one)).cloned()
        })
        .await
    }

    /// The root span of the request with this id.
    async fn request(&self, service: &str, id: &str) -> Sent {
        let what = format!("{service} sends the span of {id}");
        let root = self.span(&what, |one| {
            one.service == service && one.attribute("request.id") == id
        });
        let root = root.await;
        assert!(root.span.parent_span_id.is_empty(), "{root:?}");
        root
    }

    /// A child of `parent` from this service.
    async fn child(&self, parent: &Sent, service: &str, name: &str) -> Sent {
        let what = format!("{service} sends the span {name} below {parent:?}");
        self.span(&what, |one| {
            one.service == service && one.span.name == name && one.is_child_of(parent)
        })
        .await
    }
}

/// A fleet that traces every request, and a receiver of webhooks.
struct Scene {
    small: SmallFleet,
    fleet: Fleet,
    staff: Staff,
    collector: Collector,
    hook: Hook,
    /// All secrets that were made.
    secrets: Vec<String>,
    _server: JoinSet<()>,
}

impl Scene {
    async fn set() -> Self {
        let (collector, mut server) = (Collector::default(), JoinSet::new());
        let endpoint = collector.serve(&mut server).await;
        let hook = Hook::start(StatusCode::OK).await;
        let mut small = SmallFleet::patient();
        small.set("WEBHOOK_ALLOW", &format!("http://{}", hook.address));
        for prefix in PREFIXES {
            small.set(&format!("{prefix}_OTLP_ENDPOINT"), &endpoint);
            small.set(&format!("{prefix}_TRACE_SAMPLE"), "1");
        }
        let fleet = small.up().await;
        let mut secrets = vec![fleet.staff_token.clone(), fleet.service_token.clone()];
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
        let database = url::Url::parse(&fleet.database_url).unwrap();
        secrets.extend(database.password().map(ToOwned::to_owned));
        let staff = Staff::of(&fleet).await;
        Self {
            small,
            fleet,
            staff,
            collector,
            hook,
            secrets,
            _server: server,
        }
    }

    /// Waits until the log of a service has a line with both ids.
    async fn assert_logged(&self, service: &str, request: &str, root: &Sent) {
        let ids = [
            request.to_owned(),
            format!("trace.id={}", hex::encode(&root.span.trace_id)),
        ];
        let what = format!("{service} logs {ids:?} in a line");
        eventually(&what, async || {
            let log = self.small.log(service);
            let mut lines = log.lines();
            lines.find(|line| ids.iter().all(|id| line.contains(id)))?;
            Some(())
        })
        .await;
    }

    /// A write of the API is one trace from the gateway to the statements of listings-svc.
    async fn trace_a_write(&mut self) {
        let account = self.staff.account("partner").await;
        let handle = format!("studio-{}", row_id().simple());
        self.staff.page(&account, &handle).await;
        self.secrets
            .push(self.hook.subscribe(&self.fleet, &account).await);
        let (_, key) = self
            .staff
            .key(
                &account,
                e2e::KeyRequest {
                    may_write: true,
                    ..e2e::KeyRequest::live()
                },
            )
            .await;
        let mut tokens = AccountTokens::of(&self.fleet).await;
        let token = tokens.create(&account, &AccountTokens::ALL_SCOPES).await;
        let writer = Client::new(&self.fleet, &key);
        self.secrets.extend([key, token.secret.clone()]);

        let body = json!({"creator": handle, "title": "A Traced Game", "platforms": ["web"]});
        let request = writer.request(Method::POST, "/games").json(&body);
        let written = writer.send(request).await;
        let slug = written.data()["slug"].as_str().unwrap().to_owned();
        let id = written.header("x-request-id").unwrap();
        let root = self.collector.request("gateway", id).await;
        let what = "a statement of the write is a span";
        let statement = self.collector.span(what, |one| {
            let text = one.attribute("db.query.text");
            one.span.trace_id == root.span.trace_id && text.contains("insert into listings.game")
        });
        let statement = statement.await;
        let what = "the call that the statement belongs to is a span";
        let call = self
            .collector
            .span(what, |one| statement.is_child_of(one))
            .await;
        assert!(call.is_child_of(&root), "{call:?}");
        let services = [&*statement.service, &*call.service];
        assert_eq!(services, ["listings-svc"; 2]);
        self.collector.child(&root, "gateway", "redis").await;
        self.assert_logged("gateway", id, &root).await;

        self.staff.approve("game", &slug).await;
        let read = Client::new(&self.fleet, &token.secret);
        assert_eq!(read.get("/account/keys").await.status, 200);
    }

    /// The attempt of a delivery is a trace, which is linked to that of the write, and the receiver gets its id.
    async fn trace_a_delivery(&self) {
        let headers = self.hook.first().await;
        let message = headers["x-service-delivery"].to_str().unwrap();
        let what = "webhook-svc sends the span of the attempt";
        let attempt = self.collector.span(what, |one| {
            one.span.name == "webhook attempt" && one.attribute("webhook.message") == message
        });
        let attempt = attempt.await;
        assert_eq!(attempt.service, "webhook-svc");
        assert!(attempt.span.parent_span_id.is_empty(), "{attempt:?}");
        let (trace, span) = (&attempt.span.trace_id, &attempt.span.span_id);
        let expected = format!("00-{}-{}-01", hex::encode(trace), hex::encode(span));
        assert_eq!(headers["traceparent"], expected);
        let [link] = &attempt.span.links[..] else {
            unreachable!("one link to the write: {attempt:?}");
        };
        let what = "the approval of the game, which the attempt is linked to, is a span";
        let write = self.collector.span(what, |one| {
            (&one.span.trace_id, &one.span.span_id) == (&link.trace_id, &link.span_id)
        });
        let write = write.await;
        assert_eq!(write.service, "listings-svc");
        let method = write.attribute("rpc.method");
        assert!(method.ends_with("/Decide"), "{method}");
    }

    /// A page is one trace from web to the catalogue.
    async fn trace_a_page(&self) {
        let url = format!("{}games?q=adventure", self.fleet.dashboard_url);
        let page = reqwest::get(url).await.unwrap();
        assert_eq!(page.status(), 200);
        let id = page.headers()["x-request-id"].to_str().unwrap();
        let root = self.collector.request("web", id).await;
        self.collector.child(&root, "catalogue-svc", "rpc").await;
        self.assert_logged("web", id, &root).await;
    }

    /// Makes the secrets of a person.
    async fn sign_up(&mut self) {
        let mut browser = WebClient::new(&self.fleet);
        let address = format!("visitor-{}@studio.example", row_id());
        browser.post("/sign-up", &[("email", &address)]).await;
        let link = mails::link(&self.fleet.mail_dir, &address).await;
        let fields = [("account_name", "Savanna Studio"), ("password", PASSWORD)];
        let made = browser.post(&link, &fields).await;
        assert_eq!(made.status, 303, "{}", made.text);
        let totp = browser.get("/you/totp").await.element("secret");
        // As the page shows it, and as the app stores it.
        let plain = totp.replace(' ', "");
        let token = link.trim_start_matches("/link/").to_owned();
        self.secrets
            .extend([PASSWORD.to_owned(), totp, plain, token]);
        let cookies = browser.cookies.into_values();
        let long = cookies.filter(|value| value.len() >= 16);
        let before = self.secrets.len();
        self.secrets.extend(long);
        assert!(self.secrets.len() > before, "the session has a cookie");
    }

    /// All that the processes have written, by where.
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
        let spans = self.collector.0.lock().unwrap();
        written.push(("the traces".to_owned(), format!("{spans:?}")));
        written
    }
}

#[tokio::test]
async fn a_request_is_one_trace_and_no_secret_is_written() {
    let mut scene = Scene::set().await;
    scene.trace_a_write().await;
    scene.trace_a_delivery().await;
    scene.sign_up().await;
    // The last one: its line in the log comes after those of the others.
    scene.trace_a_page().await;
    let written = scene.written().await;
    assert!(written.len() > 12, "logs and metrics of six services");
    for secret in &scene.secrets {
        assert!(secret.len() >= 16, "too short to be found only as itself");
        for (place, text) in &written {
            assert!(!text.contains(secret.as_str()), "{place} has {secret}");
        }
    }
}
