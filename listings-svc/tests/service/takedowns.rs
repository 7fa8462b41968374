//! An account takes its own listings down, in any state; only staff restore them.

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::listings::v1::pages_service_client::PagesServiceClient;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use kit::{Code, Fault};
use listings::write::limits::MAX_UNPUBLISHED_PAGES;
use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use crate::accounts::{Accounts, writing};
use crate::pictures::start_with_game;
use crate::review::listing_name;
use crate::support::{Service, decide};

const STRANGER: Uuid = Uuid::from_u128(77);

async fn take_down(
    service: &Service,
    account: Uuid,
    (kind, name): (&str, &str),
) -> Result<(), Fault> {
    let request = proto::TakeDownListingRequest {
        account_id: account.to_string(),
        kind: kind.to_owned(),
        name: name.to_owned(),
    };
    service.own.clone().take_down_listing(request).await?;
    Ok(())
}

async fn own_states(service: &Service, account: Uuid) -> Vec<(String, String)> {
    let request = proto::ListOwnListingsRequest {
        account_id: account.to_string(),
        mode: common::Mode::Live.into(),
        page: None,
    };
    let own = service.own.clone().list_own_listings(request).await;
    let own: serde_json::Value = serde_json::from_slice(&own.unwrap().into_inner().json).unwrap();
    let rows = own.as_array().unwrap().iter();
    let text = |row: &serde_json::Value, key: &str| row[key].as_str().unwrap().to_owned();
    let mut states: Vec<_> = rows
        .map(|row| (text(row, "slug"), text(row, "status")))
        .collect();
    states.sort();
    states
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_listing_in_any_state_is_taken_down_at_once_and_staff_restore_it(pool: PgPool) {
    let service = start_with_game(pool).await;
    let accounts: Accounts<'_> = service.accounts().await;
    let ada = accounts.account;
    accounts.game("pending").await;
    accounts.game("rejected").await;
    accounts.event("a-jam").await;
    let client = &service.operator_client;
    let rejected = (listing_name("game", "rejected"), None);
    let reject = decide(client, proto::Decision::Reject, rejected, "No");
    reject.await.unwrap();
    let listings = [
        ("game", "a-game"),
        ("game", "pending"),
        ("game", "rejected"),
        ("event", "a-jam"),
    ];
    for listing in listings {
        let strange = take_down(&service, STRANGER, listing).await.unwrap_err();
        assert_eq!(strange.code, Code::NotFound, "{listing:?}");
        for _ in 0..2 {
            take_down(&service, ada, listing).await.unwrap();
        }
    }
    let removed = ["a-game", "a-jam", "pending", "rejected"]
        .map(|slug| (slug.to_owned(), "removed".to_owned()));
    assert_eq!(own_states(&service, ada).await, removed);
    let actors = sqlx::query_scalar!(
        "select actor_kind from listings.revision where after ->> 'state' = 'removed'"
    );
    let actors = actors.fetch_all(&service.pool).await.unwrap();
    assert_eq!(actors, ["account"; 4], "once each");
    let mut review = StaffReviewServiceClient::new(client.clone());
    let queue = review.list_queue(proto::ListQueueRequest::default()).await;
    assert_eq!(queue.unwrap().into_inner().items, []);

    let change = proto::UpdateGameRequest {
        slug: "a-game".to_owned(),
        writing: Some(writing(ada, &json!({"title": "Better"}))),
        precondition: None,
    };
    let refused = service.games.clone().update_game(change).await;
    assert_eq!(Fault::from(refused.unwrap_err()).code, Code::NotFound);
    let restored = (listing_name("game", "a-game"), None);
    let restore = decide(client, proto::Decision::Restore, restored, "");
    restore.await.unwrap();
    assert_eq!(own_states(&service, ada).await[0].1, "published");
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_page_that_is_taken_down_hides_its_games(pool: PgPool) {
    let service = start_with_game(pool).await;
    let ada = service.accounts().await.account;
    take_down(&service, ada, ("page", "studio")).await.unwrap();
    let hidden = sqlx::query_scalar!(
        "select hidden_by_page from listings.listing where name = 'a-game' and mode = 'live'"
    );
    assert!(hidden.fetch_one(&service.pool).await.unwrap());
    for (listing, code) in [
        (("game", "no\0ne"), Code::NotFound),
        (("genre", "puzzle"), Code::Invalid),
    ] {
        let refused = take_down(&service, ada, listing).await.unwrap_err();
        assert_eq!(refused.code, code, "{listing:?}");
    }
    assert_eq!(service.decisions().await, [], "nobody decided for them");
}

async fn submit_page(service: &Service, account: Uuid, handle: &str) -> Result<(), Fault> {
    let body = json!({"name": handle, "kind": "studio", "country_code": "NG", "city": "Lagos"});
    let request = proto::CreatePageRequest {
        account_id: account.to_string(),
        body: body.to_string().into(),
        ..proto::CreatePageRequest::default()
    };
    let mut pages = PagesServiceClient::new(service.fleet.clone());
    pages.create_page(request).await?;
    Ok(())
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_removed_page_counts_against_new_ones(pool: PgPool) {
    let service = start_with_game(pool).await;
    let account = Uuid::from_u128(5);
    for number in 0..MAX_UNPUBLISHED_PAGES {
        let handle = format!("page-{number}");
        submit_page(&service, account, &handle).await.unwrap();
        let page = ("page", handle.as_str());
        take_down(&service, account, page).await.unwrap();
    }
    let refused = submit_page(&service, account, "one-more").await;
    let refused = refused.unwrap_err();
    assert_eq!(refused.code, Code::TooManyPending);
    let other = Uuid::from_u128(6);
    submit_page(&service, other, "one-more").await.unwrap();
    // A page that becomes public no longer counts.
    let shown = sqlx::query!(
        "update listings.listing set state = 'published', waiting_since = null, first_published_at = updated_at where name = 'page-0'"
    );
    shown.execute(&service.pool).await.unwrap();
    submit_page(&service, account, "another").await.unwrap();
}
