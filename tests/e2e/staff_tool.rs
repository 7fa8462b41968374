//! The `staff` tool on a running fleet: what it refuses, and what it shows.

use std::process::Output;

use e2e::{Fleet, Staff, binaries, eventually};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::process::Command;

fn command(fleet: &Fleet, args: &[&str]) -> Command {
    let mut staff = Command::new(binaries().join("staff"));
    staff.args(args).envs([
        ("STAFF_TOKEN", &fleet.staff_token),
        ("STAFF_GATEWAY", &fleet.service("gateway").grpc),
        ("STAFF_LISTINGS", &fleet.service("listings-svc").grpc),
        ("STAFF_ECONOMY", &fleet.service("economy-svc").grpc),
        ("STAFF_CATALOGUE", &fleet.service("catalogue-svc").grpc),
        ("STAFF_WEBHOOK", &fleet.service("webhook-svc").grpc),
        ("STAFF_WEB", &fleet.service("web").grpc),
    ]);
    staff
}

async fn run(fleet: &Fleet, args: &[&str]) -> Output {
    command(fleet, args).output().await.unwrap()
}

/// What it says of a command that it carries out.
pub(crate) async fn said(fleet: &Fleet, args: &[&str]) -> String {
    let output = run(fleet, args).await;
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {complained}");
    String::from_utf8(output.stdout).unwrap()
}

/// Its status, and what it says of a command that is refused.
pub(crate) async fn refused(fleet: &Fleet, args: &[&str]) -> (Option<i32>, String) {
    let output = run(fleet, args).await;
    let sentence = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), sentence)
}

/// What becomes of a command that is carried out once webhook-svc knows its account, which comes with a feed.
pub(crate) async fn once_known(fleet: &Fleet, args: &[&str]) -> Output {
    eventually("webhook-svc knows the account", async || {
        let output = run(fleet, args).await;
        let complained = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_known = !complained.contains("There is no account with this id");
        assert!(!is_known || output.status.success(), "{complained}");
        is_known.then_some(output)
    })
    .await
}

#[tokio::test]
async fn what_the_audit_does_not_know_is_refused() {
    let fleet = Fleet::shared();
    for (args, status, word) in [
        (&["--kind", "nonsense"][..], 2, "key_request"),
        (&["--action", "nonsense"], 2, "take_down"),
        (&["--limit", "0"], 2, "1 or more"),
    ] {
        let (code, sentence) = refused(&fleet, &[&["audit", "list"], args].concat()).await;
        assert_eq!(code, Some(status), "{args:?}: {sentence}");
        assert!(sentence.contains(word), "{args:?}: {sentence}");
    }
    said(
        &fleet,
        &["audit", "list", "--member", "operator", "--kind", "key"],
    )
    .await;
}

#[tokio::test]
async fn a_command_without_a_match_says_so() {
    let fleet = Fleet::shared();
    let nobody = [
        "vote",
        "void",
        "--address",
        "203.0.113.77",
        "--reason",
        "A test",
    ];
    let (code, sentence) = refused(&fleet, &nobody).await;
    assert_eq!(code, Some(1), "{sentence}");
    assert!(sentence.contains("Nobody voted"), "{sentence}");
}

#[tokio::test]
async fn an_account_is_shown_by_its_name_beside_its_id() {
    let fleet = Fleet::shared();
    let mut staff = Staff::of(&fleet).await;
    let account = staff.account("unlimited").await;
    let handle = format!("shown-{}", kit::ids::row_id().simple());
    staff.page(&account, &handle).await;
    let writer = staff.writer(&fleet, &account, "live").await;
    let game = json!({"title": handle, "creator": handle});
    let made = writer
        .send(writer.request(Method::POST, "/games").json(&game))
        .await;
    let slug = made.data()["slug"].as_str().unwrap();
    let account = &account.account;
    for args in [
        ["page", "list-owners", &handle].as_slice(),
        &["game", "show", slug],
    ] {
        let text = said(&fleet, args).await;
        for shown in [&account.name, &account.id] {
            assert!(text.contains(shown), "{args:?}: {text}");
        }
    }
    // Programs are told the id alone.
    let text = said(&fleet, &["--json", "page", "list-owners", &handle]).await;
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["owners"][0]["account_id"], account.id, "{text}");
}

