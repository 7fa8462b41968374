//! Rows that a newer version of the service wrote, as during a rollout or after a rollback.

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::listings::v1::State::{Published, Unspecified};
use contracts::listings::v1::pages_service_client::PagesServiceClient;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::review::listing_name;
use crate::support::{File, Service, creator, decide, start};

async fn decide_on(service: &Service, decision: proto::Decision, kind: &str, name: &str) {
    let on = (listing_name(kind, name), None);
    let decided = decide(&service.operator_client, decision, on, "A test.").await;
    decided.unwrap();
}

async fn start_with_games(pool: PgPool, games: &[&str]) -> Service {
    let service = start(pool).await;
    let pages = [creator("studio"), creator("other")];
    service.import(&File::rows("page", &pages)).await;
    let accounts = service.accounts().await;
    for game in games {
        accounts.game(game).await;
        decide_on(&service, proto::Decision::Approve, "game", game).await;
    }
    service
}

/// A field of the listing, and a field inside of one that no change names.
#[testing::database_test(listings::MIGRATOR)]
async fn a_field_that_this_version_does_not_know_stays(pool: PgPool) {
    let service = start_with_games(pool.clone(), &["one"]).await;
    let newer = json!({
        "rating": "12",
        "credits": [{"handle": null, "name": "Ada", "role": "", "share": 5}],
    });
    sqlx::query!("update listings.listing set content = content || $1 where name = 'one'", newer)
        .execute(&pool)
        .await
        .unwrap();
    let check = async |tagline: &str| {
        let stored: Value =
            sqlx::query_scalar!("select content from listings.listing where name = 'one'")
                .fetch_one(&pool)
                .await
                .unwrap();
        assert_eq!(stored["tagline"], tagline);
        assert_eq!(stored["rating"], "12", "{tagline}");
        assert_eq!(stored["credits"], newer["credits"], "{tagline}");
    };
    let tagline = json!({"tagline": "By its account"});
    let accounts = service.accounts().await;
    let writing = Some(crate::accounts::writing(accounts.account, &tagline));
    let request = proto::UpdateGameRequest { slug: "one".to_owned(), writing, precondition: None };
    service.games.clone().update_game(request).await.unwrap();
    check("By its account").await;
    for decision in [proto::Decision::TakeDown, proto::Decision::Restore] {
        decide_on(&service, decision, "page", "studio").await;
        check("By its account").await;
    }
    let mut review = StaffReviewServiceClient::new(service.operator_client.clone());
    let request = proto::EditRequest {
        name: Some(listing_name("game", "one")),
        changes: json!({"tagline": "By staff"}).to_string(),
        ..proto::EditRequest::default()
    };
    review.edit(request).await.unwrap();
    check("By staff").await;
    let request = proto::RevertRequest {
        name: Some(listing_name("game", "one")),
        to_revision: 3,
        ..proto::RevertRequest::default()
    };
    review.revert(request).await.unwrap();
    check("By its account").await;
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_state_that_this_version_does_not_know_fails_no_list(pool: PgPool) {
    let service = start_with_games(pool.clone(), &["one", "two"]).await;
    let account_id = service.accounts().await.account.to_string();
    let mut pages = PagesServiceClient::new(service.fleet.clone());
    for handle in ["other", "studio"] {
        let request = proto::ClaimPageRequest {
            account_id: account_id.clone(),
            handle: handle.to_owned(),
            evidence: "A link".to_owned(),
        };
        // The account owns `studio` already.
        let claimed = pages.claim_page(request).await;
        assert_eq!(claimed.is_ok(), handle == "other");
    }
    sqlx::raw_sql(
        "alter table listings.listing drop constraint listing_state;
         update listings.listing set state = 'archived' where name in ('two', 'studio');
         alter table listings.claim drop constraint claim_state;
         update listings.claim set state = 'escalated', decided_at = made_at;",
    )
    .execute(&pool)
    .await
    .unwrap();
    let request = proto::ListOwnListingsRequest {
        account_id: account_id.clone(),
        mode: common::Mode::Live.into(),
        page: None,
    };
    let listed = service.own.clone().list_own_listings(request).await;
    let listed: Vec<contracts::public::OwnListing> =
        serde_json::from_slice(&listed.unwrap().into_inner().json).unwrap();
    let mut states: Vec<(&str, &str)> =
        (listed.iter()).map(|row| (row.slug.as_str(), row.status.as_str())).collect();
    states.sort_unstable();
    assert_eq!(states, [("one", "published"), ("two", "archived")]);
    let mut review = StaffReviewServiceClient::new(service.operator_client.clone());
    let found = review
        .search(proto::SearchRequest::default())
        .await
        .unwrap()
        .into_inner()
        .listings
        .into_iter();
    let found: Vec<_> =
        found.map(|found| (found.name.clone().unwrap().name, found.state())).collect();
    let expected =
        [("one", Published), ("other", Published), ("studio", Unspecified), ("two", Unspecified)];
    assert_eq!(found, expected.map(|(name, state)| (name.to_owned(), state)));
    // A page or a claim that cannot be read is left out.
    let request = proto::ListOwnPagesRequest { account_id: account_id.clone() };
    let own = pages.list_own_pages(request).await.unwrap().into_inner();
    assert_eq!(own.pages, []);
    let claims = pages.list_own_claims(proto::ListOwnClaimsRequest { account_id }).await;
    assert_eq!(claims.unwrap().into_inner().claims, []);
}
