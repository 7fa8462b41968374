//! The staff tool as a process.

use std::io::Write as _;
use std::process::Output;

use contracts::listings::v1 as proto;
use serde_json::Value;
use sqlx::PgPool;
use tempfile::TempDir;

use crate::pictures::picture;
use crate::support::{File, Service, creator, game, start};

/// The tool, which cargo builds as an example of this crate: it is a crate of its own.
fn tool() -> std::process::Command {
    // …/deps/service-0123456789abcdef
    let test = std::env::current_exe().unwrap();
    let tool = test.ancestors().nth(2).unwrap().join("examples/staff");
    assert!(
        tool.exists(),
        "`cargo build -p listings -p e2e --example staff` makes the tool"
    );
    std::process::Command::new(tool)
}

/// Runs the tool off the runtime, which is busy serving it.
async fn staff(address: &str, args: &[&str]) -> Output {
    let mut command = tool();
    command
        .args(args)
        .env("STAFF_TOKEN", testing::identity().staff_token.expose())
        .env("STAFF_LISTINGS", address);
    tokio::task::spawn_blocking(move || command.output().unwrap())
        .await
        .unwrap()
}

/// A file of this name in a folder of its own, which goes with the first of the two.
fn file(name: &str, text: impl AsRef<[u8]>) -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn an_import_reports_on_each_file(pool: PgPool) {
    let service = start(pool).await.with_gazetteer().await;
    let text = format!("{}\nnot json\n{}", creator("one"), "x".repeat(3 << 20));
    let (_folder, path) = file("creators-new.ndjson", &text);

    let output = staff(&service.address, &["--json", "import", &path]).await;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let report = &document["files"][0];
    assert_eq!(
        (&report["kind"], &report["created"]),
        (&"page".into(), &1.into())
    );
    assert_eq!(report["refused"], 2);
    assert_eq!(report["refused_rows"][0]["line"], 2);
    let too_long = report["refused_rows"][1]["fields"]["row"].as_str().unwrap();
    assert!(too_long.contains("too long"), "{too_long}");

    let output = staff(&service.address, &["import", &path]).await;
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("0 created, 0 updated, 1 unchanged, 2 refused"),
        "{text}"
    );
    assert!(text.contains("line 2: "), "{text}");
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn the_status_says_what_went_wrong(pool: PgPool) {
    let service = start(pool).await;
    let (_folder, path) = file("unknown.ndjson", "{}");
    let usage = staff(&service.address, &["import", &path]).await;
    assert_eq!(usage.status.code(), Some(2));
    let away = staff(
        "http://127.0.0.1:9",
        &["--gateway", "http://127.0.0.1:9", "plan", "list"],
    )
    .await;
    assert_eq!(away.status.code(), Some(3));
    // listings-svc is no gateway.
    let refused = staff(
        &service.address,
        &["--gateway", &service.address, "plan", "list"],
    )
    .await;
    assert_eq!(refused.status.code(), Some(1));
    for output in [usage, away, refused] {
        assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 1);
    }
}

/// Runs the tool with this token and these lines to read.
async fn staff_with(service: &Service, token: &str, args: &[&str], lines: &str) -> Ran {
    let mut command = tool();
    command
        .args(args)
        .env("STAFF_TOKEN", token)
        .env("STAFF_LISTINGS", &service.address)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let lines = lines.to_owned();
    let output = tokio::task::spawn_blocking(move || {
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A tool that has seen enough does not read the rest.
        stdin.write_all(lines.as_bytes()).unwrap_or_default();
        drop(stdin);
        child.wait_with_output().unwrap()
    });
    Ran(output.await.unwrap())
}

/// What came of a run.
#[derive(Debug)]
struct Ran(Output);

impl Ran {
    fn status(&self) -> i32 {
        self.0.status.code().unwrap()
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.stdout.clone()).unwrap()
    }

    fn complaint(&self) -> String {
        String::from_utf8(self.0.stderr.clone()).unwrap()
    }

    fn document(&self) -> Value {
        serde_json::from_slice(&self.0.stdout).unwrap_or_else(|_| unreachable!("{self:?}"))
    }
}

