//! The service's own sender and the reference receiver agree.

use std::sync::Arc;

use bytes::Bytes;
use receiver::inbox::Inbox;
use receiver::server::{self, router};
use time::OffsetDateTime;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use uuid::Uuid;
use webhook::domain::address::Address;
use webhook::domain::signature::Secret;
use webhook::domain::signed_headers::Secrets;
use webhook::http::{AttemptOutcome, AttemptRequest, Sender, Settings};

use super::dashboard::LONG;

#[tokio::test]
async fn what_the_service_sends_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let secret = Secret::generate();
    let receiver = Arc::new(server::Receiver {
        secrets: secret.reveal().parse().unwrap(),
        inbox: Inbox::open(&folder.path().join("inbox")).unwrap(),
        arrived: Notify::new(),
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    let app = router(Arc::clone(&receiver));
    tasks.spawn(async move { axum::serve(listener, app).await });

    let settings = Settings {
        allow: format!("http://{host}").parse().unwrap(),
        answer_timeout: LONG,
        excerpt_timeout: LONG,
        ..Settings::default()
    };
    let address = Address::parse(&format!("http://{host}/in"), &settings.allow).unwrap();
    let sender = Sender::new(&settings).unwrap();
    let (id, other) = (Uuid::from_u128(1), Secret::generate());
    let send = async |secret: &Secret, body: &str, minutes: i64| {
        let attempt = AttemptRequest {
            endpoint: Uuid::nil(),
            address: &address,
            event: "ping",
            id,
            at: OffsetDateTime::from_unix_timestamp(receiver::clock::now() + minutes * 60).unwrap(),
            body: Bytes::from(body.to_owned()),
            secrets: Secrets {
                current: secret,
                next: Some(&other),
            },
        };
        sender.attempt(attempt).await
    };
    let body = format!(r#"{{"id":"{id}","event":"ping","data":{{"message":"hello"}}}}"#);
    for excerpt in ["accepted", "known"] {
        let answer = send(&secret, &body, 0).await;
        assert_eq!(answer.outcome, AttemptOutcome::Delivered, "{answer:?}");
        assert_eq!(answer.excerpt, excerpt.as_bytes());
    }
    assert_eq!(
        receiver.inbox.next().unwrap().unwrap().body,
        body.as_bytes()
    );
    for (secret, body, minutes, status) in [
        (&other, body.as_str(), 0, 401),
        (&secret, body.as_str(), 6, 401),
        (&secret, "hello", 0, 400),
        (&secret, r#"{"event":"new.event"}"#, 0, 200),
    ] {
        assert_eq!(send(secret, body, minutes).await.status, Some(status));
    }
}
