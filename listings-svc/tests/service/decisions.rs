//! Decisions of staff on the feed, addressed to the accounts that they concern.

use contracts::listings::v1 as proto;
use contracts::listings::v1::pages_service_client::PagesServiceClient;
use contracts::listings::v1::staff_page_service_client::StaffPageServiceClient;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use sqlx::PgPool;
use uuid::Uuid;

use crate::pictures::start_with_game;
use crate::review::listing_name;
use crate::support::{File, Service, creator, decide};

const STRANGER: Uuid = Uuid::from_u128(77);

async fn decided(service: &Service, decision: proto::Decision, name: &str, reason: &str) {
    decided_on(service, "game", decision, name, reason).await;
}

async fn decided_on(
    service: &Service,
    kind: &str,
    decision: proto::Decision,
    name: &str,
    reason: &str,
) {
    let on = (listing_name(kind, name), None);
    decide(&service.operator_client, decision, on, reason).await.unwrap();
}

/// The decisions but those about owners, which the tests make by their preparation.
async fn decisions(service: &Service) -> Vec<(String, proto::StaffDecision)> {
    let mut decisions = service.decisions().await;
    decisions.retain(|(event, _)| event != "owner_added");
    decisions
}

fn game(account: Uuid, slug: &str, title: &str, reason: &str) -> proto::StaffDecision {
    proto::StaffDecision {
        account_ids: vec![account.to_string()],
        kind: "game".to_owned(),
        name: slug.to_owned(),
        title: title.to_owned(),
        reason: reason.to_owned(),
        ..proto::StaffDecision::default()
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn each_decision_on_a_listing_is_published_once_for_its_owners(pool: PgPool) {
    let service = start_with_game(pool).await;
    // The page has no owner yet.
    decided(&service, proto::Decision::TakeDown, "a-game", "Stolen").await;
    decided(&service, proto::Decision::Restore, "a-game", "").await;
    assert_eq!(decisions(&service).await, []);

    let accounts = service.accounts().await;
    let ada = accounts.account;
    accounts.game("okoto").await;
    decided(&service, proto::Decision::Reject, "okoto", "No pictures").await;
    for _ in 0..2 {
        decided(&service, proto::Decision::TakeDown, "a-game", "Stolen").await;
    }
    decided(&service, proto::Decision::Restore, "a-game", "").await;
    let told = |event: &str, decision| (event.to_owned(), decision);
    assert_eq!(
        decisions(&service).await,
        [
            told("listing_rejected", game(ada, "okoto", "okoto", "No pictures")),
            told("listing_removed", game(ada, "a-game", "A Game", "Stolen")),
            told("listing_restored", game(ada, "a-game", "A Game", "")),
        ]
    );
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_game_whose_page_is_not_public_is_approved_and_not_published(pool: PgPool) {
    let service = start_with_game(pool).await;
    let accounts = service.accounts().await;
    let ada = accounts.account;
    accounts.game("okoto").await;
    decided(&service, proto::Decision::TakeDown, "a-game", "Stolen").await;
    decided_on(&service, "page", proto::Decision::TakeDown, "studio", "Stolen").await;
    decided(&service, proto::Decision::Approve, "okoto", "").await;
    let client = &service.operator_client;
    let restored = (listing_name("game", "a-game"), None);
    let restored = decide(client, proto::Decision::Restore, restored, "").await;
    let note = restored.unwrap().note;
    assert!(note.contains("its page studio is not public"), "{note}");
    decided_on(&service, "page", proto::Decision::Restore, "studio", "").await;
    // The restored page has made its games visible again, without decisions on the games.
    decided(&service, proto::Decision::TakeDown, "okoto", "Stolen").await;
    decided(&service, proto::Decision::Restore, "okoto", "").await;
    let decisions: Vec<(String, String)> = decisions(&service)
        .await
        .into_iter()
        .map(|(event, decision)| {
            assert_eq!(decision.account_ids, [ada.to_string()], "{event}");
            (event, decision.name)
        })
        .collect();
    let expected = [
        ("listing_removed", "a-game"),
        ("listing_removed", "studio"),
        ("listing_approved", "okoto"),
        ("listing_restored", "a-game"),
        ("listing_restored", "studio"),
        ("listing_removed", "okoto"),
        ("listing_restored", "okoto"),
    ];
    let expected = expected.map(|(event, name)| (event.to_owned(), name.to_owned()));
    assert_eq!(decisions, expected);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_decision_on_a_claim_is_for_the_claimant(pool: PgPool) {
    let service = start_with_game(pool).await;
    let mut staff = StaffPageServiceClient::new(service.operator_client.clone());
    for is_granted in [false, true] {
        let request = proto::ClaimPageRequest {
            account_id: STRANGER.to_string(),
            handle: "studio".to_owned(),
            evidence: "Mine".to_owned(),
        };
        let mut pages = PagesServiceClient::new(service.fleet.clone());
        let claim = pages.claim_page(request).await.unwrap().into_inner();
        let id = claim.claim.unwrap().id;
        if is_granted {
            let grant = proto::GrantClaimRequest { id };
            staff.grant_claim(grant).await.unwrap();
        } else {
            let reason = "Not shown".to_owned();
            let reject = proto::RejectClaimRequest { id, reason };
            staff.reject_claim(reject).await.unwrap();
        }
    }

    let page = |reason: &str| proto::StaffDecision {
        account_ids: vec![STRANGER.to_string()],
        kind: "page".to_owned(),
        name: "studio".to_owned(),
        title: "A Studio".to_owned(),
        reason: reason.to_owned(),
        ..proto::StaffDecision::default()
    };
    assert_eq!(
        service.decisions().await,
        [("claim_rejected".to_owned(), page("Not shown")), ("claim_granted".to_owned(), page("")),]
    );
}

/// A new owner may take the page and its games down, and write them.
#[testing::database_test(listings::MIGRATOR)]
async fn all_owners_of_a_page_learn_of_a_new_one(pool: PgPool) {
    let service = start_with_game(pool).await;
    let mut staff = StaffPageServiceClient::new(service.operator_client.clone());
    let (ada, bob) = (Uuid::from_u128(1), Uuid::from_u128(2));
    for account in [ada, bob, bob] {
        let request =
            proto::AddOwnerRequest { handle: "studio".to_owned(), account_id: account.to_string() };
        staff.add_owner(request).await.unwrap();
    }
    let request = proto::ClaimPageRequest {
        account_id: STRANGER.to_string(),
        handle: "studio".to_owned(),
        evidence: "Mine".to_owned(),
    };
    let mut pages = PagesServiceClient::new(service.fleet.clone());
    let claim = pages.claim_page(request).await.unwrap().into_inner();
    let id = claim.claim.unwrap().id;
    for _ in 0..2 {
        let grant = proto::GrantClaimRequest { id: id.clone() };
        staff.grant_claim(grant).await.unwrap();
    }

    let told = |readers: &[Uuid], new: Uuid| {
        let decision = proto::StaffDecision {
            account_ids: readers.iter().map(Uuid::to_string).collect(),
            kind: "page".to_owned(),
            name: "studio".to_owned(),
            title: "A Studio".to_owned(),
            account_id: new.to_string(),
            ..proto::StaffDecision::default()
        };
        ("owner_added".to_owned(), decision)
    };
    let mut decisions = service.decisions().await;
    decisions.retain(|(event, _)| event != "claim_granted");
    // Who claimed the page reads that the claim was granted.
    assert_eq!(decisions, [told(&[ada], ada), told(&[ada, bob], bob), told(&[ada, bob], STRANGER)]);
}

#[testing::database_test(listings::MIGRATOR)]
async fn owners_learn_that_staff_remove_an_owner_or_move_a_game(pool: PgPool) {
    let service = start_with_game(pool).await;
    let other = File::rows("page", &[creator("other")]);
    service.import(&other).await;
    let mut staff = StaffPageServiceClient::new(service.operator_client.clone());
    let [ada, bob, eve] = [1, 2, 3].map(Uuid::from_u128);
    for (account, handle) in [(ada, "studio"), (bob, "studio"), (bob, "other"), (eve, "other")] {
        let request =
            proto::AddOwnerRequest { handle: handle.to_owned(), account_id: account.to_string() };
        staff.add_owner(request).await.unwrap();
    }
    for _ in 0..2 {
        let request =
            proto::RemoveOwnerRequest { handle: "other".to_owned(), account_id: eve.to_string() };
        staff.remove_owner(request).await.unwrap();
    }
    let add = proto::AddOwnerRequest { handle: "other".to_owned(), account_id: eve.to_string() };
    staff.add_owner(add).await.unwrap();
    let mut review = StaffReviewServiceClient::new(service.operator_client.clone());
    for changes in [r#"{"creator": "other"}"#, r#"{"creator": "other", "tagline": "B"}"#] {
        let request = proto::EditRequest {
            name: Some(listing_name("game", "a-game")),
            changes: changes.to_owned(),
            ..proto::EditRequest::default()
        };
        review.edit(request).await.unwrap();
    }

    let ids = |accounts: &[Uuid]| accounts.iter().map(Uuid::to_string).collect();
    let removed = proto::StaffDecision {
        account_ids: ids(&[bob, eve]),
        kind: "page".to_owned(),
        name: "other".to_owned(),
        title: "A Studio".to_owned(),
        account_id: eve.to_string(),
        ..proto::StaffDecision::default()
    };
    let moved = proto::StaffDecision {
        account_ids: ids(&[ada, bob, eve]),
        page: "other".to_owned(),
        former_page: "studio".to_owned(),
        ..game(ada, "a-game", "A Game", "")
    };
    assert_eq!(
        decisions(&service).await,
        [("owner_removed".to_owned(), removed), ("game_moved".to_owned(), moved)]
    );
}
