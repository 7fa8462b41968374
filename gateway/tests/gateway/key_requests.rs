//! Requests for live keys: people request a key, staff decide, and the secret is revealed once (§5.2).

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::KeyRequestState;
use contracts::gateway::v1::staff_service_server::StaffService as _;
use kit::{Code, Fault};
use sqlx::PgPool;
use tonic::Status;

use crate::support::{Test, TestKey, account_key, by_operator};

fn request(account: &str) -> proto::RequestKeyRequest {
    proto::RequestKeyRequest {
        account_id: account.to_owned(),
        name: "server".to_owned(),
        ..Default::default()
    }
}

async fn ask_for(
    test: &Test,
    request: proto::RequestKeyRequest,
) -> Result<proto::KeyRequest, Status> {
    let asked = test.staff.request_key(by_operator(request)).await?;
    Ok(asked.into_inner().request.unwrap())
}

/// Requests a live account key; returns the id of the request.
async fn ask(test: &Test, account: &str) -> Result<String, Status> {
    Ok(ask_for(test, request(account)).await?.id)
}

async fn approve(test: &Test, id: &str) -> Result<proto::KeyRequest, Status> {
    let request = proto::ApproveKeyRequest { id: id.to_owned() };
    let approved = test.staff.approve_key(by_operator(request)).await?;
    Ok(approved.into_inner().request.unwrap())
}

async fn reject(test: &Test, id: &str, reason: &str) -> Result<proto::KeyRequest, Status> {
    let request = proto::RejectKeyRequest { id: id.to_owned(), reason: reason.to_owned() };
    let rejected = test.staff.reject_key(by_operator(request)).await?;
    Ok(rejected.into_inner().request.unwrap())
}

async fn reveal(test: &Test, id: &str) -> Result<proto::RevealKeyResponse, Status> {
    let request = proto::RevealKeyRequest { id: id.to_owned() };
    let revealed = test.staff.reveal_key(by_operator(request)).await?;
    Ok(revealed.into_inner())
}

/// The ids of all requests in a state, read in pages of two.
async fn list(test: &Test, state: KeyRequestState) -> Vec<String> {
    let (mut ids, mut cursor) = (Vec::new(), Some(String::new()));
    while let Some(after) = cursor {
        let request =
            proto::ListKeyRequestsRequest { state: state.into(), limit: 2, cursor: after };
        let page = test.staff.list_key_requests(by_operator(request)).await.unwrap().into_inner();
        assert!(page.requests.len() <= 2);
        ids.extend(page.requests.into_iter().map(|request| request.id));
        cursor = page.next_cursor;
    }
    ids
}

fn field_error<T: std::fmt::Debug>(outcome: Result<T, Status>, field: &str) -> String {
    let fault = Fault::from(outcome.unwrap_err());
    assert_eq!(fault.code, Code::Invalid, "{fault}");
    fault.fields[field].clone()
}

#[testing::database_test(gateway::MIGRATOR)]
async fn one_of_many_concurrent_reveals_gets_the_secret(pool: PgPool) {
    let (here, there) = (Test::new(pool.clone()).await, Test::new(pool).await);
    let account = here.account("free").await;
    let id = ask(&here, &account).await.unwrap();
    // Of several concurrent approvals, one changes the request.
    let approvals = futures::future::join_all((0..8).map(|n| {
        let replica = if n % 2 == 0 { &here } else { &there };
        approve(replica, &id)
    }));
    for approved in approvals.await {
        let approved = approved.unwrap();
        assert_eq!((approved.state(), approved.revision), (KeyRequestState::Approved, 2));
    }
    let reveals = futures::future::join_all((0..16).map(|n| {
        let replica = if n % 2 == 0 { &here } else { &there };
        reveal(replica, &id)
    }));
    let (shown, refused): (Vec<_>, Vec<_>) = reveals.await.into_iter().partition(Result::is_ok);
    assert_eq!((shown.len(), refused.len()), (1, 15));
    for outcome in refused {
        assert!(field_error(outcome, "id").contains("revealed before"));
    }
    let secret = shown.into_iter().flatten().next().unwrap().secret;
    let held = TestKey { id, secret };
    assert!(there.get(&held, "/games").await.is_ok());
}

