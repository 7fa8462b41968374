//! Pulling webhook messages (§10.17), and `webhook listen`, which forwards them to a receiver.

use std::process::{Child, Command, Stdio};

use contracts::public::WebhookMessage;
use e2e::{Client, Fleet, KeyRequest, Receiver, Response, Studio, binaries, eventually};
use serde_json::{Value, json};

const PATH: &str = "/webhooks/messages";

fn cursor(page: &Response) -> String {
    let cursor = page.body["meta"]["next_cursor"].as_str();
    cursor.unwrap().to_owned()
}

/// Pulls until there are at least this many messages about a listing; returns them.
async fn pull_of(client: &Client, begin: &str, slug: &str, wanted: usize) -> Vec<WebhookMessage> {
    let mut after = begin.to_owned();
    let mut found = Vec::new();
    eventually("the messages are there", async || {
        let page = client.get(&format!("{PATH}?limit=100&after={after}")).await;
        for row in page.data().as_array().unwrap() {
            let message: WebhookMessage = serde_json::from_value(row.clone()).unwrap();
            assert_eq!(serde_json::to_value(&message).unwrap(), *row);
            if message.body.contains(slug) {
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
    let studio = Studio::new(&Fleet::shared()).await;
    let begin = cursor(&studio.live.get(&format!("{PATH}?since=now")).await);
    let slug = studio.publish("one").await;
    studio.edit(&slug, "First").await;
    studio.edit(&slug, "Second").await;
    let messages = pull_of(&studio.live, &begin, &slug, 3).await;
    let events: Vec<&str> = messages.iter().map(|it| it.event.as_str()).collect();
    let expected = ["listing.published", "listing.updated", "listing.updated"];
    assert_eq!(events, expected);
    let body: Value = serde_json::from_str(&messages[0].body).unwrap();
    assert_eq!(body["id"], messages[0].id.as_str());
    assert_eq!(body["data"]["api"], format!("/games/{slug}"));
    let data: Value = serde_json::from_str(messages[0].data.get()).unwrap();
    assert_eq!(data, body["data"]);

    // A listing that was taken down is not named any more.
    studio.staff.take_down("game", &slug).await;
    eventually("webhook-svc knows of the takedown", async || {
        let page = format!("{PATH}?limit=100&after={begin}");
        let page = studio.live.get(&page).await;
        (!page.text.contains(&slug)).then_some(())
    })
    .await;
    let filtered = format!("{PATH}?event=tip.paid&since=now");
    let filtered = studio.live.get(&filtered).await;
    assert_eq!(filtered.data(), &json!([]));
}

const SECRET: &str = "svc_whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

/// `webhook listen`, which ends when the value is dropped.
struct Listener(Child);

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[tokio::test]
async fn a_receiver_behind_a_firewall_gets_every_message() {
    let mut studio = Studio::new(&Fleet::shared()).await;
    let key = studio.staff.key(&studio.account, KeyRequest::live()).await;
    let receiver = Receiver::start().await;
    receiver.expect(SECRET);
    let slug = studio.publish("forwarded").await;
    studio.edit(&slug, "While nobody listens").await;
    let yesterday = (kit::Clock::system().now() - time::Duration::days(1)).date();
    let mut command = Command::new(binaries().join("webhook"));
    command.args(["listen", "--api", &studio.fleet.base_url]);
    let url = format!("http://{}/in", receiver.address);
    command.args(["--forward-to", &url, "--interval", "1"]);
    command.args(["--since", &format!("{yesterday}T00:00:00Z")]);
    command.env("SERVICE_API_KEY", key.1);
    command.env("SERVICE_WEBHOOK_SECRET", SECRET);
    command.stdout(Stdio::null());
    let _listener = Listener(command.spawn().unwrap());
    // `webhook listen` forwards each message once.
    let arrived = async |count: usize| {
        eventually("the messages arrive", async || {
            let messages = receiver.data();
            let about = messages.iter().filter(|data| data["slug"] == slug.as_str());
            (about.count() == count).then_some(())
        })
        .await;
    };
    arrived(2).await;
    studio.edit(&slug, "And afterwards").await;
    arrived(3).await;
}
