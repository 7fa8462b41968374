//! An import of rows whose names already exist.

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::review::listing_name;
use crate::support::{File, Service, counts, creator, game, start};

async fn stored(service: &Service, slug: &str) -> Value {
    sqlx::query_scalar!(
        r#"select to_jsonb(game) as "game!" from listings.listing as game where name = $1"#,
        slug
    )
    .fetch_one(&service.pool)
    .await
    .unwrap()
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_row_whose_name_exists_is_reported_and_changes_nothing(pool: PgPool) {
    let service = start(pool).await;
    service.import(&File::rows("page", &[creator("studio")])).await;
    service.import(&File::rows("game", &[game("imported", "Imported")])).await;
    let request = proto::EditRequest {
        name: Some(listing_name("game", "imported")),
        changes: json!({"tagline": "Ours"}).to_string(),
        ..proto::EditRequest::default()
    };
    let mut review = StaffReviewServiceClient::new(service.operator_client.clone());
    review.edit(request).await.unwrap();
    service.accounts().await.game("submitted").await;
    let names = ["imported", "submitted"];
    let mut before = Vec::new();
    for name in names {
        before.push(stored(&service, name).await);
    }
    let (head, revisions) = (service.head().await, service.revisions().await);

    let rows = ["imported", "new", "submitted"].map(|name| game(name, "Of the file"));
    let report = service.import(&File::rows("game", &rows)).await;
    assert_eq!(counts(&report), (1, 0, 2, 0));
    let existing: Vec<(u64, &str)> =
        report.existing.iter().map(|row| (row.line, row.name.as_str())).collect();
    assert_eq!(existing, [(1, "imported"), (3, "submitted")]);
    for (name, before) in names.into_iter().zip(before) {
        assert_eq!(stored(&service, name).await, before);
    }
    assert_eq!((service.head().await, service.revisions().await), (head + 1, revisions + 1));
}