#[testing::database_test(gateway::MIGRATOR)]
async fn concurrent_requests_are_limited_by_the_plan(pool: PgPool) {
    let (here, there) = (Test::new(pool.clone()).await, Test::new(pool).await);
    let account = here.account("free").await;
    let working = here.key(&account, "live").await;
    here.key(&account, "test").await;
    let asked = futures::future::join_all((0..12).map(|n| {
        let replica = if n % 2 == 0 { &here } else { &there };
        ask(replica, &account)
    }));
    let (good, refused): (Vec<_>, Vec<_>) = asked.await.into_iter().partition(Result::is_ok);
    assert_eq!((good.len(), refused.len()), (4, 8), "five, and one works already");
    for outcome in refused {
        let refused = Fault::from(outcome.unwrap_err());
        assert_eq!(refused.code, Code::PlanRequired);
        assert!(refused.message.contains("5 live keys"), "{refused}");
    }
    let ids: Vec<String> = good.into_iter().flatten().collect();

    // Approved and revealed requests still count against the plan.
    let full = async |test: &Test| {
        assert!(ask(test, &account).await.is_err());
        let live = account_key(&account, "live");
        assert!(test.key_like(live).await.is_err());
    };
    full(&here).await;
    approve(&here, &ids[0]).await.unwrap();
    full(&here).await;
    let revealed = reveal(&here, &ids[0]).await.unwrap();
    full(&here).await;
    // A key in its grace period does not count; its successor does.
    let id = revealed.key.unwrap().id;
    let rotation = proto::RotateKeyRequest { id };
    here.staff.rotate_key(by_operator(rotation)).await.unwrap();
    full(&here).await;

    // Rejected requests and revoked keys do not count.
    reject(&here, &ids[1], "No such studio").await.unwrap();
    here.revoke(&working).await;
    ask(&here, &account).await.unwrap();
    ask(&there, &account).await.unwrap();
    full(&here).await;
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_revealed_key_has_the_state_of_its_game(pool: PgPool) {
    let test = Test::new(pool).await;
    crate::keys::publish(&test, "kora", true).await;
    let account = test.account("partner").await;
    let of_game = proto::RequestKeyRequest {
        kind: proto::KeyKind::Secret.into(),
        game: Some("kora".to_owned()),
        ..request(&account)
    };
    let id = ask_for(&test, of_game).await.unwrap().id;
    approve(&test, &id).await.unwrap();
    crate::keys::publish(&test, "kora", false).await;
    let revealed = reveal(&test, &id).await.unwrap();
    assert_eq!(revealed.key.unwrap().game_state(), proto::GameState::Gone);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn requests_are_listed_oldest_first_in_pages(pool: PgPool) {
    let test = Test::new(pool).await;
    let mut asked = Vec::new();
    for _ in 0..5 {
        let account = test.account("free").await;
        asked.push(ask(&test, &account).await.unwrap());
    }
    assert_eq!(list(&test, KeyRequestState::Unspecified).await, asked);
    approve(&test, &asked[1]).await.unwrap();
    reject(&test, &asked[3], "No").await.unwrap();
    let open = [&asked[0], &asked[2], &asked[4]].map(Clone::clone);
    assert_eq!(list(&test, KeyRequestState::Asked).await, open);
    assert_eq!(list(&test, KeyRequestState::Approved).await, [asked[1].clone()]);
    assert_eq!(list(&test, KeyRequestState::Rejected).await, [asked[3].clone()]);
    assert_eq!(list(&test, KeyRequestState::Revealed).await, [""; 0]);
}
