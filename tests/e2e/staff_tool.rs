//! The `staff` tool on a running fleet: what it refuses, and what it shows.

use std::collections::BTreeSet;
use std::process::Output;

use e2e::{Fleet, Staff, binaries, eventually};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::economy::{self, Game};

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
        (&["--member", "nobody"], 1, "staff member list"),
        // The members are listings-svc's, whichever service has recorded the action.
        (
            &["--member", "nobody", "--action", "rotate_key"],
            1,
            "staff member list",
        ),
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
    let voters = [
        "--listing",
        "games/a-day-in-the-woods",
        "--block",
        "203.0.113.77/32",
    ];
    let void = [&["vote", "void", "--reason", "A test"], &voters[..]].concat();
    let text = said(&fleet, &void).await;
    assert!(text.contains("no voter passes the filters"), "{text}");
    let no_letter = ["dead-letter", "retry", "webhook", "9007199254740993"];
    let (code, note) = refused(&fleet, &no_letter).await;
    assert_eq!(code, Some(0), "{note}");
    assert!(note.contains("staff dead-letter list"), "{note}");
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
        for shown in [&account.name, &account.email, &account.id] {
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
    assert_eq!(answer["person"]["second_factor_ends_at"], Value::Null);
    let reason = ["--reason", "A test"];
    for (command, yes, word) in [
        ("end-second-factor", &["--yes"][..], "no second factor"),
        ("cancel-end-of-second-factor", &[], "Nobody asked"),
    ] {
        let args = [&["person", command, email], &reason[..], yes].concat();
        let (status, sentence) = refused(&fleet, &args).await;
        assert_eq!(status, Some(1), "{sentence}");
        assert!(sentence.contains(word), "{sentence}");
    }
    let nobody = ["person", "show", "nobody@fleet.example"];
    let (status, sentence) = refused(&fleet, &nobody).await;
    assert_eq!(status, Some(1), "{sentence}");
    assert!(sentence.contains("nobody@fleet.example"), "{sentence}");
    // web has an audit, and no feed.
    said(&fleet, &["audit", "list", "--kind", "person"]).await;
    let (status, sentence) = refused(&fleet, &["dead-letter", "retry", "web"]).await;
    assert_eq!(status, Some(2), "{sentence}");
}

#[tokio::test]
async fn an_endpoint_belongs_to_an_account_named_by_e_mail_or_id() {
    let fleet = Fleet::shared();
    let mut staff = Staff::of(&fleet).await;
    let account = staff.account("unlimited").await.account;
    let args = ["--json", "endpoint", "add", "--account", &account.email];
    let args = [
        &args[..],
        &["--url", "http://a.example", "--events", "tip.paid"],
    ]
    .concat();
    // The address is refused because it is not https, so the account was found.
    let (code, sentence) = refused(&fleet, &args).await;
    assert_eq!(code, Some(1), "{sentence}");
    assert!(sentence.contains("url:"), "{sentence}");
    assert!(
        sentence.contains("Also permitted here: http://"),
        "{sentence}"
    );
    for name in [&account.email, &account.id] {
        let list = ["--json", "endpoint", "list", "--account", name];
        let output = once_known(&fleet, &list).await;
        let text = String::from_utf8(output.stdout).unwrap();
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(answer["endpoints"], json!([]), "{text}");
    }
    let args = ["endpoint", "list", "--account", "nobody@fleet.example"];
    let (code, sentence) = refused(&fleet, &args).await;
    assert_eq!(code, Some(1), "{sentence}");
}

#[tokio::test]
async fn an_endpoint_on_a_plan_without_real_events_is_added_with_a_warning() {
    let fleet = Fleet::shared();
    let mut staff = Staff::of(&fleet).await;
    for (plan, warns) in [("free", true), ("build", false)] {
        let account = staff.account(plan).await.account;
        let add = ["endpoint", "add", "--account", &account.email];
        let address = ["--url", "https://hooks.example/", "--events", "tip.paid"];
        let output = once_known(&fleet, &[&add[..], &address].concat()).await;
        let note = String::from_utf8(output.stderr).unwrap();
        let warning = "the account's plan, free, has no real webhook events";
        assert_eq!(note.contains(warning), warns, "{plan}: {note}");
        let change = format!("`staff account set-plan {} PLAN`", account.id);
        assert_eq!(note.contains(&change), warns, "{plan}: {note}");
    }
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
    let account = staff.account("unlimited").await.account.email;
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
    assert_eq!(code, Some(2), "{sentence}");
    assert!(sentence.contains("staff key pending"), "{sentence}");
}

