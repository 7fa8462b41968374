//! Responses (§10.7, §10.8) as other HTTP clients read them.

use std::process::Command;

use e2e::Fleet;
use e2e::raw::exchange;

use crate::lists::sample;

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
}

/// Decodes with curl, whose decoders are not those of this code. `deploy/test` installs it.
#[tokio::test]
async fn curl_decodes_every_coding() {
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
                &format!("authorization: Bearer {}", fleet.account("unlimited").keys.test),
            ])
            .arg(format!("{}/games?limit=100", fleet.base_url))
            .output()
            .unwrap();
        let said = String::from_utf8(curl.stderr).unwrap();
        assert!(curl.status.success(), "{coding}: {said}");
        assert!(said.contains(&format!("content-encoding: {coding}\r\n")), "{said}");
        let body: serde_json::Value = serde_json::from_slice(&curl.stdout).unwrap();
        assert_eq!(body["data"], *expected.data(), "{coding}");
        assert_eq!(body["meta"]["total"], expected.body["meta"]["total"]);
    }
}
