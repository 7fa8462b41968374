//! How responses decide the outcome of an attempt.

use std::time::Duration;

use webhook::http::AttemptOutcome;

use super::receiver::{Authority, Receiver, ping, sender};

#[tokio::test]
async fn the_status_decides_the_outcome() {
    let authority = Authority::new();
    for (head, outcome, reason) in [
        ("200 OK", AttemptOutcome::Delivered, None),
        ("201 Created", AttemptOutcome::Delivered, None),
        ("202 Accepted", AttemptOutcome::Delivered, None),
        ("299 Odd", AttemptOutcome::Delivered, None),
        ("400 Bad Request", AttemptOutcome::Failed, Some("answered 400")),
        ("401 Unauthorized", AttemptOutcome::Failed, Some("answered 401")),
        ("404 Not Found", AttemptOutcome::Failed, Some("answered 404")),
        ("410 Gone", AttemptOutcome::Gone, Some("answered 410")),
        ("429 Too Many Requests", AttemptOutcome::Failed, Some("answered 429")),
        ("500 Internal Server Error", AttemptOutcome::Failed, Some("answered 500")),
        ("503 Service Unavailable", AttemptOutcome::Failed, Some("answered 503")),
        ("304 Not Modified", AttemptOutcome::Failed, Some("answered 304")),
        ("999 What", AttemptOutcome::Failed, Some("answered 999")),
    ] {
        let answer = format!("HTTP/1.1 {head}\r\ncontent-length: 0\r\n\r\n");
        let receiver = Receiver::answering(&authority, &answer).await;
        let sender = sender(&authority.settings(&[&receiver]), &receiver);
        let answer = ping(&sender).await;
        assert_eq!(answer.outcome, outcome, "{head}");
        assert_eq!(answer.reason.as_deref(), reason, "{head}");
        assert_eq!(answer.status.unwrap().to_string(), head[..3], "{head}");
        assert_eq!(answer.retry_after, None, "{head}");
    }
}

#[tokio::test]
async fn a_response_head_that_curl_accepts_is_accepted() {
    let authority = Authority::new();
    let field = |number: u32| format!("x-field-{number}: {number}\r\n");
    let fields = |count| (0..count).map(field).collect::<String>();
    let long = format!("x-long: {}\r\n", "a".repeat(30 * 1024));
    let too_long = format!("x-long: {}\r\n", "a".repeat(500 * 1024));
    for (fields, status) in [
        (fields(90), Some(200)),
        (long, Some(200)),
        ("x-folded: one\r\n  two\r\n".to_owned(), Some(200)),
        ("no colon\r\n".to_owned(), Some(200)),
        ("x-spaced : one\r\n".to_owned(), Some(200)),
        ("x odd: one\r\n".to_owned(), Some(200)),
        (fields(110), None),
        (too_long, None),
    ] {
        let answer = format!("HTTP/1.1 200 OK\r\n{fields}content-length: 0\r\n\r\n");
        let receiver = Receiver::answering(&authority, &answer).await;
        let sender = sender(&authority.settings(&[&receiver]), &receiver);
        let answer = ping(&sender).await;
        let head: String = fields.chars().take(40).collect();
        assert_eq!(answer.status, status, "{head} {:?}", answer.reason);
        let reason = status.is_none().then_some("the head of its answer is too large");
        assert_eq!(answer.reason.as_deref(), reason, "{head}");
    }
}

#[tokio::test]
async fn a_redirect_is_a_failure_and_is_not_followed() {
    let authority = Authority::new();
    let inner =
        Receiver::answering(&authority, "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    for status in [301, 302, 303, 307, 308] {
        for target in [
            format!("http://{}/", inner.address),
            format!("https://{}/", inner.address),
            "http://169.254.169.254/latest/meta-data/".to_owned(),
            "/elsewhere".to_owned(),
        ] {
            let answer = format!(
                "HTTP/1.1 {status} Moved\r\nlocation: {target}\r\ncontent-length: 0\r\n\r\n"
            );
            let receiver = Receiver::answering(&authority, &answer).await;
            let sender = sender(&authority.settings(&[&receiver, &inner]), &receiver);
            let answer = ping(&sender).await;
            assert_eq!(answer.outcome, AttemptOutcome::Failed);
            let reason = format!(
                "answered {status}, which redirects to {target}: redirects are not followed"
            );
            assert_eq!(answer.reason, Some(reason));
            assert_eq!(receiver.connections(), 1);
        }
    }
    assert_eq!(inner.connections(), 0);
}

#[tokio::test]
async fn the_target_of_a_redirect_is_shown_shortened_and_escaped() {
    let authority = Authority::new();
    let target = format!("/\u{1b}[31m{}", "a".repeat(1_000));
    let answer = format!("HTTP/1.1 301 Moved\r\nlocation: {target}\r\ncontent-length: 0\r\n\r\n")
        .replace('\u{1b}', "\t");
    let receiver = Receiver::answering(&authority, &answer).await;
    let sender = sender(&authority.settings(&[&receiver]), &receiver);
    let reason = ping(&sender).await.reason.unwrap();
    assert!(reason.contains(r"/\t[31maaa"), "{reason}");
    assert!(reason.len() < 300, "{reason}");
}

#[tokio::test]
async fn retry_after_of_429_and_503_is_respected() {
    let authority = Authority::new();
    let hour = Some(Duration::from_hours(1));
    // The clock of the attempt shows 08:49:37.
    for (status, value, expected) in [
        (429, "3600", hour),
        (503, "3600", hour),
        (429, "Sun, 22 Nov 2026 09:49:37 GMT", hour),
        (503, "Sun, 22 Nov 2026 09:49:37 GMT", hour),
        (429, "Sun, 22 Nov 2026 07:49:37 GMT", None),
        (429, "soon", None),
        (500, "3600", None),
        (200, "3600", None),
    ] {
        let answer =
            format!("HTTP/1.1 {status} Later\r\nretry-after: {value}\r\ncontent-length: 0\r\n\r\n");
        let receiver = Receiver::answering(&authority, &answer).await;
        let sender = sender(&authority.settings(&[&receiver]), &receiver);
        let answer = ping(&sender).await;
        assert_eq!(answer.retry_after, expected, "{status} {value}");
    }
}
