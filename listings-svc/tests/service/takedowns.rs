//! An account takes its own listings down, or back from the review; only staff restore what was public.

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::listings::v1::pages_service_client::PagesServiceClient;
use contracts::listings::v1::staff_page_service_client::StaffPageServiceClient;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use kit::{Code, Fault};
use listings::write::limits::MAX_UNPUBLISHED_PAGES;
use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use crate::accounts::{Accounts, writing};
use crate::pictures::start_with_game;
use crate::review::listing_name;
use crate::support::{File, MAX_PENDING, Service, creator, decide, start};

const STRANGER: Uuid = Uuid::from_u128(77);

async fn start_with_page(pool: PgPool) -> Service {
    let service = start(pool).await;
    let page = File::rows("page", &[creator("studio")]);
    service.import(&page).await;
    service
}

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

async fn own_rows(service: &Service, account: Uuid) -> Vec<serde_json::Value> {
    let request = proto::ListOwnListingsRequest {
        account_id: account.to_string(),
        mode: common::Mode::Live.into(),
        page: None,
    };
    let own = service.own.clone().list_own_listings(request).await;
    serde_json::from_slice(&own.unwrap().into_inner().json).unwrap()
}

async fn own_states(service: &Service, account: Uuid) -> Vec<(String, String)> {
    let rows = own_rows(service, account).await.into_iter();
    let text = |row: &serde_json::Value, key: &str| row[key].as_str().unwrap().to_owned();
    let mut states: Vec<_> = rows.map(|row| (text(&row, "slug"), text(&row, "status"))).collect();
    states.sort();
    states
}

#[testing::database_test(listings::MIGRATOR)]
async fn what_is_public_is_taken_down_and_only_staff_restore_it(pool: PgPool) {
    let service = start_with_game(pool).await;
    let ada = service.accounts().await.account;
    let client = &service.operator_client;
    let listing = ("game", "a-game");
    let strange = take_down(&service, STRANGER, listing).await.unwrap_err();
    assert_eq!(strange.code, Code::NotFound);
    for _ in 0..2 {
        take_down(&service, ada, listing).await.unwrap();
    }
    let removed = ("a-game".to_owned(), "removed".to_owned());
    assert_eq!(own_states(&service, ada).await, [removed]);
    let actors = sqlx::query_scalar!(
        "select actor_kind from listings.revision where after ->> 'state' = 'removed'"
    )
    .fetch_all(&service.pool)
    .await
    .unwrap();
    assert_eq!(actors, ["account"], "once");

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

/// A restore must not publish what nobody has approved.
#[testing::database_test(listings::MIGRATOR)]
async fn what_is_taken_back_waits_no_more_and_can_be_submitted_again(pool: PgPool) {
    let service = start_with_page(pool).await;
    let accounts: Accounts<'_> = service.accounts().await;
    let ada = accounts.account;
    accounts.game("a-game").await;
    accounts.event("a-jam").await;
    accounts.page("a-page").await;
    assert_eq!(MAX_PENDING, 3, "the queue of the account is full");
    let client = &service.operator_client;
    let rejected = (listing_name("event", "a-jam"), None);
    let reject = decide(client, proto::Decision::Reject, rejected, "No day");
    reject.await.unwrap();
    for listing in [("game", "a-game"), ("event", "a-jam"), ("page", "a-page")] {
        let strange = take_down(&service, STRANGER, listing).await.unwrap_err();
        assert_eq!(strange.code, Code::NotFound, "{listing:?}");
        for _ in 0..2 {
            take_down(&service, ada, listing).await.unwrap();
        }
        let name = listing_name(listing.0, listing.1);
        let restore = decide(client, proto::Decision::Restore, (name, None), "");
        let refused = Fault::from(restore.await.unwrap_err());
        assert!(refused.fields.keys().eq(["name"]), "{refused:?}");
    }
    let own = own_rows(&service, ada).await;
    let mut reasons: Vec<_> = own
        .iter()
        .map(|row| (&row["slug"], &row["status"], &row["reason"]))
        .map(|(slug, status, reason)| [slug, status, reason].map(|it| it.as_str().unwrap()))
        .collect();
    reasons.sort_unstable();
    assert_eq!(
        reasons,
        [["a-game", "rejected", "Withdrawn by its account."], ["a-jam", "rejected", "No day"]]
    );
    let decisions = service.decisions().await;
    let events: Vec<&str> = decisions.iter().map(|(event, _)| event.as_str()).collect();
    assert_eq!(events, ["owner_added", "listing_rejected"]);
    let mut review = StaffReviewServiceClient::new(client.clone());
    let queue = review.list_queue(proto::ListQueueRequest::default()).await;
    assert_eq!(queue.unwrap().into_inner().items, []);

    accounts.edit("a-game", json!({"title": "Better"})).await;
    let states = own_states(&service, ada).await;
    assert_eq!(states[0], ("a-game".to_owned(), "pending".to_owned()));
    let again = (listing_name("game", "a-game"), Some(3));
    let approve = decide(client, proto::Decision::Approve, again, "");
    approve.await.unwrap();
    assert_eq!(own_states(&service, ada).await[0].1, "published");
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_other_owners_of_a_page_learn_of_a_takedown(pool: PgPool) {
    let service = start_with_game(pool).await;
    let ada = service.accounts().await.account;
    let request =
        proto::AddOwnerRequest { handle: "studio".to_owned(), account_id: STRANGER.to_string() };
    let staff = StaffPageServiceClient::new(service.operator_client.clone());
    staff.clone().add_owner(request).await.unwrap();
    let before = service.decisions().await.len();
    for (listing, title) in [(("game", "a-game"), "A Game"), (("page", "studio"), "A Studio")] {
        for _ in 0..2 {
            take_down(&service, STRANGER, listing).await.unwrap();
        }
        let (kind, name) = listing;
        let told = proto::StaffDecision {
            account_ids: vec![ada.to_string()],
            kind: kind.to_owned(),
            name: name.to_owned(),
            title: title.to_owned(),
            account_id: STRANGER.to_string(),
            ..proto::StaffDecision::default()
        };
        let decisions = service.decisions().await;
        let newest = decisions.last().unwrap().clone();
        assert_eq!(newest, ("listing_removed_by_owner".to_owned(), told));
    }
    assert_eq!(service.decisions().await.len(), before + 2, "once each");
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
    for (listing, code) in
        [(("game", "no\0ne"), Code::NotFound), (("genre", "puzzle"), Code::Invalid)]
    {
        let refused = take_down(&service, ada, listing).await.unwrap_err();
        assert_eq!(refused.code, code, "{listing:?}");
    }
    assert_eq!(service.decisions().await.len(), 1, "the owner was added");
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
async fn a_page_that_was_taken_back_keeps_its_handle_and_counts_against_new_ones(pool: PgPool) {
    let service = start_with_game(pool).await;
    let account = Uuid::from_u128(5);
    for number in 0..MAX_UNPUBLISHED_PAGES {
        let handle = format!("page-{number}");
        submit_page(&service, account, &handle).await.unwrap();
        let page = ("page", handle.as_str());
        take_down(&service, account, page).await.unwrap();
    }
    let refused = submit_page(&service, account, "one-more").await.unwrap_err();
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
