//! A refusal while its body is still on its way: the client receives the answer whole, though nobody wants the body. reqwest and curl call
//! over HTTP/2, and httpx over HTTP/1.1.

use std::process::Command;
use std::time::Duration;

use e2e::Fleet;
use reqwest::Version;
use serde_json::{Value, json};

use crate::clients::python_with_httpx;

const KB: usize = 1_000;
/// Sends the bodies with httpx.
const HTTPX: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/e2e/port/refused_bodies.py");

/// Who calls `POST /games`, the lengths of the bodies, and what refuses them.
#[rustfmt::skip]
const CASES: &[(&str, &[usize], u16, &str)] = &[
    ("nobody", &[20 * KB, 200 * KB, 2_000 * KB], 401, "missing_key"),
    ("a revoked key", &[20 * KB, 200 * KB, 2_000 * KB], 401, "invalid_key"),
    ("a key that may not write", &[20 * KB, 200 * KB, 2_000 * KB], 403, "write_not_allowed"),
    // Shorter bodies are not too large.
    ("a key that may write", &[263 * KB, 600 * KB, 2_000 * KB], 413, "too_large"),
];

/// The key of a caller of [`CASES`], from an account whose minute has room for all tests.
fn key_of<'a>(fleet: &'a Fleet, caller: &str) -> Option<&'a str> {
    let keys = &fleet.account("unlimited").keys;
    match caller {
        "nobody" => None,
        "a revoked key" => Some(&keys.revoked),
        "a key that may not write" => Some(&keys.test),
        _ => Some(&keys.test_write),
    }
}

/// Asserts that `text` is the whole envelope of the error `code`.
fn assert_error(what: &str, text: &str, code: &str) {
    let body: Value = serde_json::from_str(text).unwrap_or_default();
    assert_eq!(body["error"]["code"], code, "{what}: {text}");
    assert!(body["meta"]["request_id"].is_string(), "{what}: {text}");
}

#[tokio::test]
async fn a_client_that_sends_on_receives_the_answer() {
    let fleet = Fleet::shared();
    for (caller, lengths, status, code) in CASES {
        for length in *lengths {
            let what = format!("{caller}, {length} bytes");
            // A connection of its own: what is left of another body is in nobody's way.
            let client = reqwest::Client::builder().http2_prior_knowledge();
            let client = client.timeout(Duration::from_mins(2)).build().unwrap();
            let request = client.post(format!("{}/games", fleet.base_url));
            let request = match key_of(&fleet, caller) {
                Some(key) => request.bearer_auth(key),
                None => request,
            };
            let answer = request.body("b".repeat(*length)).send().await.unwrap();
            assert_eq!(answer.version(), Version::HTTP_2, "{what}");
            assert_eq!(answer.status().as_u16(), *status, "{what}");
            assert_error(&what, &answer.text().await.unwrap(), code);
        }
    }
}

/// The curl of Debian 12 fails (92, stream not closed cleanly) where the stream is reset together with the answer.
#[tokio::test]
async fn curl_receives_the_answer() {
    let fleet = Fleet::shared();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("body");
    for (caller, lengths, status, code) in CASES {
        for length in *lengths {
            let what = format!("{caller}, {length} bytes");
            std::fs::write(&file, "b".repeat(*length)).unwrap();
            let mut curl = Command::new("curl");
            curl.args(["--silent", "--show-error", "--http2-prior-knowledge"])
                .args(["--max-time", "120"])
                .args(["--write-out", "\n%{http_version} %{http_code}"])
                .args(["--data-binary", &format!("@{}", file.display())]);
            if let Some(key) = key_of(&fleet, caller) {
                curl.args(["--header", &format!("authorization: Bearer {key}")]);
            }
            let called = curl.arg(format!("{}/games", fleet.base_url)).output();
            let called = called.unwrap();
            let complaint = String::from_utf8_lossy(&called.stderr);
            assert!(called.status.success(), "{what}: {complaint}");
            let said = String::from_utf8(called.stdout).unwrap();
            let (text, form) = said.rsplit_once('\n').unwrap();
            assert_eq!(form, format!("2 {status}"), "{what}: {text}");
            assert_error(&what, text, code);
        }
    }
}

/// It sends the whole body before it reads the answer.
#[tokio::test]
#[ignore = "long: httpx from the Python package index"]
async fn httpx_receives_the_answer() {
    let fleet = Fleet::shared();
    let cases = CASES.iter().flat_map(|(caller, lengths, status, code)| {
        let lengths = lengths.iter();
        lengths.map(move |length| (*caller, *length, *status, *code))
    });
    let cases: Vec<(&str, usize, u16, &str)> = cases.collect();
    let bodies = cases.iter();
    let bodies = bodies.map(|(caller, length, ..)| json!([key_of(&fleet, caller), length]));
    let mut python = Command::new(python_with_httpx().await);
    python
        .arg(HTTPX)
        .env("URL", format!("{}/games", fleet.base_url))
        .env("BODIES", bodies.collect::<Value>().to_string())
        // Else Python would write the bytecode of what it imports once.
        .env("PYTHONDONTWRITEBYTECODE", "1");
    let called = python.output().unwrap();
    let complaint = String::from_utf8_lossy(&called.stderr);
    assert!(called.status.success(), "{complaint}");
    let answers: Vec<(u16, String)> = serde_json::from_slice(&called.stdout).unwrap();
    assert_eq!(answers.len(), cases.len());
    for ((caller, length, status, code), (answered, text)) in cases.into_iter().zip(answers) {
        let what = format!("{caller}, {length} bytes");
        assert_eq!(answered, status, "{what}: {text}");
        assert_error(&what, &text, code);
    }
}
