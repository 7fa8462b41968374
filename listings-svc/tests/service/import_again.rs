//! A file that is imported again: what owners and staff changed since stays.

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use kit::rpc::client::Client;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::review::listing_name;
use crate::support::{File, Service, counts, creator, decide, game, start};

type Review = StaffReviewServiceClient<Client>;

/// A service with the pages `studio` and `other` and the game `a-game`, and its staff.
async fn start_with_game(pool: PgPool) -> (Service, Review) {
    let service = start(pool).await.with_gazetteer().await;
    let pages = [creator("studio"), creator("other")];
    service.import(&File::rows("page", &pages)).await;
    service.import(&File::rows("game", &[row("A Game")])).await;
    let review = StaffReviewServiceClient::new(service.operator_client.clone());
    (service, review)
}

fn row(title: &str) -> Value {
    let mut row = game("a-game", title);
    row["tagline"] = json!("Of the file");
    row["links"] = json!({"play": "https://file.example"});
    row
}

async fn edit(review: &Review, kind: &str, name: &str, changes: Value) {
    let request = proto::EditRequest {
        name: Some(listing_name(kind, name)),
        changes: changes.to_string(),
        ..proto::EditRequest::default()
    };
    review.clone().edit(request).await.unwrap();
}

async fn feature(review: &Review) {
    let request = proto::FeatureRequest {
        name: Some(listing_name("game", "a-game")),
        featured: true,
    };
    review.clone().feature(request).await.unwrap();
}

/// The lines of rows with kept fields, each with the names of the fields.
fn kept(report: &proto::ImportResponse) -> Vec<(u64, Vec<&str>)> {
    report
        .kept
        .iter()
        .map(|row| {
            let mut fields: Vec<&str> = row.fields.keys().map(String::as_str).collect();
            fields.sort_unstable();
            (row.line, fields)
        })
        .collect()
}

