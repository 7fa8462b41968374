//! Staff read what accounts change in public listings, and return to an earlier revision.

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use kit::Fault;
use kit::rpc::client::Client;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::review::listing_name;
use crate::support::{File, Service, creator, decide, start};

type Review = StaffReviewServiceClient<Client>;

/// A service with the public games `one` and `two` of the same account, and a reviewer.
async fn start_with_games(pool: PgPool) -> (Service, Review) {
    let service = start(pool).await.with_gazetteer().await;
    service
        .import(&File::rows("page", &[creator("studio")]))
        .await;
    let accounts = service.accounts().await;
    for slug in ["one", "two"] {
        accounts.game(slug).await;
        accounts.edit(slug, json!({"tagline": "Pending"})).await;
        let approve = (listing_name("game", slug), None);
        let client = &service.operator_client;
        decide(client, proto::Decision::Approve, approve, "")
            .await
            .unwrap();
    }
    accounts.edit("one", json!({"tagline": "First"})).await;
    accounts
        .edit(
            "two",
            json!({"title": "Two!", "links": {"itch": "https://two.example"}}),
        )
        .await;
    accounts
        .edit("one", json!({"tagline": "Buy now", "genres": []}))
        .await;
    let reviewer = service.member("bea", proto::Role::Reviewer).await;
    (service, StaffReviewServiceClient::new(reviewer.channel))
}

async fn edits(
    review: &Review,
    kind: &str,
    limit: i32,
    cursor: &str,
) -> proto::ListOwnerEditsResponse {
    let request = proto::ListOwnerEditsRequest {
        kind: kind.to_owned(),
        limit,
        cursor: cursor.to_owned(),
    };
    let listed = review.clone().list_owner_edits(request).await;
    listed.unwrap().into_inner()
}

#[testing::database_test(listings::MIGRATOR)]
async fn long_changes_fill_pages_that_can_be_received(pool: PgPool) {
    let service = start(pool).await.with_gazetteer().await;
    service
        .import(&File::rows("page", &[creator("studio")]))
        .await;
    let accounts = service.accounts().await;
    accounts.game("one").await;
    let approve = (listing_name("game", "one"), None);
    let client = &service.operator_client;
    decide(client, proto::Decision::Approve, approve, "")
        .await
        .unwrap();
    let reviewer = service.member("bea", proto::Role::Reviewer).await;
    let review = StaffReviewServiceClient::new(reviewer.channel);
    // The longest texts of a game, 17 times: together they are longer than a message may be.
    for face in ['😀', '😁'].into_iter().cycle().take(17) {
        let long = |length: usize| face.to_string().repeat(length);
        let link = format!("https://one.example/{}", long(2_000));
        let links = listings::domain::links::GAME.iter();
        let links = links.map(|name| ((*name).to_owned(), json!(link)));
        let links: serde_json::Map<String, Value> = links.collect();
        let change = json!({ "description": long(10_000), "trailer_url": link, "links": links });
        accounts.edit("one", change).await;
    }
    let (mut found, mut pages, mut cursor) = (0, 0, String::new());
    loop {
        let page = edits(&review, "", 20, &cursor).await;
        assert!(!page.edits.is_empty());
        found += page.edits.len();
        pages += 1;
        cursor = page.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(found, 17);
    assert!(pages > 1);
    let mut revisions = Vec::new();
    loop {
        let request = proto::ListOwnRevisionsRequest {
            account_id: accounts.account.to_string(),
            kind: "game".to_owned(),
            name: "one".to_owned(),
            page: Some(contracts::common::v1::PageRequest { limit: 20, cursor }),
        };
        let listed = service.own.clone().list_own_revisions(request).await;
        let listed = listed.unwrap().into_inner();
        revisions.extend(listed.revisions.into_iter().map(|it| it.revision));
        cursor = listed.page.unwrap().next_cursor.unwrap_or_default();
        if cursor.is_empty() {
            break;
        }
    }
    let newest = revisions[0];
    let all: Vec<i64> = (1..=newest).rev().collect();
    assert_eq!(revisions, all);
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
    sqlx::query_scalar!(r#"select to_jsonb(game) as "game!" from listings.game where slug = 'one'"#)
        .fetch_one(&service.pool)
        .await
        .unwrap()
}

#[testing::database_test(listings::MIGRATOR)]
async fn changes_of_public_listings_by_their_accounts_are_listed(pool: PgPool) {
    let (_service, review) = start_with_games(pool).await;
    let all = edits(&review, "", 0, "").await.edits;
    let mut told: Vec<(&str, i64, Vec<&str>)> = (all.iter())
        .map(|edit| {
            let paths = edit.differences.iter().map(|it| it.path.as_str()).collect();
            (
                edit.name.as_ref().unwrap().name.as_str(),
                edit.revision,
                paths,
            )
        })
        .collect();
    // The clock of the test stands still: the edits are in the order of ids and revisions.
    told.sort();
    assert_eq!(
        told,
        [
            ("one", 4, vec!["tagline"]),
            ("one", 5, vec!["genres", "tagline"]),
            ("two", 4, vec!["links.itch", "links.play", "title"]),
        ]
    );
    assert_eq!(all[0].account_id, "00000000-0000-0000-0000-000000000001");
    let mut paged = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = edits(&review, "game", 1, &cursor).await;
        paged.extend(page.edits);
        cursor = page.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(paged, all);
    assert_eq!(edits(&review, "event", 0, "").await.edits, []);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_listing_returns_to_an_earlier_revision_by_a_new_one(pool: PgPool) {
    let (service, review) = start_with_games(pool).await;
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
    assert_eq!(
        (&after["state"], &after["links"]),
        (&before["state"], &before["links"])
    );
    let changes = service.changes(head).await;
    let told: Vec<_> = (changes.iter())
        .map(|change| (change.event.as_str(), change.announced))
        .collect();
    assert_eq!(told, [("updated", true)]);
    // The same again changes nothing, and what never was cannot return.
    assert_eq!(revert(&review, 4, None).await.unwrap().revision, 6);
    for none in [0, 7, -1] {
        let refused = revert(&review, none, None).await.unwrap_err();
        assert!(
            refused.fields["to_revision"].contains("1 to 6"),
            "{refused}"
        );
    }
    // The first revision was pending; only the content returns.
    let first = revert(&review, 1, None).await.unwrap();
    assert_eq!(
        (first.revision, first.state()),
        (7, proto::State::Published)
    );
}

#[testing::database_test(listings::MIGRATOR)]
async fn pictures_and_flags_stay_when_a_listing_returns_to_an_earlier_revision(pool: PgPool) {
    let (service, review) = start_with_games(pool).await;
    let request = proto::FeatureRequest {
        name: Some(listing_name("game", "one")),
        featured: true,
    };
    let mut admin = StaffReviewServiceClient::new(service.operator_client.clone());
    admin.feature(request).await.unwrap();
    let request = proto::EditRequest {
        name: Some(listing_name("game", "one")),
        changes: json!({"cover_url": "https://one.example/cover.png"}).to_string(),
        ..proto::EditRequest::default()
    };
    admin.edit(request).await.unwrap();
    revert(&review, 1, None).await.unwrap();
    let game = stored(&service).await;
    assert_eq!(game["featured"], true);
    assert_eq!(game["cover_url"], "https://one.example/cover.png");
    assert_eq!(game["tagline"], "");
}