#[tokio::test]
async fn a_report_that_counts_is_voided_once() {
    let game = Game::new().await;
    let sent = economy::post(&game.live, "/economy/report", &economy::report(10)).await;
    let number = sent.data()["report"].to_string();
    let is_listed = async || economy::slugs(&game.live).await.contains(&game.slug);
    assert!(is_listed().await);
    let void = ["report", "void", &number];
    let (status, sentence) = refused(&game.fleet, &void).await;
    assert_eq!(status, Some(2), "{sentence}");
    assert!(sentence.contains("--reason"), "{sentence}");
    let void = [&void[..], &["--reason", "In cents."]].concat();
    let text = said(&game.fleet, &void).await;
    assert_eq!(text, format!("rejected: report {number}\n"));
    // It was the game's only report.
    eventually("the currency is not listed", async || {
        (!is_listed().await).then_some(())
    })
    .await;
    let text = said(&game.fleet, &[&["--json"], &void[..]].concat()).await;
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["unchanged"], true, "{text}");
    let unknown = ["report", "void", "9007199254740991", "--reason", "A test"];
    let (status, sentence) = refused(&game.fleet, &unknown).await;
    assert_eq!(status, Some(1), "{sentence}");
    assert!(sentence.contains("staff report list"), "{sentence}");
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

#[tokio::test]
async fn a_dump_is_where_a_mirror_starts() {
    let fleet = Fleet::shared();
    let client = crate::lists::live(&fleet).await;
    let output = run(&fleet, &["catalogue", "dump"]).await;
    let said_aside = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said_aside}");
    assert!(said_aside.contains("listings"), "{said_aside}");
    let lines = String::from_utf8(output.stdout).unwrap();
    let mut lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let end = lines.pop().unwrap();
    assert_eq!(end["rows"], lines.len());
    let rows = |kind: &str| lines.iter().filter(|line| line["type"] == kind).count();
    for (kind, least) in [("games", 91), ("creators", 250), ("events", 45)] {
        assert!(rows(kind) >= least, "{kind}");
    }
    let game = lines
        .iter()
        .find(|line| line["slug"] == "a-day-in-the-woods");
    assert_eq!(game.unwrap()["row"]["title"], "A Day in the Woods");

    // With what happened since, it is the catalogue of now.
    let name = |line: &Value| format!("{}{}{}", line["type"], line["slug"], line["handle"]);
    let mut held: BTreeSet<String> = lines.iter().map(name).collect();
    let mut cursor = end["next_cursor"].clone();
    loop {
        let path = format!("/changes?limit=100&cursor={}", cursor.as_str().unwrap());
        let page = client.get(&path).await;
        let changes = page.data().as_array().unwrap();
        for change in changes {
            if change["change"] == "removed" {
                held.remove(&name(change));
            } else {
                held.insert(name(change));
            }
        }
        cursor = page.body["meta"]["next_cursor"].clone();
        if changes.len() < 100 {
            assert_eq!(page.body["meta"]["total"], held.len());
            break;
        }
    }

    let games = said(&fleet, &["catalogue", "dump", "--type", "games"]).await;
    let (rows, end) = games.trim_end().rsplit_once('\n').unwrap();
    assert!(
        rows.lines()
            .all(|line| line.starts_with(r#"{"type":"games","slug":"#))
    );
    let end: Value = serde_json::from_str(end).unwrap();
    assert_eq!(end["rows"], rows.lines().count());
    let (status, sentence) = refused(&fleet, &["catalogue", "dump", "--type", "cities"]).await;
    assert_eq!(status, Some(2), "{sentence}");
    assert!(sentence.contains("games"), "{sentence}");
}

#[tokio::test]
async fn the_followers_of_each_feed_are_listed() {
    let fleet = Fleet::shared();
    eventually("each service follows the listings", async || {
        let listed = said(&fleet, &["--json", "follower", "list"]).await;
        let listed: Value = serde_json::from_str(&listed).unwrap();
        let rows = listed["followers"].as_array().unwrap().iter();
        let rows = rows.filter(|row| row["feed"] == "listings" && row["lag"].is_i64());
        let names: BTreeSet<&str> = rows.filter_map(|row| row["follower"].as_str()).collect();
        (names == BTreeSet::from(["catalogue-svc", "economy-svc", "gateway", "webhook-svc"]))
            .then_some(())
    })
    .await;
    // While one of them is away, the feeds of the others still say how far it is behind.
    let mut away = command(&fleet, &["--json", "follower", "list"]);
    let away = away.env("STAFF_WEBHOOK", "http://127.0.0.1:1").output();
    let away = away.await.unwrap();
    assert_eq!(away.status.code(), Some(3));
    let complained = String::from_utf8(away.stderr).unwrap();
    assert!(complained.contains("webhook"), "{complained}");
    let listed: Value = serde_json::from_slice(&away.stdout).unwrap();
    let mut rows = listed["followers"].as_array().unwrap().iter();
    assert!(rows.any(|row| row["follower"] == "webhook-svc" && row["lag"].is_i64()));
    let connected = ["follower", "forget", "listings", "webhook-svc"];
    let (status, sentence) = refused(&fleet, &connected).await;
    assert_eq!(status, Some(1));
    assert!(sentence.contains("staff follower list"), "{sentence}");
    let unknown = ["follower", "replay", "webhook", "catalogue", "999999999"];
    let (status, sentence) = refused(&fleet, &unknown).await;
    assert_eq!(status, Some(1));
    assert!(sentence.contains("999999999"), "{sentence}");
}
