//! The staff tool imports again, and takes changes of owners back.

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::review::listing_name;
use crate::staff::{file, staff};
use crate::support::{Service, creator, decide, game, start};

async fn edit(service: &Service, kind: &str, name: &str, changes: Value) {
    let request = proto::EditRequest {
        name: Some(listing_name(kind, name)),
        changes: changes.to_string(),
        ..proto::EditRequest::default()
    };
    let mut review = StaffReviewServiceClient::new(service.operator_client.clone());
    review.edit(request).await.unwrap();
}

async fn text(service: &Service, args: &[&str]) -> String {
    let output = staff(&service.address, args).await;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[testing::database_test(listings::MIGRATOR)]
async fn apply_never_overwrites_what_was_changed_since(pool: PgPool) {
    let service = start(pool).await.with_gazetteer().await;
    let (folder, pages) = file("pages.ndjson", creator("studio").to_string());
    let fleet = folder.path().join("fleet.toml");
    std::fs::write(&fleet, r#"import = ["pages.ndjson"]"#).unwrap();
    let apply = ["--json", "apply", fleet.to_str().unwrap()];
    let first: Value = serde_json::from_str(&text(&service, &apply).await).unwrap();
    assert_eq!(first["files"][0]["created"], 1);
    edit(&service, "page", "studio", json!({"name": "Ours"})).await;
    text(&service, &["page", "verify", "studio"]).await;
    let mut row = creator("studio");
    row["tagline"] = json!("New in the file");
    std::fs::write(&pages, row.to_string()).unwrap();
    let second: Value = serde_json::from_str(&text(&service, &apply).await).unwrap();
    let report = &second["files"][0];
    assert_eq!(
        (&report["updated"], &report["kept"]),
        (&json!(1), &json!(1))
    );
    let page = sqlx::query!("select name, tagline, verified from listings.page")
        .fetch_one(&service.pool)
        .await
        .unwrap();
    assert_eq!((page.name.as_str(), page.verified), ("Ours", true));
    assert_eq!(page.tagline, "New in the file");
}

#[testing::database_test(listings::MIGRATOR)]
async fn an_import_prints_what_it_would_change_and_what_it_keeps(pool: PgPool) {
    let service = start(pool).await.with_gazetteer().await;
    let (_pages, pages) = file("pages.ndjson", creator("studio").to_string());
    let (_games, games) = file("games.ndjson", game("a-game", "A Game").to_string());
    text(&service, &["listing", "import", &pages, &games]).await;
    edit(&service, "game", "a-game", json!({"title": "Ours"})).await;
    let mut row = game("a-game", "Theirs");
    row["tagline"] = json!("New");
    std::fs::write(&games, format!("{row}\n{}", game("new", "New"))).unwrap();
    let printed = text(&service, &["listing", "import", &games, "--dry-run"]).await;
    for line in [
        "1 created, 1 updated, 0 unchanged, 0 refused",
        r#"line 1 a-game: tagline: nothing → "New""#,
        "line 2 new: new",
        r#"line 1 a-game: title: It was changed after the last import and stays "Ours". The file says "Theirs"."#,
    ] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
    let overwrite = ["--json", "listing", "import", &games, "--overwrite"];
    let report: Value = serde_json::from_str(&text(&service, &overwrite).await).unwrap();
    assert_eq!(report["files"][0]["kept"], 0);
    let title = sqlx::query_scalar!("select title from listings.game where slug = 'a-game'");
    assert_eq!(title.fetch_one(&service.pool).await.unwrap(), "Theirs");
}

#[testing::database_test(listings::MIGRATOR)]
async fn edits_of_owners_are_printed_and_taken_back(pool: PgPool) {
    let service = start(pool).await.with_gazetteer().await;
    let (_pages, pages) = file("pages.ndjson", creator("studio").to_string());
    text(&service, &["listing", "import", &pages]).await;
    let none = text(&service, &["listing", "edits"]).await;
    assert!(none.contains("no account"), "{none}");
    let accounts = service.accounts().await;
    accounts.game("a-game").await;
    let approve = (listing_name("game", "a-game"), None);
    let client = &service.operator_client;
    decide(client, proto::Decision::Approve, approve, "")
        .await
        .unwrap();
    accounts.edit("a-game", json!({"tagline": "Buy now"})).await;
    let printed = text(&service, &["listing", "edits", "--kind", "game"]).await;
    for line in ["game a-game", "revision 3 of", "tagline", "+ Buy now"] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
    let document = text(&service, &["--json", "listing", "edits"]).await;
    let document: Value = serde_json::from_str(&document).unwrap();
    assert_eq!(document["edits"][0]["differences"][0]["path"], "tagline");
    let revert = ["--json", "game", "revert", "a-game", "--revision", "2"];
    let listing: Value = serde_json::from_str(&text(&service, &revert).await).unwrap();
    assert_eq!(listing["listing"]["revision"], 4);
    let tagline = sqlx::query_scalar!("select tagline from listings.game where slug = 'a-game'");
    assert_eq!(tagline.fetch_one(&service.pool).await.unwrap(), "");
}
