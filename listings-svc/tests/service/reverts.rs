//! Staff revert a listing to an earlier revision.

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use kit::Fault;
use kit::rpc::client::Client;
use kit::rpc::staff::Role;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::review::listing_name;
use crate::support::{File, Service, creator, decide, start};

type Review = StaffReviewServiceClient<Client>;

/// A service with a reviewer and the public game `one`, which its account has changed twice.
async fn start_with_game(pool: PgPool) -> (Service, Review) {
    let service = start(pool).await;
    service.import(&File::rows("page", &[creator("studio")])).await;
    let accounts = service.accounts().await;
    accounts.game("one").await;
    accounts.edit("one", json!({"tagline": "Pending"})).await;
    let approve = (listing_name("game", "one"), None);
    let client = &service.operator_client;
    decide(client, proto::Decision::Approve, approve, "").await.unwrap();
    accounts.edit("one", json!({"tagline": "First"})).await;
    accounts.edit("one", json!({"tagline": "Buy now", "genres": []})).await;
    let reviewer = service.member("bea", Role::Reviewer).await;
    (service, StaffReviewServiceClient::new(reviewer.channel))
}

async fn revert(review: &Review, to: i64, seen: Option<i64>) -> Result<proto::Listing, Fault> {
    let request = proto::RevertRequest {
        name: Some(listing_name("game", "one")),
        to_revision: to,
        reason: String::new(),
        revision: seen,
    };
    let reverted = review.clone().revert(request).await?;
    Ok(reverted.into_inner().listing.unwrap())
}

async fn stored(service: &Service) -> Value {
    sqlx::query_scalar!(
        r#"select content || jsonb_build_object('state', state) as "game!" from listings.listing where name = 'one'"#
    )
    .fetch_one(&service.pool)
    .await
    .unwrap()
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_revert_is_a_new_revision_with_the_earlier_content(pool: PgPool) {
    let (service, review) = start_with_game(pool).await;
    let before = stored(&service).await;
    let head = service.head().await;
    let stale = revert(&review, 4, Some(4)).await.unwrap_err();
    assert!(stale.fields.keys().eq(["revision"]), "{stale}");
    let listing = revert(&review, 4, Some(5)).await.unwrap();
    assert_eq!((listing.revision, listing.actor.as_str()), (6, "bea"));
    assert_eq!(listing.reason, "Back to revision 4.");
    let after = stored(&service).await;
    assert_eq!(after["tagline"], "First");
    assert_eq!(after["genres"], json!(["puzzle"]));
    assert_eq!((&after["state"], &after["links"]), (&before["state"], &before["links"]));
    let changes = service.changes(head).await;
    let told: Vec<_> =
        (changes.iter()).map(|change| (change.event.as_str(), change.announced)).collect();
    assert_eq!(told, [("updated", true)]);
    // A repeated revert changes nothing, and a revision must exist.
    assert_eq!(revert(&review, 4, None).await.unwrap().revision, 6);
    for none in [0, 7, -1] {
        let refused = revert(&review, none, None).await.unwrap_err();
        assert!(refused.fields["to_revision"].contains("1 to 6"), "{refused}");
    }
    // A revert restores the content and keeps the state: the first revision was pending.
    let first = revert(&review, 1, None).await.unwrap();
    assert_eq!((first.revision, first.state()), (7, proto::State::Published));
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_revert_keeps_pictures_and_flags(pool: PgPool) {
    let (service, review) = start_with_game(pool).await;
    let mut admin = StaffReviewServiceClient::new(service.operator_client.clone());
    let request = proto::EditRequest {
        name: Some(listing_name("game", "one")),
        changes: json!({"featured": true, "cover_url": "https://one.example/cover.png"})
            .to_string(),
        ..proto::EditRequest::default()
    };
    admin.edit(request).await.unwrap();
    revert(&review, 1, None).await.unwrap();
    let game = stored(&service).await;
    assert_eq!(game["featured"], true);
    assert_eq!(game["cover_url"], "https://one.example/cover.png");
    assert_eq!(game["tagline"], "");
}
