//! The staff tool as a process.

use std::io::Write as _;
use std::process::Output;

use contracts::listings::v1 as proto;
use serde_json::Value;
use sqlx::PgPool;
use tempfile::TempDir;

use crate::pictures::picture;
use crate::support::{File, Service, creator, game, start};

/// The tool, which cargo builds as an example of this crate.
pub(crate) fn tool() -> std::process::Command {
    // …/deps/service-0123456789abcdef
    let test = std::env::current_exe().unwrap();
    let tool = test.ancestors().nth(2).unwrap().join("examples/staff");
    assert!(
        tool.exists(),
        "`cargo build -p listings -p features --example staff` makes the tool"
    );
    std::process::Command::new(tool)
}

/// Runs the tool on a thread of its own: the runtime of the test runs the service.
pub(crate) async fn staff(address: &str, args: &[&str]) -> Output {
    let mut command = tool();
    command
        .args(args)
        .env("STAFF_TOKEN", testing::identity().staff_token.expose())
        .env("STAFF_LISTINGS", address);
    tokio::task::spawn_blocking(move || command.output().unwrap())
        .await
        .unwrap()
}

/// A file with this name and its temporary folder, which is removed when the first of the two is dropped.
pub(crate) fn file(name: &str, text: impl AsRef<[u8]>) -> (TempDir, String) {
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

    let output = staff(&service.address, &["--json", "listing", "import", &path]).await;
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

    let output = staff(&service.address, &["listing", "import", &path]).await;
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
    let usage = staff(&service.address, &["listing", "import", &path]).await;
    assert_eq!(usage.status.code(), Some(2));
    let away = staff(
        "http://127.0.0.1:9",
        &[
            "--token",
            "t",
            "--gateway",
            "http://127.0.0.1:9",
            "plan",
            "list",
        ],
    )
    .await;
    assert_eq!(away.status.code(), Some(3));
    // listings-svc is no gateway.
    let identity = testing::identity();
    let token = identity.staff_token.expose();
    let refused = staff(
        &service.address,
        &[
            "--token",
            token,
            "--gateway",
            &service.address,
            "plan",
            "list",
        ],
    )
    .await;
    assert_eq!(refused.status.code(), Some(1));
    for output in [usage, away, refused] {
        assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 1);
    }
}

/// Runs the tool with this token and these lines as its input.
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
        // The tool may end before it has read all lines.
        stdin.write_all(lines.as_bytes()).unwrap_or_default();
        drop(stdin);
        child.wait_with_output().unwrap()
    });
    Ran(output.await.unwrap())
}

