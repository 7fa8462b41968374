//! What is too long: within our bounds an answer in the envelope, far beyond them a bare one or none, over both versions of HTTP.

use std::time::Duration;

use e2e::Fleet;
use e2e::raw::exchange;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{Method, StatusCode};
use serde_json::Value;

/// Lengths of one request: query, one header, number of headers, body; and the code of the answer, or `bare` for no envelope.
type Case = (&'static str, usize, usize, usize, usize, &'static str);

const KIB: usize = 1_024;

#[rustfmt::skip]
const CASES: &[Case] = &[
    ("just short enough", 16 * KIB - 100, 0, 0, 0, ""),
    ("many headers, but not too many", 0, 0, 90, 0, ""),
    ("long headers, but not too long", 0, 31 * KIB, 0, 0, ""),
    ("a body of all that is allowed", 0, 0, 0, 256 * KIB, ""),
    ("a query too long", 17 * KIB, 0, 0, 0, "uri_too_long"),
    ("a query much too long", 60 * KIB, 0, 0, 0, "uri_too_long"),
    ("a header too long", 0, 33 * KIB, 0, 0, "headers_too_large"),
    ("a header much too long", 0, 90 * KIB, 0, 0, "headers_too_large"),
    ("too many headers", 0, 0, 120, 0, "headers_too_large"),
    ("far too many headers", 0, 0, 240, 0, "headers_too_large"),
    ("a body too long", 0, 0, 0, 256 * KIB + 1, "too_large"),
    ("a body much too long", 0, 0, 0, 8_000 * KIB, "too_large"),
    ("a query beyond HTTP's own bounds", 70 * KIB, 0, 0, 0, "bare"),
    ("an endless query", 4_000 * KIB, 0, 0, 0, "bare"),
    ("a header beyond the library's bounds", 0, 200 * KIB, 0, 0, "bare"),
    ("an endless header", 0, 4_000 * KIB, 0, 0, "bare"),
    ("headers beyond the library's bounds", 0, 0, 5_000, 0, "bare"),
];

#[tokio::test]
async fn over_http_1() {
    let fleet = Fleet::shared();
    let key = &fleet.account("unlimited").keys.live;
    for (what, query, header, headers, body, code) in CASES {
        let mut request = format!(
            "GET /v1/games?limit=1&x={} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {key}\r\nconnection: close\r\n",
            "a".repeat(*query)
        );
        request.extend((*header > 0).then(|| format!("x: {}\r\n", "a".repeat(*header))));
        request.extend((0..*headers).map(|n| format!("x-{n}: a\r\n")));
        request.extend((*body > 0).then(|| format!("content-length: {body}\r\n")));
        request = request + "\r\n" + &"b".repeat(*body);
        let answers = exchange(&fleet, request.as_bytes()).await;
        let [answer] = answers.as_slice() else {
            unreachable!("{what}: not one answer: {answers:?}");
        };
        if *code == "bare" {
            let refused = matches!(answer.status, 414 | 431) && answer.body.is_empty();
            assert!(refused, "{what}: {answer:?}");
        } else {
            assert_eq!(answer.code(), *code, "{what}: {answer:?}");
        }
    }
}

#[tokio::test]
async fn over_http_2() {
    let fleet = Fleet::shared();
    let key = &fleet.account("unlimited").keys.live;
    let client = reqwest::Client::builder().http2_prior_knowledge();
    let client = client.timeout(Duration::from_mins(1)).build().unwrap();
    for (what, query, header, headers, body, code) in CASES {
        let address = format!("{}/games?limit=1&x={}", fleet.base_url, "a".repeat(*query));
        let mut request = client.request(Method::GET, address).bearer_auth(key);
        if *header > 0 {
            request = request.header("x", "a".repeat(*header));
        }
        for n in 0..*headers {
            let name = HeaderName::try_from(format!("x-{n}")).unwrap();
            request = request.header(name, HeaderValue::from_static("a"));
        }
        if *body > 0 {
            request = request.body("b".repeat(*body));
        }
        let answer = match request.send().await {
            // The connection, or the one stream, was ended.
            Err(error) => {
                assert_eq!(*code, "bare", "{what}: {error:?}");
                continue;
            }
            Ok(answer) => answer,
        };
        let status = answer.status();
        let text = answer.text().await.unwrap();
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        if *code == "bare" {
            let bare = status == StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE && text.is_empty();
            // There is no other bound on the number of headers or the length of a query than that on the whole head.
            let told = matches!(
                value["error"]["code"].as_str(),
                Some("uri_too_long" | "headers_too_large")
            );
            assert!(bare || told, "{what}: {status} {text}");
        } else {
            assert_eq!(
                value["error"]["code"].as_str().unwrap_or_default(),
                *code,
                "{what}: {status} {text}"
            );
        }
    }
}

#[tokio::test]
async fn a_body_without_a_length_is_not_read_for_ever() {
    let fleet = Fleet::shared();
    let key = &fleet.account("unlimited").keys.live;
    let chunk = format!("10000\r\n{}\r\n", "c".repeat(0x1_0000));
    let request = format!(
        "GET /v1/games?limit=1 HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {key}\r\ntransfer-encoding: chunked\r\n\r\n{}",
        chunk.repeat(100)
    );
    let answers = exchange(&fleet, request.as_bytes()).await;
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200]);
}
