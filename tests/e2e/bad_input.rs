//! Requests with unusual or wrong targets: each gets its response in the envelope, and the connection still works.

use e2e::raw::exchange;
use e2e::{Client, Fleet};

/// A target, and the status and error code of its response to GET.
#[rustfmt::skip]
const TARGETS: &[(&str, u16, &str)] = &[
    ("/v1/nothing", 404, "not_found"),
    ("/", 404, "not_found"),
    ("/v2/games", 404, "not_found"),
    ("*", 404, "not_found"),
    ("http://elsewhere.example/v1/games?limit=1", 200, ""),
    ("http://elsewhere.example", 404, "not_found"),
    ("elsewhere.example:80", 404, "not_found"),
    ("/v1//games", 404, "not_found"),
    ("/v1/games//", 404, "not_found"),
    ("//v1/games", 404, "not_found"),
    // Paths are compared literally: no dots are resolved, and only slugs are decoded.
    ("/v1/games/../me", 404, "not_found"),
    ("/../../etc/passwd", 404, "not_found"),
    ("/v1/./games", 404, "not_found"),
    ("/v1/%67ames", 404, "not_found"),
    ("/v1%2fgames", 404, "not_found"),
    ("/v1/games/%2e%2e", 404, "not_found"),
    ("/v1/games/a%2fb", 404, "not_found"),
    ("/v1/games/a%5cb", 404, "not_found"),
    ("/v1/games/a%00b", 404, "not_found"),
    ("/v1/games/a%0d%0ab", 404, "not_found"),
    ("/v1/games/%ff%fe", 404, "not_found"),
    ("/v1/games/%zz", 404, "not_found"),
    ("/v1/games/a%", 404, "not_found"),
    ("/v1/games/a%e2%80%8bb", 404, "not_found"),
    ("/v1/games/кора", 404, "not_found"),
    ("/v1/games/' or 1=1--", 400, ""),
    ("/v1/games?limit=1#a-fragment", 200, ""),
    ("/v1/games?limit=1&q=кора", 200, ""),
    ("/v1/games?q=a%00b", 200, ""),
    ("/v1/games?q=%ff", 400, "invalid"),
    ("/v1/games?q=%zz", 400, "invalid"),
    ("/v1/games?q=%", 400, "invalid"),
    ("/v1/games?%ff=1", 400, "invalid"),
    ("/v1/games?country=%00", 400, "invalid"),
    ("/v1/games?genre=%00", 400, "invalid"),
    ("/v1/games?platform=%00", 400, "invalid"),
    ("/v1/games?stage=%00", 400, "invalid"),
    ("/v1/games?cursor=%00", 400, "invalid"),
    ("/v1/games?limit=1%00", 400, "invalid"),
    ("/v1/games?updated_since=%00", 400, "invalid"),
    ("/v1/games?updated_since=2026-03-01T08:00:00+01:00", 400, "invalid"),
    ("/v1/games?updated_since=2026-03-01T08:00:00%2B01:00", 200, ""),
    ("/v1/creators?updated_since=-2026-03-01", 400, "invalid"),
    ("/v1/events?updatedSince=2026-03-01", 400, "invalid"),
    ("/v1/webhooks", 404, "not_found"),
    ("/v1/webhooks/messages/", 404, "not_found"),
    ("/v1/webhooks/messages?after=%00", 400, "invalid"),
    ("/v1/webhooks/messages?after=%ff", 400, "invalid"),
    ("/v1/webhooks/messages?after=AAAAAAAAAAA", 400, "invalid"),
    ("/v1/webhooks/messages?event=ping", 400, "invalid"),
    ("/v1/webhooks/messages?since=9999-99-99T00:00:00Z", 400, "invalid"),
    ("/v1/webhooks/messages?since=0000-01-01T00:00:00Z&limit=1", 200, ""),
    ("/v1/webhooks/messages?since=9999-12-31T23:59:59Z", 400, "invalid"),
    ("/v1/games?creator=a%00b", 200, ""),
    ("/v1/games?limit=1&limit=1", 400, "invalid"),
    ("/v1/games?limit", 200, ""),
    ("/v1/games?limit=1&genre=&platform=&country=&stage=&creator=&q=&cursor=", 200, ""),
    ("/v1/games?=&&=&limit=1", 200, ""),
    ("/v1/games??limit=1", 200, ""),
    ("/v1/games?limit=1&unknown=%zz", 200, ""),
];

#[tokio::test]
async fn every_target_gets_its_status_and_error_code() {
    let fleet = Fleet::shared();
    let key = &fleet.account("unlimited").keys.live;
    for (target, status, code) in TARGETS {
        let request = format!(
            "GET {target} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {key}\r\nconnection: close\r\n\r\n"
        );
        let answers = exchange(&fleet, request.as_bytes()).await;
        let [answer] = answers.as_slice() else {
            unreachable!("{target}: not one answer: {answers:?}");
        };
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (*status, *code),
            "{target}: {}",
            answer.body
        );
        if *code == "invalid" {
            assert!(answer.body.contains(r#""fields":{"#), "{target}: {}", answer.body);
        }
    }
}

#[tokio::test]
async fn ten_thousand_parameters_are_read() {
    let fleet = Fleet::shared();
    let client = Client::new(&fleet, &fleet.account("unlimited").keys.live);
    let page = client.get(&format!("/games?limit=2{}", "&".repeat(10_000))).await;
    assert_eq!(page.data().as_array().unwrap().len(), 2);
    let page = client.get(&format!("/games?limit=2{}", "&a".repeat(8_000))).await;
    assert_eq!(page.data().as_array().unwrap().len(), 2);
    let twice = client.get(&format!("/games?{}", "q=&".repeat(5_000))).await;
    twice.assert_error(400, "invalid");
    assert_eq!(twice.body["fields"].as_object().unwrap().len(), 1, "{}", twice.text);
}