/// A finished run.
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
async fn a_review_reads_its_answers_as_lines(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    let accounts = service.accounts().await;
    for name in ["one", "two", "three", "four"] {
        accounts.game(name).await;
        service.clock.advance(time::Duration::MINUTE);
    }
    let lines = "o\na\nr\n\nr\nNot a game\nx\n?\ns\nq\na\n";
    let ran = staff_with(&service, &token, &["review"], lines).await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    let text = ran.text();
    for line in [
        "game one one",
        "under studio (published), never public before",
        "+ https://play.example/a",
        "revision 1 of",
        "1 of 4",
        "2 of 4",
        "approved: one",
        "rejected: two",
        "s  skip it: it stays pending",
        "1 approved, 1 rejected, 1 skipped",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    // No colours without a terminal.
    assert!(!text.contains('\u{1b}'), "{text}");
    let complaint = ran.complaint();
    assert!(complaint.contains("needs a reason"), "{complaint}");
    let unknown = "x is not one of a, r, s, b, o, q: ? for help";
    assert!(complaint.contains(unknown), "{complaint}");

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
    assert!(rest.text().contains("nothing else is pending"), "{rest:?}");
    let usage = staff_with(&service, &token, &["--json", "review"], "").await;
    assert_eq!(usage.status(), 2);
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn many_are_decided_on_and_refused_ones_are_named(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    let names: Vec<String> = (0..55).map(|n| format!("game-{n}")).collect();
    let games: Vec<Value> = names.iter().map(|name| game(name, name)).collect();
    service.import(&File::rows("game", &games)).await;
    let operator = testing::identity().staff_token;
    let mut args = vec!["--json", "game", "take-down", "--reason", "Why", "--yes"];
    args.extend(names.iter().map(String::as_str));
    let ran = staff_with(&service, operator.expose(), &args, "").await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    assert_eq!(ran.document()["results"].as_array().unwrap().len(), 55);

    let args = ["game", "restore", "game-0", "game-1", "none"];
    let ran = staff_with(&service, operator.expose(), &args, "").await;
    assert_eq!(ran.status(), 1);
    assert!(ran.complaint().contains("1 of 3 were refused"));
    assert!(ran.text().contains("There is no listing"), "{ran:?}");

    // Only an admin takes listings down.
    let args = ["game", "take-down", "game-0", "game-1", "--reason", "Why"];
    let args = [&args[..], &["--yes"]].concat();
    let ran = staff_with(&service, &token, &args, "").await;
    assert_eq!(ran.status(), 1);
    assert!(ran.complaint().contains("needs the role admin"), "{ran:?}");
    let ran = staff_with(&service, operator.expose(), &args, "").await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    let args = ["--json", "game", "list", "GAME-0", "--state", "removed"];
    let found = staff_with(&service, &token, &args, "").await.document();
    assert_eq!(found["listings"].as_array().unwrap().len(), 1);
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn a_decision_is_refused_when_the_revision_is_not_the_reviewed_one(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    let accounts = service.accounts().await;
    for name in ["one", "two"] {
        accounts.game(name).await;
        accounts
            .edit(name, serde_json::json!({"tagline": "Other"}))
            .await;
    }
    let args = ["game", "approve", "one", "--revision", "1"];
    let ran = staff_with(&service, &token, &args, "").await;
    assert_eq!(ran.status(), 1, "{ran:?}");
    for line in ["changed since it was reviewed", "tagline", "+ Other"] {
        assert!(ran.text().contains(line), "{line}: {ran:?}");
    }
    let args = ["--json", "game", "approve", "one", "--revision", "1"];
    let document = staff_with(&service, &token, &args, "").await.document();
    let result = &document["results"][0];
    assert_eq!(result["changed"][0]["field"], "tagline");
    assert_eq!(result["changed"][0]["after"], "Other");
    assert!(result["revision"].is_null());

    // Without a terminal nobody has seen what is there now.
    for args in [
        &["game", "approve", "one", "two"][..],
        &["--json", "game", "approve", "one"],
        &["game", "reject", "one", "--reason", "Why"],
    ] {
        let ran = staff_with(&service, &token, args, "y\n").await;
        assert_eq!(ran.status(), 2, "{ran:?}");
        assert!(ran.complaint().contains("staff review list"), "{ran:?}");
    }
    let ran = staff_with(&service, &token, &["review", "list"], "").await;
    assert!(ran.text().contains("revision"), "{ran:?}");
    // On a terminal each is shown, and approved at the revision that was shown.
    let ran = on_terminal(&service, "game approve one two", "y\nn\n").await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    for line in [
        "never public before",
        "Approve game one at revision 2?",
        "two stays as it is",
    ] {
        assert!(ran.text().contains(line), "{line}: {ran:?}");
    }
    let ran = on_terminal(&service, "game reject two --reason Why", "n\n").await;
    assert_eq!(ran.status(), 1, "{ran:?}");
    let list = ["--json", "review", "list"];
    let waiting = staff_with(&service, &token, &list, "").await.document();
    assert_eq!(waiting["total"], 1, "{waiting}");
    let operator = testing::identity().staff_token;
    let args = ["game", "take-down", "one", "--reason", "Why", "--revision"];
    for (revision, status) in [("2", 1), ("3", 0)] {
        let args = [&args[..], &[revision]].concat();
        let ran = staff_with(&service, operator.expose(), &args, "").await;
        assert_eq!(ran.status(), status, "{ran:?}");
    }
    let ran = staff_with(&service, operator.expose(), &["game", "restore", "one"], "").await;
    assert!(ran.text().contains("published"), "{ran:?}");
    let args = ["game", "approve", "one", "two", "--revision", "3"];
    let ran = staff_with(&service, &token, &args, "").await;
    assert_eq!(ran.status(), 2, "{ran:?}");
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn a_limit_of_zero_is_refused(pool: PgPool) {
    let service = start(pool).await;
    for command in [
        &["review", "list"][..],
        &["listing", "search"],
        &["audit", "list"],
    ] {
        let args = [command, &["--limit", "0"]].concat();
        let output = staff(&service.address, &args).await;
        assert_eq!(output.status.code(), Some(2), "{output:?}");
    }
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn members_are_added_and_their_actions_are_logged(pool: PgPool) {
    let (service, _) = reviewed(pool).await;
    let accounts = service.accounts().await;
    let operator = testing::identity().staff_token;
    let operator = operator.expose();
    let args = ["--json", "member", "add", "bea", "--role", "admin"];
    let made = staff_with(&service, operator, &args, "").await.document();
    let token = made["member"]["token"].as_str().unwrap().to_owned();
    accounts.game("a-game").await;
    for args in [
        &["game", "approve", "a-game", "--revision", "1"][..],
        &["game", "feature", "a-game"],
        &["game", "edit", "a-game", "--changes", r#"{"title": "B"}"#],
        &["game", "reassign", "a-game", "--to", "studio"],
        &["member", "set-role", "ada", "admin"],
        &["member", "revoke", "ada", "--yes"],
    ] {
        let ran = staff_with(&service, &token, args, "").await;
        assert_eq!(ran.status(), 0, "{args:?}: {ran:?}");
    }
    let args = ["--json", "audit", "list", "--member", "bea"];
    let audit = staff_with(&service, &token, &args, "").await.document();
    let actions: Vec<&Value> = audit["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["action"])
        .collect();
    // Reassigning a game to its own page changes nothing, and the log has no entry of it.
    assert_eq!(
        actions,
        ["revoke_member", "set_role", "edit", "feature", "approve"]
    );
    let ran = staff_with(&service, &token, &["member", "list"], "").await;
    assert!(ran.text().contains("bea"), "{ran:?}");
    assert!(!ran.text().contains(&token));
    let ran = staff_with(&service, &token, &["member", "revoke", "bea", "--yes"], "").await;
    assert!(ran.complaint().contains("last admin"), "{ran:?}");
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn an_event_is_reassigned_by_e_mail_with_the_gateway_and_by_id_without(pool: PgPool) {
    let (service, _) = reviewed(pool).await;
    service.accounts().await.event("a-jam").await;
    let operator = service.operator().await;
    let (_, token) = operator.create("bea", proto::Role::Admin).await.unwrap();
    let to = async |account: &str| {
        let args = ["event", "reassign", "a-jam", "--to", account];
        staff_with(&service, &token, &args, "").await
    };
    let by_mail = to("ada@example.org").await;
    assert_eq!(by_mail.status(), 2, "{by_mail:?}");
    assert!(by_mail.complaint().contains("--gateway"), "{by_mail:?}");
    let by_id = to("00000000-0000-0000-0000-000000000009").await;
    assert_eq!(by_id.status(), 0, "{by_id:?}");
    assert!(by_id.complaint().contains("was not checked"), "{by_id:?}");
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn a_profile_supplies_addresses_and_token(pool: PgPool) {
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
    let script = run(&["completion", "bash"]).await;
    assert!(
        script.text().contains("_clap_complete_staff()"),
        "{script:?}"
    );
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

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn a_review_goes_back_to_what_was_skipped(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    let accounts = service.accounts().await;
    for name in ["one", "two", "three"] {
        accounts.game(name).await;
        service.clock.advance(time::Duration::MINUTE);
    }
    // Back from the first; skip it, approve the second, go back over the second to the first, and approve it.
    let lines = "b\ns\na\nb\nx\n?\nb\na\nn\nq\n";
    let ran = staff_with(&service, &token, &["review"], lines).await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    let text = ran.text();
    let positions: Vec<&str> = text.lines().filter(|it| it.ends_with(" of 3")).collect();
    assert_eq!(
        positions,
        [
            "1 of 3", "1 of 3", "2 of 3", "3 of 3", "2 of 3", "1 of 3", "2 of 3", "3 of 3"
        ]
    );
    assert!(text.contains("two is published now"), "{text}");
    assert!(text.contains("2 approved, 0 rejected, 0 skipped"), "{text}");
    let complaint = ran.complaint();
    assert!(complaint.contains("the first listing"), "{complaint}");
    let unknown = "x is not one of n, b, o, q: ? for help";
    assert!(complaint.contains(unknown), "{complaint}");
    assert!(text.contains("n  next listing"), "{text}");

    let args = ["--json", "review", "list"];
    let document = staff_with(&service, &token, &args, "").await.document();
    assert_eq!(document["total"], 1);
    assert_eq!(document["items"][0]["name"], "three");
}

/// Runs the tool with this editor.
async fn edit_with(service: &Service, token: &str, editor: &str, args: &[&str]) -> Ran {
    let mut command = tool();
    command
        .args(args)
        .env("STAFF_TOKEN", token)
        .env("STAFF_LISTINGS", &service.address)
        .env_remove("VISUAL")
        .env("EDITOR", editor)
        .stdin(std::process::Stdio::null());
    let output = tokio::task::spawn_blocking(move || command.output().unwrap());
    Ran(output.await.unwrap())
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn an_edit_comes_from_the_command_line_a_file_or_standard_input(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    service.accounts().await.game("a-game").await;
    let edit = ["--json", "game", "edit", "a-game"];
    let (_folder, path) = file("changes.json", r#"{"tagline": "From a file"}"#);
    for (more, input, revision) in [
        (&["--changes", r#"{"tagline": "Typed"}"#][..], "", 2),
        (&["--file", &path], "", 3),
        (&["--file", "-"], r#"{"tagline": "From a pipe"}"#, 4),
        (
            &["--file", "-", "--revision", "4"],
            r#"{"tagline": null}"#,
            5,
        ),
    ] {
        let ran = staff_with(&service, &token, &[&edit[..], more].concat(), input).await;
        assert_eq!(ran.status(), 0, "{ran:?}");
        assert_eq!(ran.document()["listing"]["revision"], revision, "{ran:?}");
    }
    for (more, status, words) in [
        // The listing is at revision 5.
        (
            &["--changes", r#"{"tagline": "x"}"#, "--revision", "4"][..],
            1,
            "changed",
        ),
        (
            &["--changes", "{}", "--file", "-"],
            2,
            "cannot be used with",
        ),
        (
            &["--file", "/nowhere.json"],
            2,
            "/nowhere.json cannot be read",
        ),
        (&["--changes", "[]"], 1, "JSON object"),
    ] {
        let ran = staff_with(&service, &token, &[&edit[..], more].concat(), "").await;
        assert_eq!(ran.status(), status, "{ran:?}");
        assert!(ran.complaint().contains(words), "{words}: {ran:?}");
    }
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn an_edit_opens_the_editor(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    service.accounts().await.game("a-game").await;
    let edit = ["--json", "game", "edit", "a-game"];
    let title = |title: &str| format!(r#"sed -i 's/"title": .*/"title": "{title}",/'"#);
    let ran = edit_with(&service, &token, &title("B"), &edit).await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    assert_eq!(ran.document()["listing"]["title"], "B");
    assert_eq!(ran.document()["listing"]["revision"], 2);

    let ran = edit_with(&service, &token, "true", &edit).await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    assert!(ran.complaint().contains("nothing was changed"), "{ran:?}");
    let ran = edit_with(&service, &token, "false", &edit).await;
    assert_eq!(ran.status(), 2, "{ran:?}");
    assert!(ran.complaint().contains("the editor failed"), "{ran:?}");
    let ran = edit_with(&service, &token, "", &edit).await;
    assert_eq!(ran.status(), 2, "{ran:?}");
    assert!(ran.complaint().contains("set EDITOR"), "{ran:?}");
    let seen = [&edit[..], &["--revision", "1"]].concat();
    let ran = edit_with(&service, &token, &title("C"), &seen).await;
    assert_eq!(ran.status(), 1, "{ran:?}");
    assert!(ran.complaint().contains("revision 2 now"), "{ran:?}");

    // A text that is refused is not lost: it can be corrected and sent.
    for (editor, status) in [(title(""), 1), ("echo no >>".to_owned(), 2)] {
        let ran = edit_with(&service, &token, &editor, &edit).await;
        assert_eq!(ran.status(), status, "{ran:?}");
        let complaint = ran.complaint();
        let (_, path) = complaint.split_once("are kept in ").unwrap();
        let (path, hint) = path.split_once(": ").unwrap();
        assert!(hint.contains("staff game edit a-game --file"), "{hint}");
        assert!(!std::fs::read_to_string(path).unwrap().is_empty());
        std::fs::remove_file(path).unwrap();
    }
}

/// Runs the tool on a terminal of its own with this input.
async fn on_terminal(service: &Service, args: &str, input: &'static str) -> Ran {
    let tool = tool();
    let line = format!("{} {args}", tool.get_program().to_str().unwrap());
    let mut command = std::process::Command::new("script");
    command
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .env("STAFF_TOKEN", testing::identity().staff_token.expose())
        .env("STAFF_LISTINGS", &service.address)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped());
    let output = tokio::task::spawn_blocking(move || {
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        // `script` ends the terminal when its own input ends, so this stays open until the tool has ended.
        let output = child.wait_with_output().unwrap();
        drop(stdin);
        output
    });
    Ran(output.await.unwrap())
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn taking_many_down_and_revoking_are_confirmed(pool: PgPool) {
    let service = start(pool).await.with_gazetteer().await;
    let games = ["one", "two", "three"].map(|slug| game(slug, slug));
    service
        .import(&File::rows("page", &[creator("studio")]))
        .await;
    service.import(&File::rows("game", &games)).await;
    let operator = service.operator().await;
    operator.create("ada", proto::Role::Admin).await.unwrap();

    let down = ["game", "take-down", "one", "two", "--reason", "Why"];
    let revoke = ["member", "revoke", "ada"];
    for args in [&down[..], &revoke] {
        let refused = Ran(staff(&service.address, args).await);
        assert_eq!(refused.status(), 2, "{refused:?}");
        assert!(refused.complaint().contains("--yes"), "{refused:?}");
    }
    let line = "--json game take-down one two --reason Why";
    let ran = on_terminal(&service, line, "n\n").await;
    assert_eq!(ran.status(), 1, "{ran:?}");
    assert!(
        ran.text().contains("Take down 2 games (one, two)?"),
        "{ran:?}"
    );
    assert!(ran.text().contains("nothing was changed"), "{ran:?}");
    let ran = on_terminal(&service, line, "y\n").await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    assert!(ran.text().contains("removed"), "{ran:?}");
    let ran = on_terminal(&service, "member revoke ada", "yes\n").await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    // One listing is taken down without a question.
    let args = ["game", "take-down", "three", "--reason", "Why"];
    let ran = Ran(staff(&service.address, &args).await);
    assert_eq!(ran.status(), 0, "{ran:?}");
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn whoami_names_the_member_and_the_role(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    let ran = staff_with(&service, &token, &["whoami"], "").await;
    let line = "ada (reviewer), the token expires on 2026-08-30 12:00\n";
    assert_eq!(ran.text(), line, "{ran:?}");
    let operator = testing::identity().staff_token;
    let args = ["--json", "whoami"];
    let ran = staff_with(&service, operator.expose(), &args, "").await;
    assert_eq!(ran.document()["name"], "operator");
    assert_eq!(ran.document()["role"], "admin");
    let ran = staff_with(&service, "nobody", &["whoami"], "").await;
    assert_eq!(ran.status(), 1, "{ran:?}");
    assert!(ran.complaint().contains("staff token"), "{ran:?}");
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn a_page_has_one_name_in_commands_and_answers(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    for args in [
        ["--json", "page", "show", "studio"],
        ["--json", "creator", "show", "studio"],
    ] {
        let document = staff_with(&service, &token, &args, "").await.document();
        assert_eq!(document["listing"]["kind"], "page");
    }
    let args = ["--json", "listing", "search", "studio", "--kind", "page"];
    let document = staff_with(&service, &token, &args, "").await.document();
    assert_eq!(document["listings"][0]["kind"], "page");
    // The old spelling does the same.
    let args = ["--json", "show", "page", "studio"];
    let document = staff_with(&service, &token, &args, "").await.document();
    assert_eq!(document["listing"]["name"], "studio");
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn a_shell_completes_slugs(pool: PgPool) {
    let service = start(pool).await.with_gazetteer().await;
    let games = ["amber", "moon", "moonlight", "the-moon"].map(|slug| game(slug, slug));
    service
        .import(&File::rows("page", &["studio", "moon-studio"].map(creator)))
        .await;
    service.import(&File::rows("game", &games)).await;
    let complete = async |words: &[&str]| {
        let mut command = tool();
        command
            .args(["--", "staff"])
            .args(words)
            .env("COMPLETE", "bash")
            .env("_CLAP_COMPLETE_INDEX", words.len().to_string())
            .env("STAFF_LISTINGS", &service.address)
            .env("STAFF_TOKEN", testing::identity().staff_token.expose());
        let output = tokio::task::spawn_blocking(move || command.output().unwrap());
        let text = Ran(output.await.unwrap()).text();
        text.lines().map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    let slugs = complete(&["game", "approve", "moo"]).await;
    assert_eq!(slugs, ["moon", "moonlight"]);
    assert_eq!(complete(&["game", "show", "the"]).await, ["the-moon"]);
    assert_eq!(
        complete(&["page", "list-owners", "m"]).await,
        ["moon-studio"]
    );
    assert_eq!(complete(&["game", "take-"]).await, ["take-down"]);
}