async fn stored(service: &Service) -> Value {
    sqlx::query_scalar!(
        r#"select to_jsonb(game) as "game!" from listings.game where slug = 'a-game' and mode = 'live'"#
    )
    .fetch_one(&service.pool)
    .await
    .unwrap()
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_field_that_was_changed_since_the_last_import_stays_and_is_reported(pool: PgPool) {
    let (service, review) = start_with_game(pool).await;
    feature(&review).await;
    let ours = json!({"tagline": "Ours", "links": {"play": "https://file.example", "itch": "https://ours.example"}});
    edit(&review, "game", "a-game", ours).await;
    // Another byte of the file: its title.
    let file = File::rows("game", &[row("A Better Game")]);
    let report = service.import(&file).await;
    assert_eq!(counts(&report), (0, 1, 0, 0));
    assert_eq!(
        (kept(&report), report.kept_count),
        (vec![(1, vec!["tagline"])], 1)
    );
    let explanation = &report.kept[0].fields["tagline"];
    assert!(
        explanation.contains(r#"stays "Ours""#) && explanation.contains(r#"says "Of the file""#),
        "{explanation}"
    );
    let game = stored(&service).await;
    assert_eq!(game["title"], "A Better Game");
    assert_eq!(game["tagline"], "Ours");
    assert_eq!(game["links"]["itch"], "https://ours.example");
    assert_eq!(game["featured"], true);

    // The file again changes nothing, and says so of the same field.
    let report = service.import(&file).await;
    assert_eq!(counts(&report), (0, 0, 1, 0));
    assert_eq!(kept(&report), [(1, vec!["tagline"])]);

    // What a row names is overwritten on request. It names no flag.
    let mut overwrite = file.clone();
    overwrite.header.overwrite = true;
    let report = service.import(&overwrite).await;
    assert_eq!((counts(&report), report.kept_count), ((0, 1, 0, 0), 0));
    let game = stored(&service).await;
    assert_eq!(game["tagline"], "Of the file");
    assert_eq!(game["links"], json!({"play": "https://file.example"}));
    assert_eq!(game["featured"], true);
    assert_eq!(counts(&service.import(&file).await), (0, 0, 1, 0));
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_file_may_change_and_clear_what_nobody_else_changed(pool: PgPool) {
    let (service, _) = start_with_game(pool).await;
    let bare = File::rows("game", &[game("a-game", "A Game")]);
    let report = service.import(&bare).await;
    assert_eq!((counts(&report), report.kept_count), ((0, 1, 0, 0), 0));
    let game = stored(&service).await;
    assert_eq!((&game["tagline"], &game["links"]), (&json!(""), &json!({})));
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_verified_page_stays_verified(pool: PgPool) {
    let (service, review) = start_with_game(pool).await;
    let request = proto::VerifyRequest {
        name: Some(listing_name("page", "studio")),
        verified: true,
        revision: None,
    };
    review.clone().verify(request).await.unwrap();
    let mut renamed = creator("studio");
    renamed["name"] = json!("Another Studio");
    let report = service.import(&File::rows("page", &[renamed])).await;
    assert_eq!((counts(&report), report.kept_count), ((0, 1, 0, 0), 0));
    let page = sqlx::query!("select name, verified from listings.page where handle = 'studio'")
        .fetch_one(&service.pool)
        .await
        .unwrap();
    assert_eq!(
        (page.name.as_str(), page.verified),
        ("Another Studio", true)
    );
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_game_that_staff_moved_stays_under_its_page_and_is_hidden_with_it(pool: PgPool) {
    let (service, review) = start_with_game(pool).await;
    let request = proto::ReassignRequest {
        name: Some(listing_name("game", "a-game")),
        to: "other".to_owned(),
        reason: String::new(),
    };
    review.clone().reassign(request).await.unwrap();
    let down = (listing_name("page", "other"), None);
    let client = &service.operator_client;
    crate::support::decide(client, proto::Decision::TakeDown, down, "Stolen")
        .await
        .unwrap();
    let report = service
        .import(&File::rows("game", &[row("A Better Game")]))
        .await;
    assert_eq!(kept(&report), [(1, vec!["creator"])]);
    assert_eq!(counts(&report), (0, 1, 0, 0));
    assert_eq!(stored(&service).await["hidden_by_page"], true);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_row_does_not_date_a_later_change_back(pool: PgPool) {
    let (service, review) = start_with_game(pool).await;
    let mut dated = row("A Game");
    dated["created_at"] = json!("2026-01-01T00:00:00Z");
    dated["updated_at"] = json!("2026-02-01T00:00:00Z");
    let file = File::rows("game", &[dated]);
    let mut overwrite = file.clone();
    overwrite.header.overwrite = true;
    service.import(&overwrite).await;
    edit(&review, "game", "a-game", json!({"tagline": "Ours"})).await;
    let edited = stored(&service).await;
    assert_eq!(counts(&service.import(&file).await), (0, 0, 1, 0));
    assert_eq!(stored(&service).await, edited);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_dry_run_reports_the_differences_and_writes_nothing(pool: PgPool) {
    let (service, review) = start_with_game(pool).await;
    edit(&review, "game", "a-game", json!({"tagline": "Ours"})).await;
    let (before, head, revisions) = (
        stored(&service).await,
        service.head().await,
        service.revisions().await,
    );
    let mut rows = vec![
        row("A Better Game"),
        game("new", "New"),
        json!({"slug": "bad"}),
    ];
    rows.extend((0..150).map(|n| game(&format!("game-{n}"), "Between")));
    rows.push(game("new", "Twice"));
    let mut file = File::rows("game", &rows);
    file.header.dry_run = true;
    let report = service.import(&file).await;
    assert_eq!(counts(&report), (151, 1, 0, 2));
    assert_eq!(kept(&report), [(1, vec!["tagline"])]);
    let changed = &report.changed[0];
    assert_eq!((changed.line, changed.name.as_str()), (1, "a-game"));
    assert_eq!(
        changed.fields,
        [(
            "title".to_owned(),
            r#""A Game" → "A Better Game""#.to_owned()
        )]
        .into()
    );
    assert_eq!(report.changed.len(), 152);
    assert!(report.changed[1].fields.is_empty());
    assert_eq!(stored(&service).await, before);
    assert_eq!(
        (service.head().await, service.revisions().await),
        (head, revisions)
    );
    // The import that follows does what it said.
    file.header.dry_run = false;
    assert_eq!(counts(&service.import(&file).await), (151, 1, 0, 2));
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_file_is_imported_again_after_a_page_that_it_names_was_taken_down(pool: PgPool) {
    let (service, _) = start_with_game(pool).await;
    let mut named = row("A Game");
    named["credits"] = json!([{"handle": "other", "name": "Other", "role": "Music"}]);
    let mut under = game("under", "Under");
    under["creator"] = json!("other");
    let file = File::rows("game", &[named, under]);
    service.import(&file).await;
    let name = listing_name("page", "other");
    let (client, decision) = (&service.operator_client, proto::Decision::TakeDown);
    decide(client, decision, (name, None), "Why").await.unwrap();
    let again = service.import(&file).await;
    assert_eq!(counts(&again), (0, 0, 1, 1));
    let reason = &again.refused[0].fields["creator"];
    assert!(reason.contains("restore the page"), "{reason}");
}
