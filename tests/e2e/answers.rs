//! The form of answers (§10.7, §10.8): tags and 304, HEAD, content codings; of every read, over the real catalogue.

use std::process::Command;

use e2e::raw::exchange;
use e2e::{Client, Fleet, Response};
use reqwest::header::HeaderMap;
use reqwest::{Method, Version};

use crate::lists::sample;

const CODINGS: [&str; 2] = ["gzip", "zstd"];

/// A read of every kind. The samples never change.
async fn reads(client: &Client) -> Vec<String> {
    let mut reads = vec![
        "/genres".to_owned(),
        "/search?q=a&limit=100".to_owned(),
        "/games?genre=puzzle".to_owned(),
        "/rankings/games/all?limit=100".to_owned(),
        "/me/listings".to_owned(),
        "/webhooks/messages?limit=100".to_owned(),
    ];
    for (list, name) in [
        ("games", "slug"),
        ("creators", "handle"),
        ("countries", "code"),
        ("events", "slug"),
    ] {
        let path = format!("/{list}?limit=100");
        let row = client.get(&path).await.data()[0][name].clone();
        reads.extend([path, format!("/{list}/{}", row.as_str().unwrap())]);
    }
    reads.extend(["/countries?empty=true", "/cities?limit=100", "/cities"].map(str::to_owned));
    reads
}

async fn ask(client: &Client, method: Method, path: &str, coding: &str, known: &str) -> Response {
    let mut request = client.request(method, path);
    for (name, value) in [("accept-encoding", coding), ("if-none-match", known)] {
        if !value.is_empty() {
            request = request.header(name, value);
        }
    }
    client.send(request).await
}

/// The text without what differs from call to call.
fn same(answer: &Response) -> String {
    answer
        .text
        .replace(answer.header("x-request-id").unwrap(), "")
}

/// The headers without what differs from call to call.
fn steady(answer: &Response) -> HeaderMap {
    let mut headers = answer.headers.clone();
    // A HEAD has no body whose form `transfer-encoding` could name.
    for name in ["x-request-id", "ratelimit", "date", "transfer-encoding"] {
        headers.remove(name);
    }
    headers
}

#[tokio::test]
async fn every_read_is_known_again_by_its_tag() {
    let client = sample(&Fleet::shared());
    let mut seen = Vec::new();
    for path in reads(&client).await {
        let first = client.get(&path).await;
        let tag = first.header("etag").unwrap().to_owned();
        // Those of a single game or event name its revision, for `If-Match`.
        let is_listing = path.starts_with("/games/") || path.starts_with("/events/");
        let begin = if is_listing { "\"r" } else { "W/\"" };
        assert!(tag.starts_with(begin), "{path}: {tag}");
        assert_eq!(
            client.get(&path).await.header("etag"),
            Some(&*tag),
            "{path}"
        );
        for method in [Method::GET, Method::HEAD] {
            let known = ask(&client, method, &path, "", &format!("\"x\", {tag}")).await;
            assert_eq!(known.status, 304, "{path}");
            assert_eq!(known.header("etag"), Some(&*tag), "{path}");
            assert!(known.header("x-request-id").unwrap().starts_with("req_"));
            assert_eq!(known.header("vary"), Some("accept-encoding"), "{path}");
            assert_eq!(known.header("content-length"), None, "{path}");
        }
        let data = first.data().clone();
        for (other, its) in &seen {
            assert_eq!(data == *other, tag == *its, "{path}");
        }
        seen.push((data, tag));
    }
    let me = client.get("/me").await;
    assert!(me.header("etag").unwrap().starts_with("W/\""));
}

