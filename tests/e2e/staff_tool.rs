//! The `staff` tool on a running fleet: its output, and what it refuses.

use std::process::Output;

use e2e::{Fleet, Staff, Studio, binaries, eventually};
use kit::rpc::staff::Role;
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

/// Runs a command that must succeed; returns its standard output.
pub(crate) async fn said(fleet: &Fleet, args: &[&str]) -> String {
    let output = run(fleet, args).await;
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {complained}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command that must succeed; returns its JSON.
pub(crate) async fn answer(fleet: &Fleet, args: &[&str]) -> Value {
    let text = said(fleet, &[&["--json"], args].concat()).await;
    serde_json::from_str(&text).unwrap()
}

/// Runs a command; returns its status and its standard error.
async fn refused(fleet: &Fleet, args: &[&str]) -> (Option<i32>, String) {
    let output = run(fleet, args).await;
    let sentence = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), sentence)
}

/// Runs a command until webhook-svc has read the account from the feed; returns the output.
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

/// The gateway has the name of the account, and listings-svc the owners of the page.
#[tokio::test]
async fn an_account_is_shown_by_its_name_and_its_id() {
    let studio = Studio::new(&Fleet::shared()).await;
    let args = ["page", "list-owners", &studio.handle];
    let text = said(&studio.fleet, &args).await;
    let account = &studio.account.account;
    for shown in [&account.name, &account.id] {
        assert!(text.contains(shown), "{text}");
    }
    // JSON output has only the id.
    let owners = answer(&studio.fleet, &args).await;
    assert_eq!(owners["owners"][0]["account_id"], account.id, "{owners}");
}

#[tokio::test]
async fn a_person_is_shown_and_a_second_factor_that_is_off_cannot_be_ended() {
    let fleet = Fleet::shared();
    let email = fleet.account("free").email.as_str();
    let person = answer(&fleet, &["person", "show", email]).await;
    assert_eq!(person["person"]["email"], email, "{person}");
    assert_eq!(person["person"]["has_second_factor"], false, "{person}");
    let end = ["person", "end-second-factor", email, "--reason", "A test"];
    let (status, sentence) = refused(&fleet, &[&end[..], &["--yes"]].concat()).await;
    assert_eq!(status, Some(1), "{sentence}");
    let nobody = ["person", "show", "nobody@fleet.example"];
    let (status, sentence) = refused(&fleet, &nobody).await;
    assert_eq!(status, Some(1), "{sentence}");
}

/// Only web has the kind `person`; the command succeeds although the other services refuse it.
#[tokio::test]
async fn the_audit_of_one_kind_lists_a_call_that_was_refused_for_lack_of_a_role() {
    let fleet = Fleet::shared();
    let member = format!("member-{}", kit::ids::row_id());
    let token = fleet.add_member(&member, Role::Reviewer);
    let account = Staff::new(&fleet).await.account("free").await.account.id;
    let email = fleet.account("free").email.as_str();
    let attempt = async |args: &[&str]| {
        let mut staff = command(&fleet, args);
        let output = staff.env("STAFF_TOKEN", &token).output().await.unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {output:?}");
    };
    let list = ["audit", "list", "--member", &member];
    eventually("web has read the file of members", async || {
        attempt(&["account", "invite", &account, email]).await;
        // A member of whom the audit has no entry is refused.
        run(&fleet, &list).await.status.success().then_some(())
    })
    .await;
    attempt(&["person", "show", email]).await;
    for (kind, name, action) in
        [("account", account.as_str(), "invite_owner"), ("person", email, "look")]
    {
        let listed = answer(&fleet, &[&list[..], &["--kind", kind]].concat()).await;
        let entries = listed["entries"].as_array().unwrap();
        assert_eq!(entries.len(), 1, "{listed}");
        let expected = json!({"member": member, "action": action, "entity": kind, "name": name, "refused": true});
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(&entries[0][field], value, "{field}: {listed}");
        }
    }
}

#[tokio::test]
async fn an_account_is_created_for_an_owner_who_is_invited() {
    let fleet = Fleet::shared();
    let name = format!("Test {}", kit::ids::row_id());
    let email = format!("{}@test.example", kit::ids::row_id());
    let create = ["account", "create", "--name", &name, "--email", &email, "--plan", "build"];
    let made = answer(&fleet, &create).await;
    let id = made["account"]["id"].as_str().unwrap();
    assert_eq!(made["account"]["plan"], "build", "{made}");
    let shown = answer(&fleet, &["account", "people", id]).await;
    let people = &shown["people"];
    assert_eq!(people[0]["email"], email, "{shown}");
    assert_eq!(people[0]["role"], "owner", "{shown}");
    assert!(people[0]["invited_until"].is_string(), "{shown}");
    // web does not know the address, because the person has not joined yet.
    let (status, sentence) = refused(&fleet, &["account", "show", &email]).await;
    assert_eq!(status, Some(1), "{sentence}");
}

/// A mistyped id must not take an event from its account.
#[tokio::test]
async fn an_event_is_moved_only_to_an_account_that_exists() {
    let fleet = Fleet::shared();
    let studio = Studio::new(&fleet).await;
    let title = format!("Jam {}", kit::ids::row_id());
    let event = json!({"title": title, "kind": "jam", "starts_at": "2026-07-01", "country_code": "NG", "city": "Lagos"});
    let made = studio.live.post("/events", &event).await;
    let slug = made.data()["slug"].as_str().unwrap().to_owned();
    let give = |account: &str| {
        let changes = json!({ "account": account }).to_string();
        ["event", "edit", &slug, "--changes", &changes].map(ToOwned::to_owned)
    };
    let path = format!("/events/{slug}");
    let change = json!({"description": "Two days."});
    let unknown = give("00000000-0000-4000-8000-000000000001");
    let (status, sentence) = refused(&fleet, &unknown.each_ref().map(String::as_str)).await;
    assert_eq!(status, Some(1), "{sentence}");
    let own = studio.live.patch(&path, &change).await;
    assert_eq!(own.status, 200, "{}", own.text);

    let given = give(fleet.account("free").email.as_str());
    answer(&fleet, &given.each_ref().map(String::as_str)).await;
    let own = studio.live.patch(&path, &change).await;
    own.assert_error(404, "not_found");
}

#[tokio::test]
async fn a_key_is_requested_approved_revealed_and_revoked() {
    let fleet = Fleet::shared();
    let mut staff = Staff::new(&fleet).await;
    let account = staff.account("unlimited").await.account.id;
    let request = ["key", "request", "--account", &account, "--name", "server"];
    let request = answer(&fleet, &request).await;
    let id = request["request"]["id"].as_str().unwrap();
    let pending = answer(&fleet, &["key", "pending"]).await;
    let pending = pending["requests"].as_array().unwrap();
    assert!(pending.iter().any(|it| it["id"] == id), "{pending:?}");
    answer(&fleet, &["key", "approve", id]).await;
    let revealed = answer(&fleet, &["key", "reveal", id]).await;
    assert!(revealed["secret"].is_string());
    // There is no terminal for the confirmation.
    let (code, sentence) = refused(&fleet, &["key", "revoke", id]).await;
    assert_eq!(code, Some(2), "{sentence}");
    let revoked = answer(&fleet, &["key", "revoke", id, "--yes"]).await;
    assert!(revoked["key"]["revoked_at"].is_string(), "{revoked}");
}
