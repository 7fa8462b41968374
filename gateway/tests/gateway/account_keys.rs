//! Keys and key requests as people manage them in the dashboard.

use contracts::common::v1::Mode;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::KeyRequestState;
use contracts::gateway::v1::accounts_service_server::AccountsService as _;
use contracts::gateway::v1::staff_service_server::StaffService as _;
use gateway::domain::owner_limits::{NEW_KEYS, TEST_KEYS};
use kit::{Code, Fault};
use prost::Message as _;
use sqlx::PgPool;
use time::Duration;
use tonic::{Request, Status};

use crate::accounts::{PERSON, actor, audit};
use crate::support::{NO_REDIS, START, Test, TestConfig, TestKey, by_operator, redis_url};

type Created = Result<proto::CreateKeyResponse, Status>;

async fn create(test: &Test, account: &str) -> Created {
    let request = proto::AccountsServiceCreateKeyRequest {
        actor: Some(actor()),
        account_id: account.to_owned(),
        name: "server".to_owned(),
        ..Default::default()
    };
    let created = test.accounts.create_key(Request::new(request)).await?;
    Ok(created.into_inner())
}

async fn request(test: &Test, account: &str) -> Result<proto::KeyRequest, Status> {
    let request = proto::AccountsServiceRequestKeyRequest {
        actor: Some(actor()),
        account_id: account.to_owned(),
        name: "production".to_owned(),
        may_write: true,
        ..Default::default()
    };
    let requested = test.accounts.request_key(Request::new(request)).await?;
    Ok(requested.into_inner().request.unwrap())
}

async fn reveal(test: &Test, account: &str, id: &str) -> Result<proto::RevealKeyResponse, Status> {
    let request = proto::AccountsServiceRevealKeyRequest {
        actor: Some(actor()),
        account_id: account.to_owned(),
        id: id.to_owned(),
    };
    let revealed = test.accounts.reveal_key(Request::new(request)).await?;
    Ok(revealed.into_inner())
}

async fn rotate(
    test: &Test,
    account: &str,
    id: &str,
    revoke_old: bool,
) -> Result<proto::RotateKeyResponse, Status> {
    let request = proto::AccountsServiceRotateKeyRequest {
        actor: Some(actor()),
        account_id: account.to_owned(),
        id: id.to_owned(),
        revoke_old,
        ..Default::default()
    };
    let rotated = test.accounts.rotate_key(Request::new(request)).await?;
    Ok(rotated.into_inner())
}

async fn revoke(test: &Test, account: &str, id: &str) -> Result<proto::Key, Status> {
    let request = proto::AccountsServiceRevokeKeyRequest {
        actor: Some(actor()),
        account_id: account.to_owned(),
        id: id.to_owned(),
    };
    let revoked = test.accounts.revoke_key(Request::new(request)).await?;
    Ok(revoked.into_inner().key.unwrap())
}

async fn approve(test: &Test, id: &str) {
    let request = by_operator(proto::ApproveKeyRequest { id: id.to_owned() });
    test.staff.approve_key(request).await.unwrap();
}

async fn list(test: &Test, account: &str) -> Vec<String> {
    let request = proto::AccountsServiceListKeysRequest { account_id: account.to_owned() };
    let keys = test.accounts.list_keys(Request::new(request)).await;
    let keys = keys.unwrap().into_inner().keys.into_iter();
    keys.map(|key| key.id).collect()
}

async fn list_requests(test: &Test, account: &str) -> Vec<String> {
    let request = proto::AccountsServiceListKeyRequestsRequest { account_id: account.to_owned() };
    let listed = test.accounts.list_key_requests(Request::new(request)).await;
    let requests = listed.unwrap().into_inner().requests.into_iter();
    requests.map(|request| request.id).collect()
}

fn test_key(key: Option<proto::Key>, secret: String) -> TestKey {
    TestKey { id: key.unwrap().id, secret }
}

fn code<T: std::fmt::Debug>(outcome: Result<T, Status>) -> Code {
    Fault::from(outcome.unwrap_err()).code
}

