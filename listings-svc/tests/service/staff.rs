//! The staff tool as a process.

use std::process::Output;

use serde_json::Value;
use sqlx::PgPool;
use tempfile::TempDir;

use crate::pictures::picture;
use crate::support::{File, creator, game, start};

/// Runs the tool off the runtime, which is busy serving it.
async fn staff(address: &str, args: &[&str]) -> Output {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_staff"));
    command
        .args(args)
        .env("STAFF_TOKEN", "x".repeat(32))
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
    assert!(text.contains("line 2 "), "{text}");
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
