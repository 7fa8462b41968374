//! An account withdraws its own listings from the review, and takes them down; only staff restore
//! what was public.

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

/// Whether the call changed the listing.
async fn take_down(
    service: &Service,
    account: Uuid,
    (kind, name, revision): (&str, &str, i64),
) -> Result<bool, Fault> {
    let request = proto::TakeDownListingRequest {
        account_id: account.to_string(),
        kind: kind.to_owned(),
        name: name.to_owned(),
        revision,
    };
    let taken_down = service.own.clone().take_down_listing(request).await?;
    Ok(taken_down.into_inner().changed)
}

/// Whether the call changed the listing.
pub(crate) async fn withdraw(
    service: &Service,
    account: Uuid,
    (kind, name, revision): (&str, &str, i64),
) -> Result<bool, Fault> {
    let request = proto::WithdrawListingRequest {
        account_id: account.to_string(),
        kind: kind.to_owned(),
        name: name.to_owned(),
        revision,
    };
    let withdrawn = service.own.clone().withdraw_listing(request).await?;
    Ok(withdrawn.into_inner().changed)
}

async fn own_listing(
    service: &Service,
    account: Uuid,
    (kind, name): (&str, &str),
) -> proto::GetOwnListingResponse {
    let request = proto::GetOwnListingRequest {
        account_id: account.to_string(),
        kind: kind.to_owned(),
        name: name.to_owned(),
    };
    service.own.clone().get_own_listing(request).await.unwrap().into_inner()
}

