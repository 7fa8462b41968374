//! An account withdraws what is pending.

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::listings::v1::pages_service_client::PagesServiceClient;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use kit::{Code, Fault};
use listings::write::limits::MAX_UNPUBLISHED_PAGES;
use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use crate::accounts::Accounts;
use crate::review::listing_name;
use crate::support::{File, MAX_PENDING, Service, creator, decide, start};

async fn start_with_page(pool: PgPool) -> Service {
    let service = start(pool).await.with_gazetteer().await;
    service
        .import(&File::rows("page", &[creator("studio")]))
        .await;
    service
}

async fn withdraw(
    service: &Service,
    account: Uuid,
    kind: &str,
    name: &str,
) -> Result<proto::Written, Fault> {
    let request = proto::WithdrawListingRequest {
        account_id: account.to_string(),
        kind: kind.to_owned(),
        name: name.to_owned(),
    };
    let withdrawn = service.own.clone().withdraw_listing(request).await?;
    Ok(withdrawn.into_inner().written.unwrap())
}

#[testing::database_test(listings::MIGRATOR)]
async fn what_is_withdrawn_waits_no_more_and_can_be_submitted_again(pool: PgPool) {
    let service = start_with_page(pool).await;
    let accounts: Accounts<'_> = service.accounts().await;
    let (ada, bob) = (accounts.account, Uuid::from_u128(77));
    accounts.game("a-game").await;
    accounts.event("a-jam").await;
    accounts.page("a-page").await;
    assert_eq!(MAX_PENDING, 3, "the queue of the account is full");
    for (kind, name) in [("game", "a-game"), ("event", "a-jam"), ("page", "a-page")] {
        let strange = withdraw(&service, bob, kind, name).await.unwrap_err();
        assert_eq!(strange.code, Code::NotFound, "{kind}");
        for _ in 0..2 {
            let withdrawn = withdraw(&service, ada, kind, name).await.unwrap();
            assert_eq!(
                (withdrawn.state(), withdrawn.revision),
                (proto::State::Rejected, 2),
                "{kind}"
            );
        }
    }
    let mut review = StaffReviewServiceClient::new(service.operator_client.clone());
    let queue = review.list_queue(proto::ListQueueRequest::default()).await;
    assert_eq!(queue.unwrap().into_inner().items, []);
    let request = proto::ListOwnListingsRequest {
        account_id: ada.to_string(),
        mode: common::Mode::Live.into(),
        page: None,
    };
    let own = service.own.clone().list_own_listings(request).await;
    let own: serde_json::Value = serde_json::from_slice(&own.unwrap().into_inner().json).unwrap();
    for row in own.as_array().unwrap() {
        assert_eq!(row["status"], "rejected");
        assert_eq!(row["reason"], "Withdrawn by its account.");
    }

    accounts.edit("a-game", json!({"title": "Better"})).await;
    let again = (listing_name("game", "a-game"), Some(3));
    let client = &service.operator_client;
    decide(client, proto::Decision::Approve, again, "")
        .await
        .unwrap();
    let public = withdraw(&service, ada, "game", "a-game").await.unwrap_err();
    assert!(public.fields["name"].contains("is public"), "{public}");
    let kind = withdraw(&service, ada, "genre", "puzzle")
        .await
        .unwrap_err();
    assert!(kind.fields.keys().eq(["kind"]), "{kind}");
    let nobody = withdraw(&service, ada, "game", "no\0ne").await.unwrap_err();
    assert_eq!(nobody.code, Code::NotFound);
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
    let service = start_with_page(pool).await;
    let account = Uuid::from_u128(5);
    for number in 0..MAX_UNPUBLISHED_PAGES {
        let handle = format!("page-{number}");
        submit_page(&service, account, &handle).await.unwrap();
        withdraw(&service, account, "page", &handle).await.unwrap();
    }
    let refused = submit_page(&service, account, "one-more").await;
    let refused = refused.unwrap_err();
    assert_eq!(refused.code, Code::TooManyPending);
    assert!(refused.message.contains("Change one"), "{refused:?}");
    let other = Uuid::from_u128(6);
    submit_page(&service, other, "one-more").await.unwrap();
    // A page that becomes public makes room.
    let shown = sqlx::query!(
        "update listings.page set state = 'published', first_published_at = updated_at where handle = 'page-0'"
    );
    shown.execute(&service.pool).await.unwrap();
    submit_page(&service, account, "another").await.unwrap();
}
