//! Webhooks by pulling (§10.17), and `webhook listen` in front of a receiver.

use std::collections::HashSet;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use contracts::public::WebhookMessage;
use e2e::{Client, Fleet, KeyRequest, NewAccount, Response, Staff, binaries, eventually};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

const PATH: &str = "/webhooks/messages";

/// An account with a public page, on a plan with events.
struct Studio {
    fleet: Fleet,
    staff: Staff,
    account: NewAccount,
    client: Client,
    handle: String,
}

impl Studio {
    async fn open() -> Self {
        let fleet = Fleet::shared();
        let mut staff = Staff::of(&fleet).await;
        let account = staff.account("unlimited").await;
        let handle = format!("pulled-{}", kit::ids::row_id().simple());
        staff.page(&account, &handle).await;
        let client = staff.writer(&fleet, &account, "live").await;
        Self {
            fleet,
            staff,
            account,
            client,
            handle,
        }
    }

    /// Publishes a game; returns its slug.
    async fn publish(&self, word: &str) -> String {
        let title = format!("{} {word}", self.handle);
        let body = json!({"creator": self.handle, "title": title});
        let request = self.client.request(Method::POST, "/games").json(&body);
        let slug = self.client.send(request).await.data()["slug"].clone();
        let slug = slug.as_str().unwrap().to_owned();
        self.staff.approve("game", &slug).await;
        slug
    }

    async fn edit(&self, slug: &str, tagline: &str) {
        let request = self
            .client
            .request(Method::PATCH, &format!("/games/{slug}"));
        let edited = self.client.send(request.json(&json!({"tagline": tagline})));
        edited.await.data();
    }
}

fn cursor(page: &Response) -> String {
    page.body["meta"]["next_cursor"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// Pulls until a message about each of these listings was there, or more than one; returns those messages.
async fn pull_of(client: &Client, begin: &str, part: &str, wanted: usize) -> Vec<WebhookMessage> {
    let mut after = begin.to_owned();
    let mut found = Vec::new();
    eventually("the messages are there", async || {
        let page = client.get(&format!("{PATH}?limit=100&after={after}")).await;
        for row in page.data().as_array().unwrap() {
            let message: WebhookMessage = serde_json::from_value(row.clone()).unwrap();
            assert_eq!(serde_json::to_value(&message).unwrap(), *row);
            if message.body.contains(part) {
                found.push(message);
            }
        }
        after = cursor(&page);
        (found.len() >= wanted).then_some(())
    })
    .await;
    found
}

#[tokio::test]
async fn an_approval_and_an_edit_are_pulled_in_their_order() {
    let studio = Studio::open().await;
    let begin = cursor(&studio.client.get(&format!("{PATH}?since=now")).await);
    let slug = studio.publish("one").await;
    studio.edit(&slug, "First").await;
    studio.edit(&slug, "Second").await;
    let messages = pull_of(&studio.client, &begin, &slug, 3).await;
    let events: Vec<&str> = messages.iter().map(|it| it.event.as_str()).collect();
    assert_eq!(
        events,
        ["listing.published", "listing.updated", "listing.updated"]
    );
    let body: Value = serde_json::from_str(&messages[0].body).unwrap();
    assert_eq!(body["id"], messages[0].id.as_str());
    assert_eq!(body["data"]["api"], format!("/games/{slug}"));
    let data: Value = serde_json::from_str(messages[0].data.get()).unwrap();
    assert_eq!(data, body["data"]);

    // A listing that is taken down is named no more.
    studio.staff.take_down("game", &slug).await;
    eventually("webhook-svc knows of the takedown", async || {
        let page = format!("{PATH}?limit=100&after={begin}");
        let page = studio.client.get(&page).await;
        (!page.text.contains(&slug)).then_some(())
    })
    .await;
    let filtered = studio
        .client
        .get(&format!("{PATH}?event=tip.paid&since=now"))
        .await;
    assert_eq!(filtered.data(), &json!([]));
}

/// A receiver that verifies signatures.
struct Receiver {
    url: String,
    bodies: Arc<Mutex<Vec<Value>>>,
    _server: JoinSet<()>,
}

const SECRET: &str = "svc_whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

async fn receive(
    State(bodies): State<Arc<Mutex<Vec<Value>>>>,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let secret = webhook::domain::signature::Secret::parse(SECRET).unwrap();
    let timestamp = headers["x-service-timestamp"].to_str().unwrap();
    let expected = secret.sign(timestamp, &body);
    if headers["x-service-signature"] != expected {
        return StatusCode::UNAUTHORIZED;
    }
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(headers["x-service-delivery"], body["id"].as_str().unwrap());
    assert_eq!(headers["x-service-event"], body["event"].as_str().unwrap());
    bodies.lock().unwrap().push(body);
    StatusCode::OK
}

impl Receiver {
    async fn start() -> Self {
        let bodies = Arc::default();
        let app = Router::new()
            .route("/in", post(receive))
            .with_state(Arc::clone(&bodies));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/in", listener.local_addr().unwrap());
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self {
            url,
            bodies,
            _server: server,
        }
    }

    /// The events about a listing, in the order in which they came. Like any receiver it does the work of a message once.
    fn events(&self, slug: &str) -> Vec<String> {
        let bodies = self.bodies.lock().unwrap();
        let about = bodies.iter().filter(|body| body["data"]["slug"] == slug);
        let mut ids = HashSet::new();
        about
            .filter(|body| ids.insert(body["id"].to_string()))
            .map(|body| body["event"].as_str().unwrap().to_owned())
            .collect()
    }
}

/// `webhook listen`; it ends with the value.
struct Listener(Child);

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[tokio::test]
async fn a_receiver_behind_a_firewall_gets_every_message() {
    let mut studio = Studio::open().await;
    let (_, key) = studio
        .staff
        .key(&studio.account.clone(), KeyRequest::live())
        .await;
    let receiver = Receiver::start().await;
    let slug = studio.publish("forwarded").await;
    studio.edit(&slug, "While nobody listens").await;
    let yesterday = (kit::Clock::system().now() - time::Duration::days(1)).date();
    let mut command = Command::new(binaries().join("webhook"));
    command.args(["listen", "--api", &studio.fleet.base_url]);
    command.args(["--forward-to", &receiver.url, "--interval", "1"]);
    command.args(["--since", &format!("{yesterday}T00:00:00Z")]);
    command.env("SERVICE_API_KEY", &key);
    command.env("SERVICE_WEBHOOK_SECRET", SECRET);
    command.stdout(Stdio::null());
    let _listener = Listener(command.spawn().unwrap());
    let arrived = async |count: usize| {
        eventually("the messages arrive", async || {
            (receiver.events(&slug).len() >= count).then_some(())
        })
        .await;
    };
    arrived(1).await;
    studio.edit(&slug, "And afterwards").await;
    arrived(3).await;
    assert_eq!(
        receiver.events(&slug),
        ["listing.published", "listing.updated", "listing.updated"]
    );
}
