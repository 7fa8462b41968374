//! Staff review submissions.

mod differences;
mod queue;

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::listings::v1::State::{Pending, Rejected};
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use kit::rpc::client::Client;
use kit::rpc::staff::Role;
use kit::{Code, Fault};
use sqlx::PgPool;
use tonic::Status;

use crate::members::MemberClient;
use crate::support::{File, Service, counts, creator, decide, game, start};

type Review = StaffReviewServiceClient<Client>;

pub(crate) fn listing_name(kind: &str, name: &str) -> proto::ListingName {
    proto::ListingName {
        kind: kind.to_owned(),
        mode: common::Mode::Live.into(),
        name: name.to_owned(),
    }
}

/// A service with a page `studio`, and a reviewer.
async fn start_with_reviewer(pool: PgPool) -> (Service, MemberClient, Review) {
    let service = start(pool).await;
    let file = File::rows("page", &[creator("studio")]);
    assert_eq!(counts(&service.import(&file).await), (1, 0, 0, 0));
    let reviewer = service.member("ada", Role::Reviewer).await;
    let review = StaffReviewServiceClient::new(reviewer.channel.clone());
    (service, reviewer, review)
}

async fn approve(
    ada: &MemberClient,
    kind: &str,
    name: &str,
    revision: Option<i64>,
) -> Result<proto::DecideResult, Status> {
    let approve = proto::Decision::Approve;
    decide(&ada.channel, approve, (listing_name(kind, name), revision), "").await
}

async fn reject(
    ada: &MemberClient,
    name: &str,
    reason: &str,
    revision: Option<i64>,
) -> Result<proto::Listing, Status> {
    let on = (listing_name("game", name), revision);
    let done = decide(&ada.channel, proto::Decision::Reject, on, reason).await?;
    Ok(done.listing.unwrap())
}

async fn get_review(review: &Review, kind: &str, name: &str) -> proto::GetReviewResponse {
    let name = Some(listing_name(kind, name));
    let request = proto::GetReviewRequest { name, revision: 0 };
    let answer = review.clone().get_review(request).await;
    answer.unwrap().into_inner()
}

async fn queue(review: &Review, request: proto::ListQueueRequest) -> proto::ListQueueResponse {
    let answer = review.clone().list_queue(request).await;
    answer.unwrap().into_inner()
}

fn names(items: &[proto::QueueItem]) -> Vec<String> {
    items.iter().map(|item| item.name.clone().unwrap().name).collect()
}

async fn waiting(review: &Review) -> Vec<String> {
    names(&queue(review, proto::ListQueueRequest::default()).await.items)
}

/// The fields of a fault.
fn fields(outcome: Result<impl std::fmt::Debug, Status>) -> Vec<String> {
    let fault = Fault::from(outcome.unwrap_err());
    assert_eq!(fault.code, Code::Invalid);
    fault.fields.into_keys().collect()
}

/// The event of each change, whether it was announced, and its revision.
async fn events_after(service: &Service, after: i64) -> Vec<(String, bool, i64)> {
    let changes = service.changes(after).await;
    let short = |c: common::Change| (c.event, c.announced, c.revision);
    changes.into_iter().map(short).collect()
}

#[testing::database_test(listings::MIGRATOR)]
async fn an_approved_listing_is_public_and_announced_once(pool: PgPool) {
    let (service, ada, review) = start_with_reviewer(pool).await;
    let accounts = service.accounts().await;
    accounts.game("a-game").await;
    let before = service.head().await;
    let answer = approve(&ada, "game", "a-game", Some(1)).await.unwrap();
    let listing = answer.listing.unwrap();
    assert_eq!(
        (listing.state(), listing.revision, listing.actor.as_str()),
        (proto::State::Published, 2, "ada")
    );
    assert_eq!(answer.note, "");
    // Approving again changes nothing, even at an old revision.
    let again = approve(&ada, "game", "a-game", Some(1)).await.unwrap();
    assert_eq!(again.listing.unwrap(), listing);
    assert_eq!(again.note, "already published; nothing changed");
    assert_eq!(events_after(&service, before).await, [("published".to_owned(), true, 2)]);
    assert!(waiting(&review).await.is_empty());
    let entries = ada.audit_entries().await;
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].1, "approve");
    let status = reject(&ada, "a-game", "Too late", None).await;
    assert_eq!(fields(status), ["name"]);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_rejected_listing_has_its_reason_and_can_be_resubmitted(pool: PgPool) {
    let (service, ada, review) = start_with_reviewer(pool).await;
    let accounts = service.accounts().await;
    accounts.game("a-game").await;
    let before = service.head().await;
    for reason in ["", " ", &"x".repeat(501)] {
        let outcome = reject(&ada, "a-game", reason, None).await;
        assert_eq!(fields(outcome), ["reason"]);
    }
    let longest = "é".repeat(500);
    let listing = reject(&ada, "a-game", &longest, None).await.unwrap();
    assert_eq!(
        (listing.state(), listing.revision, listing.reason),
        (proto::State::Rejected, 2, longest.clone())
    );
    let on = (listing_name("game", "a-game"), None);
    let again = decide(&ada.channel, proto::Decision::Reject, on, "Another").await.unwrap();
    assert_eq!(again.note, "already rejected; nothing changed");
    let again = again.listing.unwrap();
    assert_eq!((again.revision, again.reason), (2, longest));
    assert_eq!(events_after(&service, before).await, [("changed".to_owned(), false, 2)]);
    assert_eq!(fields(approve(&ada, "game", "a-game", None).await), ["name"]);
    assert!(waiting(&review).await.is_empty());

    accounts.edit("a-game", serde_json::json!({"title": "Better"})).await;
    assert_eq!(waiting(&review).await, ["a-game"]);
    let looked = get_review(&review, "game", "a-game").await;
    let states: Vec<_> = looked.history.iter().map(|r| (r.revision, r.state())).collect();
    assert_eq!(states, [(3, Pending), (2, Rejected), (1, Pending)]);
    assert_eq!(looked.history[0].changed, ["title"]);
    assert_eq!(looked.history[1].actor, "ada");
    assert_eq!(ada.audit_entries().await.len(), 1);
}