/// Makes an account an owner of the page `studio`.
async fn add_owner(service: &Service, account: Uuid) {
    let request =
        proto::AddOwnerRequest { handle: "studio".to_owned(), account_id: account.to_string() };
    let staff = StaffPageServiceClient::new(service.operator_client.clone());
    staff.clone().add_owner(request).await.unwrap();
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
    let listing = ("game", "a-game", 1);
    let strange = take_down(&service, STRANGER, listing).await.unwrap_err();
    assert_eq!(strange.code, Code::NotFound);
    for is_first in [true, false] {
        assert_eq!(take_down(&service, ada, listing).await.unwrap(), is_first);
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
async fn what_is_withdrawn_waits_no_more_and_can_be_submitted_again(pool: PgPool) {
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
    for listing in [("game", "a-game", 1), ("event", "a-jam", 2), ("page", "a-page", 1)] {
        let strange = withdraw(&service, STRANGER, listing).await.unwrap_err();
        assert_eq!(strange.code, Code::NotFound, "{listing:?}");
        for is_first in [true, false] {
            let changed = withdraw(&service, ada, listing).await.unwrap();
            assert_eq!(changed, is_first, "{listing:?}");
        }
        let name = listing_name(listing.0, listing.1);
        let late = decide(client, proto::Decision::Reject, (name.clone(), None), "Late");
        let note = late.await.unwrap().note;
        assert!(note.contains("its account"), "staff read who ended it: {note}");
        let restore = decide(client, proto::Decision::Restore, (name, None), "");
        let refused = Fault::from(restore.await.unwrap_err());
        assert!(refused.fields.keys().eq(["name"]), "{refused:?}");
    }
    let own = own_rows(&service, ada).await;
    let mut ended: Vec<_> = own
        .iter()
        .map(|row| [&row["slug"], &row["status"], &row["ended"]["by"]])
        .map(|row| row.map(|it| it.as_str().unwrap()))
        .collect();
    ended.sort_unstable();
    assert_eq!(ended, [["a-game", "rejected", "account"], ["a-jam", "rejected", "account"]]);
    assert!(own.iter().all(|row| row["reason"].is_null()), "no words of staff: {own:?}");
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

/// The page of a listing in review, which stays open in a tab while staff approve the listing.
#[testing::database_test(listings::MIGRATOR)]
async fn a_call_about_an_older_revision_ends_nothing(pool: PgPool) {
    let service = start_with_page(pool).await;
    let accounts = service.accounts().await;
    let ada = accounts.account;
    accounts.game("a-game").await;
    let state = async || own_states(&service, ada).await.remove(0).1;
    let client = &service.operator_client;
    let refused = async |call: Result<bool, Fault>, says: &str| {
        let fault = call.unwrap_err();
        assert_eq!(fault.code, Code::PreconditionFailed, "{fault}");
        assert!(fault.message.contains(says), "{fault}");
    };
    let in_review = ("game", "a-game", 1);
    refused(take_down(&service, ada, in_review).await, "in review").await;
    let approve =
        decide(client, proto::Decision::Approve, (listing_name("game", "a-game"), Some(1)), "");
    approve.await.unwrap();
    refused(withdraw(&service, ada, in_review).await, "Staff approved it meanwhile").await;
    let published = ("game", "a-game", 2);
    refused(withdraw(&service, ada, published).await, "Staff approved it meanwhile").await;
    refused(take_down(&service, ada, in_review).await, "has changed").await;
    // A colleague edits it in another tab.
    accounts.edit("a-game", json!({"tagline": "New"})).await;
    refused(take_down(&service, ada, published).await, "has changed").await;
    assert_eq!(state().await, "published");
    let take_down_by_staff = (listing_name("game", "a-game"), None);
    decide(client, proto::Decision::TakeDown, take_down_by_staff, "Stolen").await.unwrap();
    let edited = ("game", "a-game", 3);
    refused(take_down(&service, ada, edited).await, "Staff took it down meanwhile").await;
    refused(withdraw(&service, ada, edited).await, "Staff took it down meanwhile").await;
    let ended = own_listing(&service, ada, ("game", "a-game")).await.ended.unwrap();
    assert_eq!((&*ended.by_account, &*ended.reason), ("", "Stolen"));
}

/// Two accounts own the page: each has a tab with the listing.
#[testing::database_test(listings::MIGRATOR)]
async fn an_old_tab_does_not_withdraw_what_was_submitted_again(pool: PgPool) {
    let service = start_with_page(pool).await;
    let accounts = service.accounts().await;
    let ada = accounts.account;
    add_owner(&service, STRANGER).await;
    accounts.game("a-game").await;
    let first = ("game", "a-game", 1);
    for (account, is_first) in [(ada, true), (STRANGER, false), (ada, false)] {
        assert_eq!(withdraw(&service, account, first).await.unwrap(), is_first);
    }
    let ended = own_listing(&service, ada, ("game", "a-game")).await.ended.unwrap();
    assert_eq!((&*ended.by_account, &*ended.reason), (&*ada.to_string(), ""));
    accounts.edit("a-game", json!({"tagline": "New"})).await;
    for account in [ada, STRANGER] {
        let refused = withdraw(&service, account, first).await.unwrap_err();
        assert_eq!(refused.code, Code::PreconditionFailed);
    }
    let submitted = own_listing(&service, ada, ("game", "a-game")).await;
    assert_eq!(submitted.ended, None);
    assert_eq!(own_states(&service, ada).await[0].1, "pending");
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_rejected_listing_that_is_put_away_keeps_the_reason_of_staff(pool: PgPool) {
    let service = start_with_page(pool).await;
    let accounts = service.accounts().await;
    let ada = accounts.account;
    accounts.game("a-game").await;
    let reject = (listing_name("game", "a-game"), None);
    let client = &service.operator_client;
    decide(client, proto::Decision::Reject, reject, "Too dark").await.unwrap();
    let old = withdraw(&service, ada, ("game", "a-game", 1)).await.unwrap_err();
    assert!(old.message.contains("Staff rejected it meanwhile"), "{old}");
    let listing = own_listing(&service, ada, ("game", "a-game")).await;
    let by_staff = listing.ended.clone().unwrap();
    assert_eq!((&*by_staff.by_account, &*by_staff.reason), ("", "Too dark"));
    assert_eq!(listing.rejection, None);
    let row = own_rows(&service, ada).await.remove(0);
    assert_eq!((&row["reason"], &row["ended"]["by"]), (&json!("Too dark"), &json!("staff")));

    service.clock.advance(time::Duration::HOUR);
    for is_first in [true, false] {
        let changed = withdraw(&service, ada, ("game", "a-game", 2)).await;
        assert_eq!(changed.unwrap(), is_first);
    }
    let listing = own_listing(&service, ada, ("game", "a-game")).await;
    let ended = listing.ended.unwrap();
    assert_eq!((&*ended.by_account, &*ended.reason), (&*ada.to_string(), ""));
    assert_ne!(ended.at, by_staff.at);
    assert_eq!(listing.rejection, Some(by_staff));
    let row = own_rows(&service, ada).await.remove(0);
    assert_eq!((&row["reason"], &row["ended"]["by"]), (&json!(null), &json!("account")));
    accounts.edit("a-game", json!({"tagline": "Light"})).await;
    let again = own_listing(&service, ada, ("game", "a-game")).await;
    assert_eq!((again.ended, again.rejection), (None, None));
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_other_owners_of_a_page_learn_of_a_takedown(pool: PgPool) {
    let service = start_with_game(pool).await;
    let ada = service.accounts().await.account;
    add_owner(&service, STRANGER).await;
    let before = service.decisions().await.len();
    for (listing, title) in [(("game", "a-game"), "A Game"), (("page", "studio"), "A Studio")] {
        for _ in 0..2 {
            take_down(&service, STRANGER, (listing.0, listing.1, 1)).await.unwrap();
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
    take_down(&service, ada, ("page", "studio", 1)).await.unwrap();
    let hidden = sqlx::query_scalar!(
        "select hidden_by_page from listings.listing where name = 'a-game' and mode = 'live'"
    );
    assert!(hidden.fetch_one(&service.pool).await.unwrap());
    for (listing, code) in
        [(("game", "no\0ne", 1), Code::NotFound), (("genre", "puzzle", 1), Code::Invalid)]
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
async fn a_withdrawn_page_keeps_its_handle_and_counts_against_new_ones(pool: PgPool) {
    let service = start_with_game(pool).await;
    let account = Uuid::from_u128(5);
    for number in 0..MAX_UNPUBLISHED_PAGES {
        let handle = format!("page-{number}");
        submit_page(&service, account, &handle).await.unwrap();
        let page = ("page", handle.as_str(), 1);
        assert!(withdraw(&service, account, page).await.unwrap());
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
