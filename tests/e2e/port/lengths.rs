//! Requests that are too long: within our limits an answer in the envelope, far beyond them a bare one or none, over both versions of HTTP.

use e2e::Fleet;
use e2e::raw::exchange;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{Method, StatusCode};
use serde_json::Value;

/// The lengths of one request (query, one header, number of headers, body), and the code of the response. `bare`: it has no envelope.
type Case = (&'static str, usize, usize, usize, usize, &'static str);

const KIB: usize = 1_024;

#[rustfmt::skip]
const CASES: &[Case] = &[
    ("a query that is just short enough", 16 * KIB - 100, 0, 0, 0, "bad_json"),
    ("many headers, but not too many", 0, 0, 85, 0, "bad_json"),
    ("long headers, but not too long", 0, 31 * KIB, 0, 0, "bad_json"),
    ("the longest body", 0, 0, 0, 64 * KIB, "bad_json"),
    ("a query too long", 17 * KIB, 0, 0, 0, "uri_too_long"),
    ("a query much too long", 60 * KIB, 0, 0, 0, "uri_too_long"),
    ("a header too long", 0, 33 * KIB, 0, 0, "headers_too_large"),
    ("too many headers", 0, 0, 120, 0, "headers_too_large"),
    ("a body too long", 0, 0, 0, 64 * KIB + 1, "too_large"),
    ("a body much too long", 0, 0, 0, 1_000 * KIB, "too_large"),
    ("an endless query", 4_000 * KIB, 0, 0, 0, "bare"),
    ("an endless header", 0, 4_000 * KIB, 0, 0, "bare"),
    ("endless headers", 0, 0, 5_000, 0, "bare"),
];

#[tokio::test]
async fn over_http_1_a_request_that_is_too_long_gets_one_response() {
    let fleet = Fleet::shared();
    let key = &fleet.account("unlimited").keys.live_write;
    for (what, query, header, headers, body, code) in CASES {
        let mut request = format!(
            "POST /v1/events?x={} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {key}\r\nconnection: close\r\ncontent-length: {body}\r\n",
            "a".repeat(*query)
        );
        request.extend((*header > 0).then(|| format!("x: {}\r\n", "a".repeat(*header))));
        request.extend((0..*headers).map(|n| format!("x-{n}: a\r\n")));
        request = request + "\r\n" + &"b".repeat(*body);
        let replies = exchange(&fleet, request.as_bytes()).await;
        let [reply] = replies.as_slice() else {
            unreachable!("{what}: not one response: {replies:?}");
        };
        if *code == "bare" {
            let refused = matches!(reply.status, 414 | 431) && reply.body.is_empty();
            assert!(refused, "{what}: {reply:?}");
        } else {
            assert_eq!(reply.code(), *code, "{what}: {reply:?}");
        }
    }
}

#[tokio::test]
async fn over_http_2_a_request_that_is_too_long_gets_one_response() {
    let fleet = Fleet::shared();
    let key = &fleet.account("unlimited").keys.live_write;
    let client =
        reqwest::Client::builder().http2_prior_knowledge().timeout(testing::LONG).build().unwrap();
    for (what, query, header, headers, body, code) in CASES {
        let address = format!("{}/events?x={}", fleet.base_url, "a".repeat(*query));
        let mut request = client.request(Method::POST, address).bearer_auth(key);
        if *header > 0 {
            request = request.header("x", "a".repeat(*header));
        }
        for n in 0..*headers {
            let name = HeaderName::try_from(format!("x-{n}")).unwrap();
            request = request.header(name, HeaderValue::from_static("a"));
        }
        let response = match request.body("b".repeat(*body)).send().await {
            // The connection, or the stream, was ended.
            Err(error) => {
                assert_eq!(*code, "bare", "{what}: {error:?}");
                continue;
            }
            Ok(response) => response,
        };
        let status = response.status();
        let text = response.text().await.unwrap();
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        let found = value["error"]["code"].as_str().unwrap_or_default();
        if *code == "bare" {
            // The library limits the whole head, and neither the query nor the number of headers.
            let is_bare = status == StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE && text.is_empty();
            let is_refused = matches!(found, "uri_too_long" | "headers_too_large");
            assert!(is_bare || is_refused, "{what}: {status} {text}");
        } else {
            assert_eq!(found, *code, "{what}: {status} {text}");
        }
    }
}

#[tokio::test]
async fn a_body_without_a_length_is_not_read_to_its_end() {
    let fleet = Fleet::shared();
    let key = &fleet.account("unlimited").keys.live_write;
    let chunk = format!("10000\r\n{}\r\n", "c".repeat(0x1_0000));
    let request = format!(
        "POST /v1/events HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {key}\r\ntransfer-encoding: chunked\r\n\r\n{}",
        chunk.repeat(100)
    );
    let replies = exchange(&fleet, request.as_bytes()).await;
    let [reply] = replies.as_slice() else {
        unreachable!("not one response: {replies:?}");
    };
    assert_eq!(reply.code(), "too_large");
}
