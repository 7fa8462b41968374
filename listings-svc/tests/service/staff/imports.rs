//! Imports by the staff tool, and its exit status.

use super::*;

#[testing::database_test(listings::MIGRATOR)]
async fn an_import_reports_on_each_file(pool: PgPool) {
    let service = start(pool).await;
    let text = format!("{}\nnot json\n{}", creator("one"), "x".repeat(3 << 20));
    let (_folder, path) = file("creators-new.ndjson", &text);

    let output = staff(&service.address, &["--json", "listing", "import", &path]).await;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let report = &document["files"][0];
    assert_eq!((&report["kind"], &report["created"]), (&"page".into(), &1.into()));
    assert_eq!(report["refused"], 2);
    assert_eq!(report["refused_rows"][0]["line"], 2);
    let too_long = report["refused_rows"][1]["fields"]["row"].as_str().unwrap();
    assert!(too_long.contains("too long"), "{too_long}");

    let output = staff(&service.address, &["listing", "import", &path]).await;
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("0 created, 0 replaced, 1 exist and stay as they are, 2 refused"),
        "{text}"
    );
    assert!(text.contains("line 2: "), "{text}");
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_exit_status_distinguishes_errors(pool: PgPool) {
    let service = start(pool).await;
    let (_folder, path) = file("unknown.ndjson", "{}");
    let usage = staff(&service.address, &["listing", "import", &path]).await;
    assert_eq!(usage.status.code(), Some(2));
    let unavailable = staff("http://127.0.0.1:9", &["review", "list"]).await;
    assert_eq!(unavailable.status.code(), Some(3));
    // A command connects to one address, not to a list or a resolver.
    for several in ["http://a:1,http://b:2", "dns:http://a:1", "file:/a"] {
        let output = staff(several, &["review", "list"]).await;
        assert_eq!(output.status.code(), Some(2), "{several}: {output:?}");
    }
    // listings-svc does not implement the gateway's RPCs.
    let mut command = tool();
    command
        .args(["plan", "list"])
        .env("STAFF_TOKEN", testing::staff_token().expose())
        .env("STAFF_GATEWAY", &service.address);
    let refused = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    assert_eq!(refused.status.code(), Some(1));
    for output in [usage, unavailable, refused] {
        assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 1);
    }
}
