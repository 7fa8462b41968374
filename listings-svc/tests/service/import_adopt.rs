//! Rows with the name of a listing that an account submitted: refused, unless the import takes the listing over.

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_page_service_client::StaffPageServiceClient;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use prost::Message as _;
use serde_json::json;
use sqlx::PgPool;

use crate::review::listing_name;
use crate::support::{File, Service, counts, creator, decide, game, refused, start};

async fn start_with_pages(pool: PgPool) -> Service {
    let service = start(pool).await.with_gazetteer().await;
    let pages = [creator("studio"), creator("official")];
    service.import(&File::rows("page", &pages)).await;
    service
}

fn adopting(mut file: File) -> File {
    file.header.adopt = true;
    file
}

#[derive(Debug, PartialEq)]
struct Stored {
    title: String,
    state: String,
    submitter: Option<uuid::Uuid>,
    handle: String,
    is_waiting: bool,
}

async fn stored(service: &Service, slug: &str) -> Stored {
    sqlx::query_as!(
        Stored,
        r#"select title, game.state, game.submitter, handle, game.waiting_since is not null as "is_waiting!"
           from listings.game join listings.page on page.id = page_id where slug = $1"#,
        slug
    )
    .fetch_one(&service.pool)
    .await
    .unwrap()
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_row_with_the_slug_of_a_submission_is_refused(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let accounts = service.accounts().await;
    accounts.game("pending").await;
    accounts.game("rejected").await;
    accounts.game("public").await;
    let client = &service.operator_client;
    for (name, decision) in [
        ("rejected", proto::Decision::Reject),
        ("public", proto::Decision::Approve),
    ] {
        let on = (listing_name("game", name), None);
        decide(client, decision, on, "No").await.unwrap();
    }
    let row = |slug: &str| {
        let mut row = game(slug, "Official");
        row["creator"] = json!("official");
        row
    };
    let file = File::rows("game", &["new", "pending", "rejected", "public"].map(row));
    let before = stored(&service, "pending").await;
    let report = service.import(&file).await;
    assert_eq!(counts(&report), (1, 0, 0, 3));
    let slug = || vec!["slug".to_owned()];
    assert_eq!(
        refused(&report),
        [(2, slug()), (3, slug()), (4, slug())].into()
    );
    for (row, state) in report
        .refused
        .iter()
        .zip(["pending review", "rejected", "public"])
    {
        let reason = &row.fields["slug"];
        assert!(
            reason.contains(state) && reason.contains("--adopt"),
            "{reason}"
        );
    }
    assert_eq!(stored(&service, "pending").await, before);

    // Taken over whole: its fields, its page, its submitter and its state.
    let seen = service.head().await;
    let report = service.import(&adopting(file.clone())).await;
    assert_eq!(counts(&report), (0, 3, 1, 0));
    for slug in ["pending", "rejected", "public"] {
        let expected = Stored {
            title: "Official".to_owned(),
            state: "published".to_owned(),
            submitter: None,
            handle: "official".to_owned(),
            is_waiting: false,
        };
        assert_eq!(stored(&service, slug).await, expected, "{slug}");
    }
    let events: Vec<(String, bool)> = (service.changes(seen).await.into_iter())
        .map(|change| (change.event, change.announced))
        .collect();
    let event = |event: &str| (event.to_owned(), false);
    assert_eq!(
        events,
        [event("published"), event("published"), event("updated")]
    );
    // From now on they are listings of the import.
    assert_eq!(counts(&service.import(&file).await), (0, 0, 4, 0));
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_page_that_an_import_takes_over_loses_its_submitter_and_shows_its_games(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let accounts = service.accounts().await;
    accounts.page("their-page").await;
    accounts.game_under("their-game", "their-page").await;
    let approve = (listing_name("game", "their-game"), None);
    let client = &service.operator_client;
    decide(client, proto::Decision::Approve, approve, "")
        .await
        .unwrap();
    let file = File::rows("page", &[creator("their-page")]);
    assert_eq!(counts(&service.import(&file).await), (0, 0, 0, 1));
    let seen = service.head().await;
    assert_eq!(counts(&service.import(&adopting(file)).await), (0, 1, 0, 0));
    let request = proto::ListOwnersRequest {
        handle: "their-page".to_owned(),
    };
    let mut pages = StaffPageServiceClient::new(client.clone());
    let owners = pages
        .list_owners(request)
        .await
        .unwrap()
        .into_inner()
        .owners;
    assert_eq!(owners, []);
    let changes = service.changes(seen).await;
    let kinds: Vec<(&str, &str)> = (changes.iter())
        .map(|change| (change.entity.as_str(), change.event.as_str()))
        .collect();
    assert_eq!(kinds, [("page", "published"), ("game", "published")]);
    let page = proto::Page::decode(&changes[0].state[..]).unwrap();
    assert!(page.visible && page.owners.is_empty());
    // Nobody waits for a review of it any more.
    let mut review = StaffReviewServiceClient::new(client.clone());
    let queue = review.list_queue(proto::ListQueueRequest::default()).await;
    assert_eq!(queue.unwrap().into_inner().items, []);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_listing_that_was_taken_down_stays_down_when_an_import_takes_it_over(pool: PgPool) {
    let service = start_with_pages(pool).await;
    service.accounts().await.game("a-game").await;
    let client = &service.operator_client;
    for decision in [proto::Decision::Approve, proto::Decision::TakeDown] {
        let on = (listing_name("game", "a-game"), None);
        decide(client, decision, on, "Stolen").await.unwrap();
    }
    let file = adopting(File::rows("game", &[game("a-game", "Ours")]));
    assert_eq!(counts(&service.import(&file).await), (0, 1, 0, 0));
    assert_eq!(stored(&service, "a-game").await.state, "removed");
}
