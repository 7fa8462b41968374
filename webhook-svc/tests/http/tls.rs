//! The TLS certificate of a receiver is verified.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use rcgen::CertificateParams;
use time::OffsetDateTime;
use time::macros::datetime;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use webhook::http::{AttemptOutcome, Sender, Settings};

use super::receiver::{
    Authority, Behaviour, Identity, PATIENCE, Receiver, Scripted, Stream, good, ping, sender,
};

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

async fn presenting(identity: Identity) -> Receiver {
    let answer: Behaviour =
        Arc::new(|mut stream: Stream| async move { stream.write_all(OK.as_bytes()).await }.boxed());
    Receiver::start_as(identity, &[], "127.0.0.1:0", answer).await
}

#[tokio::test]
async fn an_invalid_certificate_is_a_failure() {
    let authority = Authority::named("authority of the test");
    let at = |not_before: OffsetDateTime, not_after: OffsetDateTime| {
        let mut params = good();
        (params.not_before, params.not_after) = (not_before, not_after);
        authority.identity(&params)
    };
    let other_name = CertificateParams::new(vec!["other.example".to_owned()]).unwrap();
    let past = datetime!(2001-01-01 00:00 UTC);
    let far = datetime!(2901-01-01 00:00 UTC);
    let impostor = Authority::named("authority of the test").identity(&good());
    for (identity, problem) in [
        (impostor, "its authority has not signed it"),
        (at(past, datetime!(2001-02-01 00:00 UTC)), "it has expired"),
        (
            at(datetime!(2900-01-01 00:00 UTC), far),
            "it is not valid yet",
        ),
        (authority.identity(&other_name), "it is for another name"),
        (
            Identity::self_signed(&good()),
            "it is self-signed, or a certificate between it and its authority is missing",
        ),
        (
            Authority::new().identity(&good()),
            "it is self-signed, or a certificate between it and its authority is missing",
        ),
    ] {
        let receiver = presenting(identity).await;
        let sender = sender(&authority.settings(&[&receiver]), &receiver);
        let answer = ping(&sender).await;
        assert_eq!(answer.outcome, AttemptOutcome::Failed);
        let reason = format!("TLS certificate is not valid: {problem}");
        assert_eq!(answer.reason, Some(reason));
    }
}

#[tokio::test]
async fn a_receiver_without_tls_is_a_failure() {
    let authority = Authority::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut settings = authority.settings(&[]);
    settings.allow = address.to_string().parse().unwrap();
    let resolver = Scripted::new([vec![address]]);
    let sender = Sender::with_resolver(&settings, resolver).unwrap();
    let plain = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(OK.as_bytes()).await.unwrap();
        tokio::time::sleep(PATIENCE).await;
    };
    let answer = tokio::select! {
        answer = ping(&sender) => answer,
        () = plain => panic!("the sender waits"),
    };
    assert_eq!(answer.outcome, AttemptOutcome::Failed);
    let reason = answer.reason.unwrap();
    assert!(reason.starts_with("TLS failed: "), "{reason}");
}

#[tokio::test]
async fn a_handshake_that_hangs_ends_with_the_deadline() {
    let authority = Authority::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut settings = authority.settings(&[]);
    settings.allow = address.to_string().parse().unwrap();
    settings.answer_timeout = Duration::from_millis(300);
    let resolver = Scripted::new([vec![address]]);
    let sender = Sender::with_resolver(&settings, resolver).unwrap();
    let answer = ping(&sender).await;
    let reason = answer.reason.unwrap();
    assert!(
        [
            "did not answer within 0.3 seconds",
            "did not accept a connection in time"
        ]
        .contains(&reason.as_str()),
        "{reason}"
    );
}

#[tokio::test]
async fn a_missing_ca_file_is_refused_at_start() {
    let mut settings = Settings {
        ca_file: Some("/nowhere/ca.pem".into()),
        ..Settings::default()
    };
    let error = Sender::new(&settings).unwrap_err();
    assert!(
        format!("{error:#}").contains("/nowhere/ca.pem"),
        "{error:#}"
    );
    settings.ca_file = None;
    Sender::new(&settings).unwrap();
}