/// The reason of the rejection of the owner's only game, as its owner reads it.
async fn rejection_reason(service: &Service, account: uuid::Uuid) -> Option<String> {
    let request = proto::ListOwnListingsRequest {
        account_id: account.to_string(),
        mode: common::Mode::Live.into(),
        page: None,
    };
    let answer = service.own.clone().list_own_listings(request).await;
    let rows: Vec<contracts::public::OwnListing> =
        serde_json::from_slice(&answer.unwrap().into_inner().json).unwrap();
    assert_eq!(rows.len(), 1);
    rows[0].reason.clone()
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_reason_of_a_rejection_stays_until_the_next_decision(pool: PgPool) {
    let (service, ada, review) = start_with_reviewer(pool).await;
    let accounts = service.accounts().await;
    accounts.game("a-game").await;
    reject(&ada, "a-game", "Too dark", None).await.unwrap();
    let edit = proto::EditRequest {
        name: Some(listing_name("game", "a-game")),
        changes: r#"{"tagline": "A puzzle"}"#.to_owned(),
        reason: "For staff only".to_owned(),
        revision: None,
    };
    review.clone().edit(edit).await.unwrap();
    assert_eq!(rejection_reason(&service, accounts.account).await.as_deref(), Some("Too dark"));
    let file = File::rows("game", &[game("a-game", "From A File")]);
    assert_eq!(counts(&service.import(&file).await), (0, 0, 1, 0));
    assert_eq!(rejection_reason(&service, accounts.account).await.as_deref(), Some("Too dark"));
    accounts.edit("a-game", serde_json::json!({"title": "Lighter"})).await;
    assert_eq!(rejection_reason(&service, accounts.account).await, None);
    reject(&ada, "a-game", "Too light", None).await.unwrap();
    assert_eq!(rejection_reason(&service, accounts.account).await.as_deref(), Some("Too light"));
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_decision_on_an_outdated_revision_is_refused(pool: PgPool) {
    let (service, ada, review) = start_with_reviewer(pool).await;
    let accounts = service.accounts().await;
    accounts.game("a-game").await;
    let seen = get_review(&review, "game", "a-game").await.item.unwrap().revision;
    accounts.edit("a-game", serde_json::json!({"title": "Worse"})).await;
    for outcome in [
        approve(&ada, "game", "a-game", Some(seen)).await.map(|_| ()),
        reject(&ada, "a-game", "Why", Some(seen)).await.map(|_| ()),
    ] {
        let fault = Fault::from(outcome.unwrap_err());
        assert!(fault.fields["revision"].contains("has changed"), "{fault:?}");
    }
    assert_eq!(waiting(&review).await, ["a-game"]);
    assert!(ada.audit_entries().await.is_empty());
    // The refusal lists the differences.
    let request = proto::DecideRequest {
        decision: proto::Decision::Approve.into(),
        items: vec![proto::DecideItem {
            name: Some(listing_name("game", "a-game")),
            revision: Some(seen),
        }],
        reason: String::new(),
    };
    let refused = review.clone().decide(request).await.unwrap().into_inner();
    let expected = proto::Difference {
        path: "title".to_owned(),
        before: r#""a-game""#.to_owned(),
        after: r#""Worse""#.to_owned(),
    };
    assert_eq!(refused.results[0].differences, [expected]);
    approve(&ada, "game", "a-game", Some(seen + 1)).await.unwrap();
}

/// The tool asks for it, but it is not the only client.
#[testing::database_test(listings::MIGRATOR)]
async fn an_approval_without_the_revision_that_was_read_is_refused(pool: PgPool) {
    let (service, ada, review) = start_with_reviewer(pool).await;
    service.accounts().await.game("a-game").await;
    let request = proto::DecideRequest {
        decision: proto::Decision::Approve.into(),
        items: vec![proto::DecideItem {
            name: Some(listing_name("game", "a-game")),
            revision: None,
        }],
        reason: String::new(),
    };
    let refused = review.clone().decide(request).await.unwrap().into_inner();
    let result = &refused.results[0];
    assert!(result.fields.keys().eq(["revision"]), "{result:?}");
    assert_eq!(waiting(&review).await, ["a-game"]);
    assert!(ada.audit_entries().await.is_empty());
}

#[testing::database_test(listings::MIGRATOR)]
async fn of_two_concurrent_decisions_one_is_made(pool: PgPool) {
    let (service, ada, _) = start_with_reviewer(pool).await;
    let accounts = service.accounts().await;
    accounts.game("a-game").await;
    let before = service.head().await;
    let (approved, rejected) = tokio::join!(
        approve(&ada, "game", "a-game", Some(1)),
        reject(&ada, "a-game", "Why", Some(1))
    );
    assert_ne!(approved.is_ok(), rejected.is_ok());
    assert_eq!(events_after(&service, before).await.len(), 1);
    assert_eq!(ada.audit_entries().await.len(), 1);
}

#[testing::database_test(listings::MIGRATOR)]
async fn approving_a_game_reports_its_pending_page(pool: PgPool) {
    let (service, ada, _) = start_with_reviewer(pool).await;
    let accounts = service.accounts().await;
    accounts.page("new-page").await;
    accounts.game_under("a-game", "new-page").await;
    let note = approve(&ada, "game", "a-game", None).await.unwrap().note;
    assert!(note.contains("new-page is not public:"), "{note}");
    let note = approve(&ada, "game", "a-game", None).await.unwrap().note;
    assert!(note.starts_with("already published; nothing changed; its page"), "{note}");
    approve(&ada, "page", "new-page", None).await.unwrap();
    let note = approve(&ada, "game", "a-game", None).await.unwrap().note;
    assert_eq!(note, "already published; nothing changed");
}

#[testing::database_test(listings::MIGRATOR)]
async fn many_listings_are_decided_independently(pool: PgPool) {
    let (service, ada, review) = start_with_reviewer(pool).await;
    let accounts = service.accounts().await;
    let all: Vec<String> = (0..60).map(|n| format!("game-{n}")).collect();
    for name in &all {
        accounts.game(name).await;
    }
    let mut names: Vec<_> = all.iter().map(|name| listing_name("game", name)).collect();
    names.extend([listing_name("game", "none"), listing_name("city", "lagos")]);
    let request = |decision: proto::Decision, reason: &str| {
        let revision = (decision == proto::Decision::Approve).then_some(1);
        let items =
            names.iter().map(|name| proto::DecideItem { name: Some(name.clone()), revision });
        proto::DecideRequest {
            decision: decision.into(),
            items: items.collect(),
            reason: reason.to_owned(),
        }
    };
    let answer = review.clone().decide(request(proto::Decision::Approve, "")).await;
    let results = answer.unwrap().into_inner().results;
    assert_eq!(results.len(), 62);
    for result in &results[..60] {
        assert_eq!(result.listing.as_ref().unwrap().state(), proto::State::Published);
    }
    assert!(results[60].problem.contains("no listing"), "{results:?}");
    assert_eq!(results[61].problem, "Give page, game or event.");
    assert!(waiting(&review).await.is_empty());
    assert_eq!(ada.audit_entries().await.len(), 60);

    // A takedown needs an admin and a reason.
    let refused = review.clone().decide(request(proto::Decision::TakeDown, "Why")).await;
    assert_eq!(refused.unwrap_err().code(), tonic::Code::PermissionDenied);
    let mut admin = StaffReviewServiceClient::new(service.operator().await.channel);
    let without = admin.decide(request(proto::Decision::TakeDown, "")).await;
    assert_eq!(fields(without), ["reason"]);
    let down = admin.decide(request(proto::Decision::TakeDown, "Why")).await;
    let results = down.unwrap().into_inner().results;
    let removed = results.iter().filter_map(|r| r.listing.as_ref());
    assert!(removed.clone().all(|l| l.state() == proto::State::Removed));
    assert_eq!(removed.count(), 60);
    let nothing = proto::DecideRequest::default();
    assert_eq!(fields(admin.decide(nothing).await), ["decision", "items"]);
}