#[testing::database_test(gateway::MIGRATOR)]
async fn an_owner_creates_a_test_key_and_requests_a_live_one(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let created = create(&test, &account).await.unwrap();
    let sample = test_key(created.key.clone(), created.secret);
    assert_eq!(created.key.unwrap().mode(), Mode::Test);
    assert!(sample.secret.starts_with("svc_test_"));
    assert!(test.get(&sample, "/games").await.is_ok());

    let asked = request(&test, &account).await.unwrap();
    assert_eq!((asked.state(), asked.may_write), (KeyRequestState::Asked, true));
    assert_eq!(code(reveal(&test, &account, &asked.id).await), Code::Invalid);
    approve(&test, &asked.id).await;
    let revealed = reveal(&test, &account, &asked.id).await.unwrap();
    let live = test_key(revealed.key, revealed.secret);
    assert!(live.secret.starts_with("svc_live_"));
    assert!(test.get(&live, "/games").await.is_ok());
    assert_eq!(code(reveal(&test, &account, &asked.id).await), Code::Invalid);

    assert_eq!(list(&test, &account).await, [live.id.clone(), sample.id.clone()]);
    let published = sqlx::query!(
        "select entity, event, revision, state from gateway.feed where id = $1 order by seq",
        asked.id
    )
    .fetch_all(&test.pool)
    .await
    .unwrap();
    let events: Vec<(&str, i64)> =
        published.iter().map(|row| (row.event.as_str(), row.revision)).collect();
    let expected = [("asked", 1), ("approved", 2), ("revealed", 3), ("created", 1)];
    assert_eq!(events, expected);
    revoke(&test, &account, &live.id).await.unwrap();
    assert_eq!(test.get(&live, "/games").await.error(), (401, "invalid_key"));
    let actions: Vec<(String, String)> = audit(&test)
        .await
        .into_iter()
        .filter(|entry| entry.0 == PERSON)
        .map(|entry| (entry.1, entry.2))
        .collect();
    let by_person = |action: &str| ("person".to_owned(), action.to_owned());
    let expected = ["create_key", "request_key", "reveal_key", "revoke_key"];
    assert_eq!(actions, expected.map(by_person));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_keys_and_requests_of_another_account_are_not_found(pool: PgPool) {
    let test = Test::new(pool).await;
    let (owner, other) = (test.account("free").await, test.account("free").await);
    let created = create(&test, &owner).await.unwrap();
    let key = test_key(created.key, created.secret);
    let asked = request(&test, &owner).await.unwrap();
    approve(&test, &asked.id).await;

    let before = audit(&test).await.len();
    assert_eq!(code(revoke(&test, &other, &key.id).await), Code::NotFound);
    assert_eq!(code(rotate(&test, &other, &key.id, false).await), Code::NotFound);
    assert_eq!(code(reveal(&test, &other, &asked.id).await), Code::NotFound);
    assert_eq!(list(&test, &other).await, [""; 0]);
    assert_eq!(list_requests(&test, &other).await, [""; 0]);
    assert_eq!(audit(&test).await.len(), before);
    // A key of another account and an unknown key get the same message.
    let nothing = kit::ids::row_id().to_string();
    let words = async |id: &str| {
        let refused = revoke(&test, &other, id).await.unwrap_err();
        Fault::from(refused).message
    };
    assert_eq!(words(&key.id).await, words(&nothing).await);
    assert!(test.get(&key, "/games").await.is_ok());
    reveal(&test, &owner, &asked.id).await.unwrap();
}

#[testing::database_test(gateway::MIGRATOR)]
async fn open_requests_of_an_account_are_listed_first(pool: PgPool) {
    let test = Test::new(pool).await;
    let (account, other) = (test.account("free").await, test.account("free").await);
    let mut asked = Vec::new();
    for _ in 0..5 {
        asked.insert(0, request(&test, &account).await.unwrap().id);
        request(&test, &other).await.unwrap();
    }
    approve(&test, &asked[4]).await;
    for id in [&asked[0], &asked[2]] {
        let request = by_operator(proto::RejectKeyRequest {
            id: id.clone(),
            reason: "No such studio".to_owned(),
        });
        test.staff.reject_key(request).await.unwrap();
    }
    let expected = [1, 3, 4, 0, 2].map(|place| asked[place].clone());
    assert_eq!(list_requests(&test, &account).await, expected);
}

/// The account that ended a request, as the response says it; empty for staff.
fn ended_by(request: &proto::KeyRequest) -> &str {
    let ended = request.ended.as_ref().unwrap();
    assert_eq!(ended.at, Some(kit::api::timestamp::encode(START)));
    assert_eq!(request.state(), KeyRequestState::Rejected);
    &ended.by_account
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_request_names_who_ended_it_first(pool: PgPool) {
    let test = Test::new(pool).await;
    let (account, other) = (test.account("free").await, test.account("free").await);
    let withdrawn = request(&test, &account).await.unwrap().id;
    let rejected = request(&test, &account).await.unwrap().id;
    let stays = request(&test, &account).await.unwrap().id;
    approve(&test, &withdrawn).await;
    let withdraw = async |account: &str, id: &str| {
        let request = proto::WithdrawKeyRequestRequest {
            actor: Some(actor()),
            account_id: account.to_owned(),
            id: id.to_owned(),
        };
        let withdrawn = test.accounts.withdraw_key_request(Request::new(request)).await?;
        Ok(withdrawn.into_inner().request.unwrap())
    };
    let reject = async |id: &str| {
        let reason = "No such studio".to_owned();
        let request = by_operator(proto::RejectKeyRequest { id: id.to_owned(), reason });
        test.staff.reject_key(request).await.unwrap().into_inner().request.unwrap()
    };
    assert_eq!(code(withdraw(&other, &withdrawn).await), Code::NotFound);
    for _ in 0..2 {
        let request = withdraw(&account, &withdrawn).await.unwrap();
        assert_eq!(ended_by(&request), account);
    }
    assert_eq!(ended_by(&reject(&withdrawn).await), account, "staff came too late");
    assert_eq!(ended_by(&reject(&rejected).await), "");
    let late = withdraw(&account, &rejected).await.unwrap();
    assert_eq!(ended_by(&late), "", "the account came too late");
    assert_eq!(late.ended.unwrap().reason, "No such studio");
    // Not `rejected`, about which people get a mail: staff did nothing.
    for (id, expected) in [
        (&withdrawn, ["asked", "approved", "withdrawn"].as_slice()),
        (&rejected, ["asked", "rejected"].as_slice()),
    ] {
        let published = sqlx::query!(
            "select entity, event, revision, state from gateway.feed where id = $1 order by seq",
            id,
        )
        .fetch_all(&test.pool)
        .await
        .unwrap();
        let events: Vec<&str> = published.iter().map(|row| row.event.as_str()).collect();
        assert_eq!(events, expected);
        let last = proto::KeyRequest::decode(published.last().unwrap().state.as_slice()).unwrap();
        let account = if id == &withdrawn { &*account } else { "" };
        assert_eq!(ended_by(&last), account);
    }
    for id in [&withdrawn, &rejected] {
        assert_eq!(code(reveal(&test, &account, id).await), Code::Invalid);
    }
    approve(&test, &stays).await;
    let revealed = reveal(&test, &account, &stays).await.unwrap();
    assert_eq!(revealed.key.unwrap().id, stays);
    // Staff see who ended each in their list of requests without a key.
    let list = proto::ListKeyRequestsRequest {
        state: KeyRequestState::Rejected.into(),
        ..proto::ListKeyRequestsRequest::default()
    };
    let listed = test.staff.list_key_requests(by_operator(list)).await.unwrap().into_inner();
    let by: Vec<&str> = listed.requests.iter().map(ended_by).collect();
    assert_eq!(by, [&*account, ""]);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_closed_account_has_no_key_and_no_request_for_one(pool: PgPool) {
    let test = Test::new(pool).await;
    let (account, other) = (test.account("free").await, test.account("free").await);
    let created = create(&test, &account).await.unwrap();
    let sample = test_key(created.key, created.secret);
    let waits = request(&test, &account).await.unwrap().id;
    let asked = request(&test, &account).await.unwrap().id;
    let revealed = request(&test, &account).await.unwrap().id;
    let others = request(&test, &other).await.unwrap().id;
    for id in [&asked, &revealed, &others] {
        approve(&test, id).await;
    }
    reveal(&test, &account, &revealed).await.unwrap();
    let theirs = create(&test, &other).await.unwrap();
    let theirs = test_key(theirs.key, theirs.secret);
    assert!(test.get(&sample, "/games").await.is_ok());
    for _ in 0..2 {
        let request =
            proto::CloseAccountRequest { actor: Some(actor()), account_id: account.clone() };
        let closed = test.accounts.close_account(Request::new(request));
        closed.await.unwrap();
    }
    let refused = (401, "invalid_key");
    assert_eq!(test.get(&sample, "/games").await.error(), refused);
    assert_eq!(code(reveal(&test, &account, &asked).await), Code::Invalid);
    let list = proto::AccountsServiceListKeyRequestsRequest { account_id: account.clone() };
    let listed =
        test.accounts.list_key_requests(Request::new(list)).await.unwrap().into_inner().requests;
    let find = |id: &str| listed.iter().find(|it| it.id == id).unwrap();
    for id in [&waits, &asked] {
        assert_eq!(ended_by(find(id)), account);
    }
    assert_eq!(find(&revealed).state(), KeyRequestState::Revealed);
    assert_eq!(find(&revealed).ended, None);
    reveal(&test, &other, &others).await.unwrap();
    assert!(test.get(&theirs, "/games").await.is_ok());
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_form_that_is_sent_twice_creates_one_key(pool: PgPool) {
    let test = Test::new(pool).await;
    let (account, other) = (test.account("free").await, test.account("free").await);
    let form = kit::ids::row_id().to_string();
    let create = async |account: &str| {
        let request = proto::AccountsServiceCreateKeyRequest {
            actor: Some(actor()),
            account_id: account.to_owned(),
            name: "server".to_owned(),
            form_id: form.clone(),
            ..Default::default()
        };
        let created = test.accounts.create_key(Request::new(request)).await.unwrap().into_inner();
        (created.key.unwrap(), created.secret)
    };
    let (one, two) = futures::join!(create(&account), create(&account));
    assert_eq!(one.0, two.0);
    assert_ne!(one.1.is_empty(), two.1.is_empty(), "one answer has the secret");
    assert_eq!(one.0.seen_by, actor().person_id);
    // The form of another account is another one.
    assert_ne!(create(&other).await.0.id, one.0.id);

    let rotate = async || {
        let request = proto::AccountsServiceRotateKeyRequest {
            actor: Some(actor()),
            account_id: account.clone(),
            id: one.0.id.clone(),
            form_id: kit::ids::row_id().to_string(),
            ..Default::default()
        };
        let (first, second) = (request.clone(), request);
        let first = test.accounts.rotate_key(Request::new(first)).await.unwrap();
        let second = test.accounts.rotate_key(Request::new(second)).await;
        (first.into_inner(), second.unwrap().into_inner())
    };
    let (first, second) = rotate().await;
    assert_eq!(first.key, second.key);
    assert_eq!(first.old_key, second.old_key);
    assert!(!first.secret.is_empty() && second.secret.is_empty());
    assert_eq!(list(&test, &account).await.len(), 2);

    let ask = async || {
        let request = proto::AccountsServiceRequestKeyRequest {
            actor: Some(actor()),
            account_id: account.clone(),
            name: "production".to_owned(),
            form_id: form.clone(),
            ..Default::default()
        };
        let asked = test.accounts.request_key(Request::new(request)).await;
        asked.unwrap().into_inner().request.unwrap()
    };
    let (one, two) = futures::join!(ask(), ask());
    assert_eq!(one, two);
    assert_eq!(list_requests(&test, &account).await, [one.id]);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_key_names_the_person_who_has_seen_its_secret(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let asked = request(&test, &account).await.unwrap().id;
    approve(&test, &asked).await;
    let ada = actor().person_id;
    let revealed = reveal(&test, &account, &asked).await.unwrap();
    assert_eq!(revealed.key.unwrap().seen_by, ada);
    // Bob rotates it: nobody else has seen the new secret.
    let bob = kit::ids::row_id().to_string();
    let request = proto::AccountsServiceRotateKeyRequest {
        actor: Some(proto::Actor { person_id: bob.clone(), ..actor() }),
        account_id: account.clone(),
        id: asked.clone(),
        ..Default::default()
    };
    test.accounts.rotate_key(Request::new(request)).await.unwrap();
    let of_staff = test.key(&account, "live").await.id;
    let request = proto::AccountsServiceListKeysRequest { account_id: account.clone() };
    let keys = test.accounts.list_keys(Request::new(request)).await;
    let keys = keys.unwrap().into_inner().keys;
    let seen_by = |id: &str| keys.iter().find(|key| key.id == id).unwrap().seen_by.clone();
    assert_eq!(seen_by(&asked), ada);
    assert_eq!(seen_by(&of_staff), "");
    let new = keys.iter().find(|key| key.id != asked && key.id != of_staff);
    assert_eq!(new.unwrap().seen_by, bob);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_rotation_stops_the_old_secret_at_once_or_after_a_day(pool: PgPool) {
    let mut test = Test::new(pool).await;
    let account = test.account("free").await;
    let created = create(&test, &account).await.unwrap();
    let first = test_key(created.key, created.secret);
    let rotated = rotate(&test, &account, &first.id, false).await.unwrap();
    assert_eq!(
        rotated.old_key.unwrap().grace_until,
        Some(kit::api::timestamp::encode(START + Duration::DAY))
    );
    let second = test_key(rotated.key, rotated.secret);
    test.catch_up().await;
    for key in [&first, &second] {
        assert!(test.get(key, "/games").await.is_ok());
    }
    let me = test.get(&first, "/me").await;
    let expires_at = &me.json["data"]["key"]["expires_at"];
    assert_eq!(expires_at, "2026-03-23T08:00:00.500Z");
    test.clock.advance(Duration::DAY);
    let refused = (401, "invalid_key");
    assert_eq!(test.get(&first, "/games").await.error(), refused);

    // The old secret is refused even before a gateway has read the feed.
    assert!(test.get(&second, "/games").await.is_ok());
    let rotated = rotate(&test, &account, &second.id, true).await.unwrap();
    assert_eq!(test.get(&second, "/games").await.error(), refused);
    let third = test_key(rotated.key, rotated.secret);
    assert!(test.get(&third, "/games").await.is_ok());
}

#[testing::database_test(gateway::MIGRATOR)]
async fn rotations_add_neither_quota_nor_working_secrets(pool: PgPool) {
    for redis in [redis_url(), NO_REDIS.to_owned()] {
        let config = TestConfig { redis, ..TestConfig::default() };
        let mut test = Test::with(pool.clone(), config).await;
        let account = test.account("free").await;
        let created = create(&test, &account).await.unwrap();
        let mut keys = vec![test_key(created.key, created.secret)];
        for _ in 0..10 {
            let newest = &keys.last().unwrap().id;
            let rotated = rotate(&test, &account, newest, false).await.unwrap();
            keys.push(test_key(rotated.key, rotated.secret));
        }
        test.catch_up().await;
        let mut passed = Vec::new();
        for key in &keys {
            let mut calls = 0;
            for _ in 0..60 {
                calls += usize::from(test.get(key, "/games").await.is_ok());
            }
            passed.push(calls);
        }
        // The key before the newest is in its grace period, and shares the newest one's minute.
        assert_eq!(passed, [0, 0, 0, 0, 0, 0, 0, 0, 0, 60, 0]);
        assert_eq!(test.get(&keys[8], "/games").await.error(), (401, "invalid_key"));
        assert_eq!(test.get(&keys[10], "/games").await.error(), (429, "rate_limited"));
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_test_keys_and_new_keys_of_an_account_are_limited(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let mut newest = String::new();
    for _ in 0..TEST_KEYS {
        newest = create(&test, &account).await.unwrap().key.unwrap().id;
    }
    let full = Fault::from(create(&test, &account).await.unwrap_err());
    assert_eq!(full.code, Code::Invalid);
    assert!(full.fields["mode"].contains("Revoke one"));
    // Neither staff nor another account are limited.
    test.key(&account, "test").await;
    create(&test, &test.account("free").await).await.unwrap();
    // Rotations replace a key, but count as new keys.
    for _ in TEST_KEYS + 1..NEW_KEYS {
        let rotated = rotate(&test, &account, &newest, false).await.unwrap();
        newest = rotated.key.unwrap().id;
    }
    assert_eq!(code(rotate(&test, &account, &newest, false).await), Code::RateLimited);
    let refused = Fault::from(request(&test, &account).await.unwrap_err());
    assert_eq!(refused.code, Code::RateLimited);
    assert_eq!(refused.retry_after, Some(86_401), "all were made just now");
    test.clock.advance(Duration::DAY);
    rotate(&test, &account, &newest, false).await.unwrap();
    request(&test, &account).await.unwrap();
}