/// A service with a page `studio`, and a reviewer's token.
async fn reviewed(pool: PgPool) -> (Service, String) {
    let service = start(pool).await.with_gazetteer().await;
    service
        .import(&File::rows("page", &[creator("studio")]))
        .await;
    let operator = service.operator().await;
    let (_, token) = operator.create("ada", proto::Role::Reviewer).await.unwrap();
    (service, token)
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn a_review_goes_by_lines(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    let accounts = service.accounts().await;
    for name in ["one", "two", "three", "four"] {
        accounts.game(name).await;
        service.clock.advance(time::Duration::MINUTE);
    }
    let lines = "o\na\nr\n\nr\nNot a game\nx\ns\nq\na\n";
    let ran = staff_with(&service, &token, &["review"], lines).await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    let text = ran.text();
    for line in [
        "game one one",
        "under studio (published), never public before",
        "+ https://play.example/a",
        "revision 1 of",
        "one is public",
        "rejected: two",
        "1 approved, 1 rejected, 1 skipped",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    // Nothing but text where no terminal is.
    assert!(!text.contains('\u{1b}'), "{text}");
    let complaint = ran.complaint();
    assert!(complaint.contains("without a reason"), "{complaint}");
    assert!(complaint.contains("x is not one of"), "{complaint}");

    let ran = staff_with(&service, &token, &["--json", "review", "list"], "").await;
    let document = ran.document();
    assert_eq!(document["total"], 2);
    let names: Vec<&Value> = document["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| &item["name"])
        .collect();
    assert_eq!(names, ["three", "four"]);
    let rest = staff_with(&service, &token, &["review", "--kind", "game"], "a\na\n").await;
    assert!(rest.text().contains("nothing waits any more"), "{rest:?}");
    let usage = staff_with(&service, &token, &["--json", "review"], "").await;
    assert_eq!(usage.status(), 2);
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn many_are_approved_and_the_others_are_named(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    let accounts = service.accounts().await;
    let names: Vec<String> = (0..55).map(|n| format!("game-{n}")).collect();
    for name in &names {
        accounts.game(name).await;
    }
    let mut args = vec!["--json", "approve", "game"];
    args.extend(names.iter().map(String::as_str));
    let ran = staff_with(&service, &token, &args, "").await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    assert_eq!(ran.document()["results"].as_array().unwrap().len(), 55);

    accounts.event("a-jam").await;
    let args = ["reject", "event", "a-jam", "none", "--reason", "Past"];
    let ran = staff_with(&service, &token, &args, "").await;
    assert_eq!(ran.status(), 1);
    assert!(ran.complaint().contains("1 of 2 could not be done"));
    assert!(ran.text().contains("there is no listing"), "{ran:?}");

    // Taking down is not a reviewer's.
    let args = ["take-down", "game", "game-0", "game-1", "--reason", "Why"];
    let ran = staff_with(&service, &token, &args, "").await;
    assert_eq!(ran.status(), 1);
    assert!(ran.complaint().contains("needs the role admin"), "{ran:?}");
    let operator = testing::identity().staff_token;
    let ran = staff_with(&service, operator.expose(), &args, "").await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    let args = ["--json", "search", "GAME", "--state", "removed"];
    let found = staff_with(&service, &token, &args, "").await.document();
    assert_eq!(found["listings"].as_array().unwrap().len(), 2);
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn a_decision_is_on_the_revision_that_was_seen(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    let accounts = service.accounts().await;
    for name in ["one", "two"] {
        accounts.game(name).await;
        accounts
            .edit(name, serde_json::json!({"tagline": "Other"}))
            .await;
    }
    let args = ["approve", "game", "one", "--revision", "1"];
    let ran = staff_with(&service, &token, &args, "").await;
    assert_eq!(ran.status(), 1, "{ran:?}");
    for line in ["changed since it was looked at", "tagline", "+ Other"] {
        assert!(ran.text().contains(line), "{line}: {ran:?}");
    }
    let args = ["--json", "approve", "game", "one", "--revision", "1"];
    let document = staff_with(&service, &token, &args, "").await.document();
    let result = &document["results"][0];
    assert_eq!(result["changed"][0]["field"], "tagline");
    assert_eq!(result["changed"][0]["after"], "Other");
    assert!(result["revision"].is_null());

    // Without a revision each is shown, and decided on as it was shown.
    let args = ["approve", "game", "one", "two"];
    let ran = staff_with(&service, &token, &args, "").await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    assert!(ran.text().contains("never public before"), "{ran:?}");
    let operator = testing::identity().staff_token;
    let args = ["take-down", "game", "one", "--reason", "Why", "--revision"];
    for (revision, status) in [("2", 1), ("3", 0)] {
        let args = [&args[..], &[revision]].concat();
        let ran = staff_with(&service, operator.expose(), &args, "").await;
        assert_eq!(ran.status(), status, "{ran:?}");
    }
    let ran = staff_with(&service, operator.expose(), &["restore", "game", "one"], "").await;
    assert!(ran.text().contains("published"), "{ran:?}");
    let args = ["approve", "game", "one", "two", "--revision", "3"];
    let ran = staff_with(&service, &token, &args, "").await;
    assert_eq!(ran.status(), 2, "{ran:?}");
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn no_rows_are_not_asked_for(pool: PgPool) {
    let service = start(pool).await;
    for command in [&["review", "list"][..], &["search"], &["audit"]] {
        let args = [command, &["--limit", "0"]].concat();
        let output = staff(&service.address, &args).await;
        assert_eq!(output.status.code(), Some(2), "{output:?}");
    }
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn members_are_made_and_their_deeds_are_seen(pool: PgPool) {
    let (service, _) = reviewed(pool).await;
    let accounts = service.accounts().await;
    let operator = testing::identity().staff_token;
    let operator = operator.expose();
    let args = ["--json", "member", "add", "bea", "--role", "admin"];
    let made = staff_with(&service, operator, &args, "").await.document();
    let token = made["member"]["token"].as_str().unwrap().to_owned();
    accounts.game("a-game").await;
    for args in [
        &["approve", "game", "a-game"][..],
        &["feature", "a-game"],
        &["edit", "game", "a-game", "--changes", r#"{"title": "B"}"#],
        &["reassign", "game", "a-game", "--to", "studio"],
        &["member", "role", "ada", "admin"],
        &["member", "revoke", "ada"],
    ] {
        let ran = staff_with(&service, &token, args, "").await;
        assert_eq!(ran.status(), 0, "{args:?}: {ran:?}");
    }
    let args = ["--json", "audit", "--member", "bea"];
    let audit = staff_with(&service, &token, &args, "").await.document();
    let deeds: Vec<&Value> = audit["deeds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|deed| &deed["action"])
        .collect();
    // To give a game to the page that it is under changes nothing.
    assert_eq!(
        deeds,
        ["revoke_member", "set_role", "edit", "feature", "approve"]
    );
    let ran = staff_with(&service, &token, &["member", "list"], "").await;
    assert!(ran.text().contains("bea"), "{ran:?}");
    assert!(!ran.text().contains(&token));
    let ran = staff_with(&service, &token, &["member", "revoke", "bea"], "").await;
    assert!(ran.complaint().contains("last admin"), "{ran:?}");
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn an_event_goes_to_an_account_that_the_gateway_knows_or_that_is_named_by_its_id(
    pool: PgPool,
) {
    let (service, _) = reviewed(pool).await;
    service.accounts().await.event("a-jam").await;
    let operator = service.operator().await;
    let (_, token) = operator.create("bea", proto::Role::Admin).await.unwrap();
    let to = async |account: &str| {
        let args = ["reassign", "event", "a-jam", "--to", account];
        staff_with(&service, &token, &args, "").await
    };
    let by_mail = to("ada@example.org").await;
    assert_eq!(by_mail.status(), 2, "{by_mail:?}");
    assert!(by_mail.complaint().contains("--gateway"), "{by_mail:?}");
    let by_id = to("00000000-0000-0000-0000-000000000009").await;
    assert_eq!(by_id.status(), 0, "{by_id:?}");
    assert!(by_id.complaint().contains("nobody has looked"), "{by_id:?}");
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn a_profile_tells_where_and_who(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    let text = format!("token = \"{token}\"\nlistings = \"{}\"\n", service.address);
    let (folder, path) = file("staff.toml", &text);
    let home = folder.path().join("mchezo");
    std::fs::create_dir(&home).unwrap();
    std::fs::write(home.join("staff.toml"), &text).unwrap();
    let run = async |args: &[&str]| {
        let mut command = tool();
        command
            .args(args)
            .env_remove("STAFF_TOKEN")
            .env_remove("STAFF_LISTINGS")
            .env("XDG_CONFIG_HOME", folder.path());
        Ran(
            tokio::task::spawn_blocking(move || command.output().unwrap())
                .await
                .unwrap(),
        )
    };
    let list = ["review", "list"];
    let open = run(&["--profile", &path, "review", "list"]).await;
    assert_eq!(open.status(), 2);
    assert!(open.complaint().contains("chmod 600"), "{open:?}");
    for path in [path.clone(), home.join("staff.toml").display().to_string()] {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(path, mode).unwrap();
    }
    assert_eq!(
        run(&["--profile", &path, "review", "list"]).await.status(),
        0
    );
    assert_eq!(run(&list).await.status(), 0);
    let missing = run(&["--profile", "/nowhere/staff.toml", "review", "list"]).await;
    assert_eq!(missing.status(), 2);
    let script = run(&["completions", "bash"]).await;
    assert!(script.text().contains("_staff()"), "{script:?}");
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn a_picture_is_set_and_removed_and_says_why_not(pool: PgPool) {
    let service = start(pool).await.with_gazetteer().await;
    for (entity, row) in [
        ("page", creator("studio")),
        ("game", game("a-game", "A Game")),
    ] {
        service.import(&File::rows(entity, &[row])).await;
    }
    let (_folder, path) = file("cover.png", picture(640, 480, [7, 7, 7]));
    let set = async |game: &str, file: &str| {
        let args = ["--json", "picture", "set-cover", game, file];
        staff(&service.address, &args).await
    };
    let output = set("a-game", &path).await;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    // A bar is for people.
    assert!(output.stderr.is_empty());
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["picture"]["width"], 1_200);
    assert_eq!(document["revision"], 2);
    let url = document["picture"]["url"].as_str().unwrap();
    assert!(url.starts_with("https://mchezo.example/pictures/"), "{url}");

    let args = ["--json", "picture", "remove", "cover", "a-game"];
    let removed = staff(&service.address, &args).await;
    let document: Value = serde_json::from_slice(&removed.stdout).unwrap();
    assert_eq!(document["revision"], 3);

    let (_folder, text) = file("text.png", "no picture");
    for (output, code) in [
        (set("no-game", &path).await, 1),
        (set("a-game", &text).await, 1),
        (set("a-game", "/nowhere.png").await, 2),
        (
            staff(
                &service.address,
                &["picture", "remove", "screenshot", "a-game"],
            )
            .await,
            2,
        ),
    ] {
        assert_eq!(output.status.code(), Some(code), "{output:?}");
    }
}
