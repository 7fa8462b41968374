//! A receiver of the examples accepts what the service's own sender sends.

use std::time::Duration;

use bytes::Bytes;
use time::OffsetDateTime;
use uuid::Uuid;
use webhook::domain::address::Address;
use webhook::domain::signature::Secret;
use webhook::domain::signed_headers::Secrets;
use webhook::http::{AttemptRequest, Sender, Settings};

use super::process::{SECRET, example, start_example};

/// A timeout that only a hanging test reaches.
const LONG: Duration = Duration::from_mins(2);

#[tokio::test]
async fn a_receiver_accepts_messages_of_the_service() {
    let receiver = start_example(&format!("python3 {}", example("receiver.py").display()));
    let url = receiver.url();
    let settings = Settings {
        allow: url.strip_suffix("/in").unwrap().parse().unwrap(),
        answer_timeout: LONG,
        excerpt_timeout: LONG,
        ..Settings::default()
    };
    let address = Address::parse(&url, &settings.allow).unwrap();
    let sender = Sender::new(&settings).unwrap();
    let secret = Secret::parse(SECRET).unwrap();
    let (id, other) = (Uuid::from_u128(1), Secret::generate());
    let now =
        OffsetDateTime::from(std::time::UNIX_EPOCH) + std::time::UNIX_EPOCH.elapsed().unwrap();
    let body = format!(r#"{{"id":"{id}","event":"ping","data":{{"message":"hello"}}}}"#);
    for (secret, body, minutes, status) in [
        (&secret, body.as_str(), 0, 200),
        (&secret, body.as_str(), 0, 200),
        (&other, body.as_str(), 0, 401),
        (&secret, body.as_str(), 6, 401),
        (&secret, "hello", 0, 400),
        (&secret, r#"{"event":"new.event"}"#, 0, 200),
    ] {
        let attempt = AttemptRequest {
            address: &address,
            event: "ping",
            id,
            at: now + time::Duration::minutes(minutes),
            body: Bytes::from(body.to_owned()),
            secrets: Secrets { current: secret, next: None },
        };
        let answer = sender.attempt(attempt).await;
        assert_eq!(answer.status, Some(status), "{answer:?}");
    }
}