#[tokio::test]
async fn every_read_says_the_same_in_every_coding_and_head_the_same_headers() {
    let client = sample(&Fleet::shared());
    let mut compressed = 0;
    for path in reads(&client).await {
        let plain = client.get(&path).await;
        assert_eq!(plain.header("content-encoding"), None, "{path}");
        for coding in CODINGS {
            let coded = ask(&client, Method::GET, &path, coding, "").await;
            assert_eq!(same(&coded), same(&plain), "{path} in {coding}");
            assert_eq!(coded.header("etag"), plain.header("etag"), "{path}");
            let expected = (plain.data().to_string().len() > 2_000).then_some(coding);
            if expected.is_some() {
                assert_eq!(coded.header("content-encoding"), expected, "{path}");
                compressed += 1;
            }
            let head = ask(&client, Method::HEAD, &path, coding, "").await;
            assert_eq!(steady(&head), steady(&coded), "{path} in {coding}");
        }
        let head = ask(&client, Method::HEAD, &path, "", "").await;
        assert_eq!(steady(&head), steady(&plain), "{path}");
    }
    assert!(compressed > 12, "{compressed} answers were long enough");
}

#[tokio::test]
async fn a_connection_goes_on_after_304_and_head() {
    let fleet = Fleet::shared();
    let key = &fleet.account("unlimited").keys.test;
    let call = |method: &str, more: &str| {
        format!(
            "{method} /v1/games HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {key}\r\n{more}\r\n"
        )
    };
    let calls = [
        call("GET", "if-none-match: *\r\n"),
        call("GET", "if-none-match: *\r\naccept-encoding: gzip\r\n"),
        call("HEAD", ""),
        call("HEAD", "accept-encoding: gzip\r\n"),
        call("GET", "connection: close\r\n"),
    ];
    let replies = exchange(&fleet, calls.concat().as_bytes()).await;
    let statuses: Vec<u16> = replies.iter().map(|reply| reply.status).collect();
    assert_eq!(statuses, [304, 304, 200, 200, 200]);
    for head in &replies[2..4] {
        assert!(head.body.is_empty(), "{}", head.body);
    }
    assert!(!replies[4].body.is_empty());
    for reply in &replies[..2] {
        assert!(!reply.head.contains("content-length"), "{}", reply.head);
        assert!(!reply.head.contains("transfer-encoding"), "{}", reply.head);
    }

    let http2 = reqwest::Client::builder()
        .http2_prior_knowledge()
        .build()
        .unwrap();
    for (method, known, status) in [("GET", "*", 304), ("HEAD", "x", 200), ("GET", "x", 200)] {
        let request = http2
            .request(method.parse().unwrap(), format!("{}/games", fleet.base_url))
            .bearer_auth(key)
            .header("if-none-match", known);
        let answer = request.send().await.unwrap();
        assert_eq!(
            (answer.version(), answer.status().as_u16()),
            (Version::HTTP_2, status)
        );
        let has_body = !answer.bytes().await.unwrap().is_empty();
        assert_eq!(has_body, method == "GET" && status == 200);
    }
}

/// Whose decoders are not ours: those of the curl that `deploy/test` installs.
#[tokio::test]
async fn curl_takes_every_coding() {
    let version = Command::new("curl").arg("--version").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let fleet = Fleet::shared();
    let client = sample(&fleet);
    let expected = client.get("/games?limit=100").await;
    for (coding, feature) in [("gzip", "libz"), ("zstd", "zstd")] {
        assert!(
            version.split_whitespace().any(|word| word == feature),
            "curl was built without {coding}: {version}"
        );
        let curl = Command::new("curl")
            .args(["--silent", "--show-error", "--fail", "--compressed"])
            .args(["--dump-header", "/dev/stderr"])
            .args(["--header", &format!("accept-encoding: {coding}")])
            .args([
                "--header",
                &format!(
                    "authorization: Bearer {}",
                    fleet.account("unlimited").keys.test
                ),
            ])
            .arg(format!("{}/games?limit=100", fleet.base_url))
            .output()
            .unwrap();
        let said = String::from_utf8(curl.stderr).unwrap();
        assert!(curl.status.success(), "{coding}: {said}");
        assert!(
            said.contains(&format!("content-encoding: {coding}\r\n")),
            "{said}"
        );
        let body: serde_json::Value = serde_json::from_slice(&curl.stdout).unwrap();
        assert_eq!(body["data"], *expected.data(), "{coding}");
        assert_eq!(body["meta"]["total"], expected.body["meta"]["total"]);
    }
}
