//! Signatures compared with other implementations of Standard Webhooks: a library, and test vectors.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures::FutureExt as _;
use http::{HeaderMap, HeaderName, HeaderValue};
use kit::Clock;
use standardwebhooks::Webhook;
use tokio::io::AsyncWriteExt as _;
use uuid::Uuid;
use webhook::domain::address::{Address, AllowList};
use webhook::domain::signature::Secret;
use webhook::domain::signed_headers::Secrets;
use webhook::http::{AttemptOutcome, AttemptRequest};

use super::receiver::{Authority, Behaviour, Receiver, Stream, header, request, sender};

const BODY: &str = r#"{"id":"00000000-0000-0000-0000-000000000007","event":"ping", "data":{"message":"Habari, dünya ✓"}}"#;
const VECTORS: &str = include_str!("data/standard_webhooks.json");

type Requests = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

/// The request of a message as it arrives, signed with one secret or with two.
async fn arriving(secret: &Secret, next: Option<&Secret>) -> (String, Vec<u8>) {
    let authority = Authority::new();
    let requests = Requests::default();
    let kept = Arc::clone(&requests);
    let behaviour: Behaviour = Arc::new(move |mut stream: Stream| {
        let kept = Arc::clone(&kept);
        async move {
            while let Some(found) = request(&mut stream).await? {
                kept.lock().unwrap().push(found);
                stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await?;
                stream.flush().await?;
            }
            Ok(())
        }
        .boxed()
    });
    let receiver = Receiver::start(&authority, behaviour).await;
    let sender = sender(&authority.settings(&[&receiver]), &receiver);
    let attempt = AttemptRequest {
        address: &Address::parse("https://hooks.example/in?a=b", &AllowList::default()).unwrap(),
        event: "listing.published",
        id: Uuid::from_u128(7),
        // The library compares the timestamp with the machine's clock.
        at: Clock::system().now(),
        body: Bytes::from_static(BODY.as_bytes()),
        secrets: Secrets { current: secret, next },
    };
    let answer = sender.attempt(attempt).await;
    assert_eq!(answer.outcome, AttemptOutcome::Delivered, "{answer:?}");
    requests.lock().unwrap().remove(0)
}

#[tokio::test]
async fn a_message_arrives_with_its_headers_and_its_bytes() {
    let (head, body) = arriving(&Secret::generate(), None).await;
    assert_eq!(body, BODY.as_bytes());
    assert!(head.starts_with("POST /in?a=b HTTP/1.1\r\n"), "{head}");
    let id = Uuid::from_u128(7).to_string();
    for (name, value) in [
        ("host", "hooks.example"),
        ("content-type", "application/json"),
        ("user-agent", "Mchezo-Webhooks/1"),
        ("x-service-event", "listing.published"),
        ("x-service-delivery", &id),
        ("webhook-id", &id),
    ] {
        assert_eq!(header(&head, name), Some(value), "{name}");
    }
    assert_eq!(header(&head, "x-service-timestamp"), header(&head, "webhook-timestamp"));
    assert_eq!(header(&head, "x-service-signature-next"), None);
}

#[tokio::test]
async fn a_library_of_standard_webhooks_verifies_by_either_secret() {
    let (now, next) = (Secret::generate(), Secret::generate());
    let (head, body) = arriving(&now, Some(&next)).await;
    let headers: HeaderMap = ["webhook-id", "webhook-timestamp", "webhook-signature"]
        .into_iter()
        .map(|name| {
            let value = header(&head, name).unwrap();
            (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        })
        .collect();
    // A secret of the standard begins with `whsec_`.
    let library = |secret: &Secret| Webhook::new(&secret.reveal()["svc_".len()..]).unwrap();
    for secret in [&now, &next] {
        library(secret).verify(&body, &headers).unwrap();
    }
    library(&Secret::generate()).verify(&body, &headers).unwrap_err();
    library(&now).verify(b"{}", &headers).unwrap_err();
    // The signature headers of the service itself.
    let timestamp = header(&head, "x-service-timestamp").unwrap();
    for (name, secret) in [("x-service-signature", &now), ("x-service-signature-next", &next)] {
        let signature = secret.sign(timestamp, BODY.as_bytes());
        assert_eq!(header(&head, name), Some(&*signature), "{name}");
    }
}

/// `data/README.md` says where the vectors come from.
#[test]
fn signatures_equal_those_of_other_standard_webhooks_libraries() {
    let vectors: Vec<serde_json::Value> = serde_json::from_str(VECTORS).unwrap();
    assert!(vectors.len() >= 10);
    for vector in vectors {
        let text = |name: &str| vector[name].as_str().unwrap();
        let secret = Secret::parse(text("secret")).unwrap();
        let id = text("id").parse().unwrap();
        let timestamp = vector["timestamp"].as_i64().unwrap();
        let body = text("body").as_bytes();
        assert_eq!(secret.sign_standard(id, timestamp, body), text("python"));
        assert_eq!(secret.sign_standard(id, timestamp, body), text("javascript"));
        assert_eq!(secret.sign(timestamp, body), text("own"));
    }
}