#[tokio::test]
async fn a_person_is_shown_and_a_second_factor_that_is_off_does_not_end() {
    let fleet = Fleet::shared();
    let email = fleet.account("free").email.as_str();
    let text = said(&fleet, &["--json", "person", "show", email]).await;
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["person"]["email"], email, "{text}");
    assert_eq!(answer["person"]["has_second_factor"], false, "{text}");
    let end = [
        "person",
        "end-second-factor",
        email,
        "--reason",
        "A test",
        "--yes",
    ];
    let (status, sentence) = refused(&fleet, &end).await;
    assert_eq!(status, Some(1), "{sentence}");
    assert!(sentence.contains("no second factor"), "{sentence}");
    let nobody = ["person", "show", "nobody@fleet.example"];
    let (status, sentence) = refused(&fleet, &nobody).await;
    assert_eq!(status, Some(1), "{sentence}");
    assert!(sentence.contains("nobody@fleet.example"), "{sentence}");
    said(&fleet, &["audit", "list", "--kind", "person"]).await;
}

#[tokio::test]
async fn an_account_is_created_for_an_owner_who_is_invited() {
    let fleet = Fleet::shared();
    let name = format!("Test {}", kit::ids::row_id());
    let email = format!("{}@test.example", kit::ids::row_id());
    let create = [
        "--json", "account", "create", "--name", &name, "--email", &email, "--plan", "build",
    ];
    let made: Value = serde_json::from_str(&said(&fleet, &create).await).unwrap();
    let id = made["account"]["id"].as_str().unwrap();
    assert_eq!(made["account"]["plan"], "build", "{made}");
    let shown = said(&fleet, &["--json", "account", "people", id]).await;
    let shown: Value = serde_json::from_str(&shown).unwrap();
    let people = &shown["people"];
    assert_eq!(people[0]["email"], email, "{shown}");
    assert_eq!(people[0]["role"], "owner", "{shown}");
    assert!(people[0]["invited_until"].is_string(), "{shown}");
    // Nobody has joined yet, so that web knows no person with the address.
    let (status, sentence) = refused(&fleet, &["account", "show", &email]).await;
    assert_eq!(status, Some(1), "{sentence}");
    assert!(sentence.contains(&email), "{sentence}");
}

#[tokio::test]
async fn plans_list_endpoints_and_events_of_webhooks() {
    let fleet = Fleet::shared();
    let text = said(&fleet, &["plan", "list"]).await;
    let header = text.lines().next().unwrap();
    for column in ["webhook endpoints", "webhook events"] {
        assert!(header.contains(column), "{text}");
    }
}

#[tokio::test]
async fn a_key_is_requested_approved_revealed_and_revoked() {
    let fleet = Fleet::shared();
    let mut staff = Staff::of(&fleet).await;
    let account = staff.account("unlimited").await.account.id;
    let answer = async |args: &[&str]| -> Value {
        let text = said(&fleet, &[&["--json"], args].concat()).await;
        serde_json::from_str(&text).unwrap()
    };
    let request = ["key", "request", "--account", &account, "--name", "server"];
    let request = answer(&request).await;
    let id = request["request"]["id"].as_str().unwrap();
    let pending = answer(&["key", "pending"]).await;
    let pending = pending["requests"].as_array().unwrap();
    assert!(pending.iter().any(|it| it["id"] == id), "{pending:?}");
    answer(&["key", "approve", id]).await;
    let revealed = answer(&["key", "reveal", id]).await;
    assert!(revealed["secret"].is_string());
    // No terminal to ask on.
    let (code, sentence) = refused(&fleet, &["key", "revoke", id]).await;
    assert_eq!(code, Some(2), "{sentence}");
    assert!(sentence.contains("--yes"), "{sentence}");
    let revoked = answer(&["key", "revoke", id, "--yes"]).await;
    assert!(revoked["key"]["revoked_at"].is_string(), "{revoked}");
    let (code, sentence) = refused(&fleet, &["key", "approve", "x"]).await;
    assert_eq!(code, Some(1), "{sentence}");
    assert!(sentence.contains("staff key pending"), "{sentence}");
}

#[tokio::test]
async fn an_import_fails_when_every_row_of_a_file_is_refused() {
    let fleet = Fleet::shared();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.ndjson");
    std::fs::write(&path, "{}\n{\"title\": \"\"}\n").unwrap();
    let path = path.to_str().unwrap();
    let (code, sentence) = refused(&fleet, &["listing", "import", path]).await;
    assert_eq!(code, Some(1), "{sentence}");
    assert!(sentence.contains("every row was refused"), "{sentence}");
}
