//! An account asks staff to take down a listing of its own.

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_page_service_client::StaffPageServiceClient;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use kit::{Code, Fault};
use sqlx::PgPool;
use uuid::Uuid;

use crate::pictures::start_with_game;
use crate::review::listing_name;
use crate::support::{File, Service, creator, decide};

const STRANGER: Uuid = Uuid::from_u128(77);

async fn ask(
    service: &Service,
    account: Uuid,
    (kind, name): (&str, &str),
    reason: &str,
) -> Result<proto::TakedownRequest, Fault> {
    let request = proto::RequestTakedownRequest {
        account_id: account.to_string(),
        kind: kind.to_owned(),
        name: name.to_owned(),
        reason: reason.to_owned(),
    };
    let made = service.own.clone().request_takedown(request).await?;
    Ok(made.into_inner().request.unwrap())
}

async fn waiting(service: &Service) -> Vec<proto::TakedownRequest> {
    let mut review = StaffReviewServiceClient::new(service.operator_client.clone());
    let request = proto::ListTakedownRequestsRequest::default();
    let listed = review
        .list_takedown_requests(request)
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        usize::try_from(listed.page.unwrap().total).unwrap(),
        listed.requests.len()
    );
    listed.requests
}

async fn decline(
    service: &Service,
    id: &str,
    reason: &str,
) -> Result<proto::TakedownRequest, Fault> {
    let mut review = StaffReviewServiceClient::new(service.operator_client.clone());
    let request = proto::DeclineTakedownRequest {
        id: id.to_owned(),
        reason: reason.to_owned(),
    };
    let declined = review.decline_takedown(request).await?;
    Ok(declined.into_inner().request.unwrap())
}

async fn own(service: &Service, account: Uuid) -> proto::GetOwnListingResponse {
    let request = proto::GetOwnListingRequest {
        account_id: account.to_string(),
        kind: "game".to_owned(),
        name: "a-game".to_owned(),
    };
    let found = service.own.clone().get_own_listing(request).await;
    found.unwrap().into_inner()
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_request_waits_until_staff_take_the_listing_down_or_decline(pool: PgPool) {
    let service = start_with_game(pool).await;
    let ada = service.accounts().await.account;
    let game = ("game", "a-game");
    let first = ask(&service, ada, game, "We lost the rights.")
        .await
        .unwrap();
    assert_eq!(first.state(), proto::TakedownState::Waiting);
    let again = ask(&service, ada, game, "We lost the rights to its music.")
        .await
        .unwrap();
    assert_eq!(again.id, first.id, "one request waits for a listing");
    let listed = waiting(&service).await;
    assert_eq!(listed, [again]);
    assert_eq!(
        (listed[0].reason.as_str(), listed[0].title.as_str()),
        ("We lost the rights to its music.", "A Game")
    );

    let nothing = decline(&service, &first.id, "").await.unwrap_err();
    assert!(nothing.fields.contains_key("reason"), "{nothing}");
    for _ in 0..2 {
        let declined = decline(&service, &first.id, "Replace the music instead.")
            .await
            .unwrap();
        assert_eq!(declined.state(), proto::TakedownState::Declined);
    }
    assert_eq!(waiting(&service).await, []);
    let shown = own(&service, ada).await.takedown.unwrap();
    assert_eq!(shown.answer, "Replace the music instead.");

    let second = ask(&service, ada, game, "We insist.").await.unwrap();
    assert_ne!(second.id, first.id);
    let name = (listing_name("game", "a-game"), None);
    let client = &service.operator_client;
    decide(
        client,
        proto::Decision::TakeDown,
        name,
        "As its studio asked",
    )
    .await
    .unwrap();
    assert_eq!(waiting(&service).await, []);
    let shown = own(&service, ada).await;
    assert_eq!(
        shown.takedown.unwrap().state(),
        proto::TakedownState::Granted
    );
    let late = decline(&service, &second.id, "No").await.unwrap_err();
    assert!(late.fields["id"].contains("taken down"), "{late}");
    let unknown = decline(&service, &Uuid::nil().to_string(), "No")
        .await
        .unwrap_err();
    assert_eq!(unknown.code, Code::NotFound);
}

#[testing::database_test(listings::MIGRATOR)]
async fn only_a_public_listing_of_ones_own_and_with_a_reason(pool: PgPool) {
    let service = start_with_game(pool).await;
    let accounts = service.accounts().await;
    let ada = accounts.account;
    accounts.event("a-jam").await;
    for (account, listing, code) in [
        (STRANGER, ("game", "a-game"), Code::NotFound),
        (STRANGER, ("page", "studio"), Code::NotFound),
        (ada, ("game", "no\0ne"), Code::NotFound),
        (ada, ("genre", "puzzle"), Code::Invalid),
        (ada, ("event", "a-jam"), Code::Invalid),
    ] {
        let refused = ask(&service, account, listing, "x").await.unwrap_err();
        assert_eq!(refused.code, code, "{listing:?}: {refused}");
    }
    for reason in ["", "  ", &"x".repeat(2_001)] {
        let refused = ask(&service, ada, ("game", "a-game"), reason)
            .await
            .unwrap_err();
        assert!(refused.fields.contains_key("reason"), "{refused}");
    }
    assert_eq!(waiting(&service).await, []);
}

#[testing::database_test(listings::MIGRATOR)]
async fn ten_requests_of_an_account_wait_at_most(pool: PgPool) {
    let service = start_with_game(pool).await;
    let ada = service.accounts().await.account;
    let handles: Vec<String> = (0..10).map(|n| format!("page-{n}")).collect();
    let rows: Vec<serde_json::Value> = handles.iter().map(|handle| creator(handle)).collect();
    service.import(&File::rows("page", &rows)).await;
    sqlx::query!(
        "insert into listings.page_owner (page_id, account_id, by_way_of, since)
         select id, $1, 'staff', now() from listings.page where handle like 'page-%'",
        ada
    )
    .execute(&service.pool)
    .await
    .unwrap();
    for handle in &handles {
        ask(&service, ada, ("page", handle), "x").await.unwrap();
    }
    let refused = ask(&service, ada, ("game", "a-game"), "x")
        .await
        .unwrap_err();
    assert_eq!(refused.code, Code::TooManyPending);
    ask(&service, ada, ("page", "page-0"), "y").await.unwrap();
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_request_of_a_former_owner_waits_for_nobody(pool: PgPool) {
    let service = start_with_game(pool).await;
    let ada = service.accounts().await.account;
    ask(&service, ada, ("game", "a-game"), "x").await.unwrap();
    assert_eq!(waiting(&service).await.len(), 1);
    let removal = proto::RemoveOwnerRequest {
        handle: "studio".to_owned(),
        account_id: ada.to_string(),
    };
    let mut pages = StaffPageServiceClient::new(service.operator_client.clone());
    pages.remove_owner(removal).await.unwrap();
    assert_eq!(waiting(&service).await, []);
}
