//! Keys (§5).

use e2e::{Client, Fleet, KeyRequest, Staff};
use reqwest::Method;

#[tokio::test]
async fn what_is_not_shaped_like_a_key_is_a_missing_key() {
    let fleet = Fleet::shared();
    let client = Client::anonymous(&fleet);
    client.get("/games").await.assert_error(401, "missing_key");
    client
        .get("/no/such/path")
        .await
        .assert_error(401, "missing_key");
    let key = &fleet.account("unlimited").keys.test;
    for value in [
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        "Bearer hello".to_owned(),
        format!("Basic {key}"),
        key.clone(),
        format!("Bearer {key} {key}"),
        "Bearer svc_test_short".to_owned(),
        format!("Bearer svc_test_{}", "a".repeat(129)),
        format!("Bearer svc_demo_{}", "a".repeat(38)),
    ] {
        let request = client
            .request(Method::GET, "/games")
            .header("authorization", &value);
        client.send(request).await.assert_error(401, "missing_key");
    }
    let twice = client
        .request(Method::GET, "/games")
        .bearer_auth(key)
        .bearer_auth(key);
    client.send(twice).await.assert_error(401, "missing_key");
    let lower = client
        .request(Method::GET, "/games")
        .header("authorization", format!("bearer {key}"));
    assert_eq!(
        client.send(lower).await.status,
        200,
        "the scheme is read without case"
    );
}

#[tokio::test]
async fn a_key_that_is_shaped_right_and_not_known_is_invalid() {
    let fleet = Fleet::shared();
    let keys = &fleet.account("unlimited").keys;
    let mut mistyped = keys.live.clone().into_bytes();
    let last = mistyped.last_mut().unwrap();
    *last = if *last == b'A' { b'B' } else { b'A' };
    let mistyped = String::from_utf8(mistyped).unwrap();
    for key in [
        &mistyped,
        &format!("svc_live_{}", "a".repeat(38)),
        &keys.revoked,
    ] {
        Client::new(&fleet, key)
            .get("/games")
            .await
            .assert_error(401, "invalid_key");
    }
}

#[tokio::test]
async fn the_next_call_after_a_revocation_is_refused() {
    let fleet = Fleet::shared();
    let mut staff = Staff::of(&fleet).await;
    let account = staff.account("unlimited").await;
    for mode in ["live", "test"] {
        let (key, secret) = staff
            .key(
                &account,
                KeyRequest {
                    mode,
                    ..KeyRequest::default()
                },
            )
            .await;
        let client = Client::new(&fleet, &secret);
        for _ in 0..3 {
            assert_eq!(client.get("/games?limit=1").await.status, 200);
        }
        staff.revoke(&key).await;
        client
            .get("/games?limit=1")
            .await
            .assert_error(401, "invalid_key");
        client.get("/me").await.assert_error(401, "invalid_key");
    }
}

#[tokio::test]
async fn both_secrets_work_after_a_rotation() {
    let fleet = Fleet::shared();
    let mut staff = Staff::of(&fleet).await;
    let account = staff.account("unlimited").await;
    let (key, old) = staff.key(&account, KeyRequest::default()).await;
    assert_eq!(Client::new(&fleet, &old).get("/me").await.status, 200);
    let new = staff.rotate(&key).await;
    assert_ne!(old, new);
    assert_eq!(Client::new(&fleet, &new).get("/me").await.status, 200);
    assert_eq!(
        Client::new(&fleet, &old).get("/me").await.status,
        200,
        "the old one works through the grace period"
    );
}
