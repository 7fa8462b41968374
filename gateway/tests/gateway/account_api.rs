//! The account API (§10.18): tokens, their scopes, and keys and usage by program.

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::accounts_service_server::AccountsService as _;
use contracts::gateway::v1::staff_service_server::StaffService as _;
use kit::{Code, Fault, timestamp};
use serde_json::{Value, json};
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use tonic::Request;

use crate::accounts::{PERSON, actor, audit};
use crate::support::{START, Test, TestKey, TestResponse, account_key, by_operator};

pub(crate) const ALL: [&str; 7] = [
    "keys:read",
    "keys:write",
    "endpoints:read",
    "endpoints:write",
    "deliveries:read",
    "deliveries:write",
    "usage:read",
];

async fn try_token(
    test: &Test,
    account: &str,
    scopes: &[&str],
    expires_at: Option<OffsetDateTime>,
) -> Result<TestKey, Fault> {
    let request = proto::AccountsServiceCreateTokenRequest {
        actor: Some(actor()),
        account_id: account.to_owned(),
        name: "terraform".to_owned(),
        scopes: scopes.iter().map(ToString::to_string).collect(),
        expires_at: expires_at.map(timestamp::encode),
    };
    let made = test.accounts.create_token(Request::new(request)).await?;
    let made = made.into_inner();
    Ok(TestKey {
        id: made.token.unwrap().id,
        secret: made.secret,
    })
}

pub(crate) async fn token(test: &Test, account: &str, scopes: &[&str]) -> TestKey {
    try_token(test, account, scopes, None).await.unwrap()
}

pub(crate) async fn revoke(
    test: &Test,
    account: &str,
    id: &str,
) -> Result<proto::AccountToken, Fault> {
    let request = proto::AccountsServiceRevokeTokenRequest {
        actor: Some(actor()),
        account_id: account.to_owned(),
        id: id.to_owned(),
    };
    let revoked = test.accounts.revoke_token(Request::new(request)).await?;
    Ok(revoked.into_inner().token.unwrap())
}

async fn tokens(test: &Test, account: &str) -> Vec<proto::AccountToken> {
    let request = proto::AccountsServiceListTokensRequest {
        account_id: account.to_owned(),
    };
    let listed = test.accounts.list_tokens(Request::new(request)).await;
    listed.unwrap().into_inner().tokens
}

pub(crate) async fn post(test: &Test, token: &TestKey, path: &str, body: &Value) -> TestResponse {
    let call = token.request("POST", path);
    test.send(call.body(body.to_string().into()).unwrap()).await
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_token_is_shown_once_listed_and_revoked(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let made = token(&test, &account, &["usage:read", "keys:read"]).await;
    assert!(made.secret.starts_with("svc_acct_"), "{}", made.secret);
    assert_eq!(made.secret.len(), "svc_acct_".len() + 38);
    let listed = tokens(&test, &account).await;
    assert_eq!(listed[0].scopes, ["keys:read", "usage:read"]);
    assert_eq!(listed[0].created_by, PERSON);
    assert!(made.secret.ends_with(&listed[0].last4));
    assert!(test.get(&made, "/account/keys").await.is_ok());
    test.app.last_used.flush(&test.pool).await.unwrap();
    let used = tokens(&test, &account).await[0].last_used_at;
    assert_eq!(used.and_then(timestamp::decode), Some(START));

    // Another account neither sees nor revokes it.
    let other = test.account("free").await;
    assert!(tokens(&test, &other).await.is_empty());
    let refused = revoke(&test, &other, &made.id).await.unwrap_err();
    assert_eq!(refused.code, Code::NotFound);
    // The next call is refused, without the feed.
    for _ in 0..2 {
        let revoked = revoke(&test, &account, &made.id).await.unwrap();
        assert!(revoked.revoked_at.is_some());
        let response = test.get(&made, "/account/keys").await;
        assert_eq!(response.error(), (401, "invalid_key"));
    }
    let entries = audit(&test).await;
    let actions: Vec<&str> = entries.iter().map(|it| it.2.as_str()).collect();
    assert!(actions.contains(&"create_token") && actions.contains(&"revoke_token"));
    assert!(!format!("{entries:?}").contains(&made.secret));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn staff_list_the_tokens_of_an_account_and_revoke_one(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let made = token(&test, &account, &["keys:read"]).await;
    assert!(test.get(&made, "/account/keys").await.is_ok());
    let list = async || {
        let request = by_operator(proto::ListTokensRequest {
            account: account.clone(),
        });
        let listed = test.staff.list_tokens(request).await;
        listed.unwrap().into_inner().tokens
    };
    assert_eq!(list().await, tokens(&test, &account).await);
    let revoke = |id: &str| by_operator(proto::RevokeTokenRequest { id: id.to_owned() });
    let missing = kit::ids::row_id().to_string();
    let missing = test.staff.revoke_token(revoke(&missing)).await;
    assert_eq!(Fault::from(missing.unwrap_err()).code, Code::NotFound);
    test.staff.revoke_token(revoke(&made.id)).await.unwrap();
    assert!(list().await[0].revoked_at.is_some());
    // The next call is refused, without the feed.
    let response = test.get(&made, "/account/keys").await;
    assert_eq!(response.error(), (401, "invalid_key"));
    let entries = audit(&test).await;
    let last = entries.last().unwrap();
    assert_eq!(
        (last.0.as_str(), last.2.as_str()),
        ("operator", "revoke_token")
    );
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_token_ends_with_its_day(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let end = START + Duration::HOUR;
    let made = try_token(&test, &account, &["keys:read"], Some(end)).await;
    let made = made.unwrap();
    assert!(test.get(&made, "/account/keys").await.is_ok());
    test.clock.advance(Duration::HOUR);
    let ended = test.get(&made, "/account/keys").await;
    assert_eq!(ended.error(), (401, "invalid_key"));
    for (scopes, expires, field) in [
        (&[][..], None, "scopes"),
        (&["keys"], None, "scopes"),
        (&["keys:read"], Some(START), "expires_at"),
    ] {
        let fault = try_token(&test, &account, scopes, expires).await;
        let fault = fault.map(|_| ()).unwrap_err();
        assert!(fault.fields.contains_key(field), "{fault:?}");
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn an_account_has_at_most_twenty_tokens(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let first = token(&test, &account, &["keys:read"]).await;
    for _ in 1..20 {
        token(&test, &account, &["keys:read"]).await;
    }
    let more = try_token(&test, &account, &["keys:read"], None).await;
    assert_eq!(more.map(|_| ()).unwrap_err().code, Code::Invalid);
    revoke(&test, &account, &first.id).await.unwrap();
    token(&test, &account, &["keys:read"]).await;
}

/// Calls of the account API, with the scope of each.
fn calls() -> Vec<(&'static str, String, &'static str)> {
    let id = kit::ids::row_id();
    vec![
        ("GET", "/account/keys".to_owned(), "keys:read"),
        ("GET", format!("/account/keys/{id}"), "keys:read"),
        ("POST", "/account/keys".to_owned(), "keys:write"),
        ("POST", format!("/account/keys/{id}/rotate"), "keys:write"),
        ("POST", format!("/account/keys/{id}/revoke"), "keys:write"),
        ("POST", format!("/account/keys/{id}/reveal"), "keys:write"),
        ("GET", "/account/endpoints".to_owned(), "endpoints:read"),
        ("POST", "/account/endpoints".to_owned(), "endpoints:write"),
        (
            "PATCH",
            format!("/account/endpoints/{id}"),
            "endpoints:write",
        ),
        (
            "DELETE",
            format!("/account/endpoints/{id}"),
            "endpoints:write",
        ),
        (
            "POST",
            format!("/account/endpoints/{id}/pause"),
            "endpoints:write",
        ),
        ("GET", "/account/deliveries".to_owned(), "deliveries:read"),
        (
            "POST",
            "/account/deliveries/recover".to_owned(),
            "deliveries:write",
        ),
        ("GET", "/account/usage".to_owned(), "usage:read"),
    ]
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_token_that_has_ended_calls_nothing(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("build").await;
    let end = START + Duration::HOUR;
    let expired = try_token(&test, &account, &ALL, Some(end)).await.unwrap();
    let revoked = token(&test, &account, &ALL).await;
    for ended in [&expired, &revoked] {
        assert!(test.get(ended, "/account/keys").await.is_ok());
    }
    test.clock.advance(Duration::HOUR);
    revoke(&test, &account, &revoked.id).await.unwrap();
    for (method, path, _) in calls() {
        for ended in [&expired, &revoked] {
            let refused = test.call(ended.request(method, &path)).await;
            assert_eq!(refused.error(), (401, "invalid_key"), "{method} {path}");
        }
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn scopes_and_kinds_of_keys_are_kept_apart(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("build").await;
    let calls = calls();
    let live = test.key(&account, "live").await;
    let sample = test.key(&account, "test").await;
    for (method, path, scope) in &calls {
        let others: Vec<&str> = ALL.into_iter().filter(|it| it != scope).collect();
        let without = token(&test, &account, &others).await;
        for caller in [&live, &sample, &without] {
            let refused = test.call(caller.request(method, path)).await;
            assert_eq!(refused.error(), (403, "scope_required"), "{method} {path}");
            let message = refused.json["error"]["message"].as_str().unwrap();
            assert!(message.contains(scope), "{message}");
            assert_eq!(refused.header("ratelimit"), "");
        }
        let with = token(&test, &account, &[scope]).await;
        let response = test.call(with.request(method, path)).await;
        assert_ne!(response.error().1, "scope_required", "{method} {path}");
        for token in [&without, &with] {
            revoke(&test, &account, &token.id).await.unwrap();
        }
    }
    let all = token(&test, &account, &ALL).await;
    for path in [
        "/games",
        "/me",
        "/me/listings",
        "/webhooks/messages",
        "/nowhere",
        "/economy/rates",
    ] {
        let refused = test.get(&all, path).await;
        assert_eq!(refused.error(), (403, "scope_required"), "{path}");
    }
    let tip = post(&test, &all, "/play/tips", &json!({})).await;
    assert_eq!(tip.error(), (403, "scope_required"));
    let page = all
        .get("/account/keys")
        .header("origin", "https://page.example");
    assert_eq!(test.call(page).await.error(), (403, "server_only"));
    assert_eq!(
        test.get(&live, "/account/nothing").await.error(),
        (404, "not_found")
    );
    let wrong = test.call(all.request("DELETE", "/account/keys")).await;
    assert_eq!(wrong.error(), (405, "method_not_allowed"));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_token_has_the_minute_of_the_plan_and_uses_no_month(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let made = token(&test, &account, &["usage:read"]).await;
    for _ in 0..60 {
        let response = test.get(&made, "/account/usage").await;
        assert!(response.is_ok(), "{}", response.text);
        assert_eq!(response.json["data"]["month"]["used"], 0);
    }
    let more = test.get(&made, "/account/usage").await;
    assert_eq!(more.error(), (429, "rate_limited"));
    let key = test.key(&account, "live").await;
    let me = test.get(&key, "/me").await;
    assert_eq!(me.json["data"]["month"]["used"], 1);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn keys_are_made_rotated_and_revoked(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let caller = token(&test, &account, &["keys:read", "keys:write"]).await;
    let body = json!({"name": "ci", "mode": "test", "may_write": true});
    let made = post(&test, &caller, "/account/keys", &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let (key, secret) = (&made.json["data"]["key"], &made.json["data"]["secret"]);
    let id = key["id"].as_str().unwrap();
    assert_eq!(made.header("location"), format!("/v1/account/keys/{id}"));
    assert_eq!(
        (key["state"].as_str(), key["may_write"].as_bool()),
        (Some("working"), Some(true))
    );
    let new = TestKey {
        id: id.to_owned(),
        secret: secret.as_str().unwrap().to_owned(),
    };
    assert!(test.get(&new, "/games").await.is_ok());

    let path = format!("/account/keys/{id}");
    let rotated = post(
        &test,
        &caller,
        &format!("{path}/rotate?grace_seconds=0"),
        &json!({}),
    )
    .await;
    assert!(rotated.is_ok(), "{}", rotated.text);
    assert_eq!(rotated.json["data"]["old_key"]["state"], "expired");
    assert_eq!(test.get(&new, "/games").await.error(), (401, "invalid_key"));
    let next = rotated.json["data"]["key"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let revoke = format!("/account/keys/{next}/revoke");
    let revoked = post(&test, &caller, &revoke, &json!({})).await;
    assert_eq!(revoked.json["data"]["state"], "revoked");
    let again = post(
        &test,
        &caller,
        &format!("/account/keys/{next}/rotate"),
        &json!({}),
    )
    .await;
    assert_eq!(
        (again.error(), again.fields()),
        ((400, "invalid"), vec!["id"])
    );

    // The audit names the token.
    let entries = audit(&test).await;
    let entry = entries.iter().find(|it| it.2 == "rotate_key").unwrap();
    assert_eq!((entry.0.as_str(), entry.1.as_str()), ("terraform", "token"));

    let listed = test.get(&caller, "/account/keys?limit=1").await;
    assert_eq!(listed.json["meta"]["total"], 2);
    let cursor = listed.json["meta"]["next_cursor"].as_str().unwrap();
    let rest = test
        .get(&caller, &format!("/account/keys?limit=1&cursor={cursor}"))
        .await;
    assert_eq!(rest.json["meta"]["next_cursor"], Value::Null);
    assert_ne!(rest.json["data"], listed.json["data"]);
    let one = test.get(&caller, &path).await;
    assert_eq!(one.json["data"]["id"], id);
    assert!(!listed.text.contains("hash") && !listed.text.contains(&new.secret));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_rotated_key_has_the_old_expiry_or_a_new_one(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let caller = token(&test, &account, &ALL).await;
    let body = json!({"name": "ci", "mode": "test", "expires_at": "2026-03-23"});
    let made = post(&test, &caller, "/account/keys", &body).await;
    let mut key = made.json["data"]["key"].clone();
    let old = "2026-03-23T00:00:00.000Z";
    assert_eq!(key["expires_at"], old, "{}", made.text);
    for (query, expires_at) in [
        ("", old),
        ("?expires_at=2027-01-01", "2027-01-01T00:00:00.000Z"),
        (
            "?grace_seconds=0&expires_at=2027-02-01T00:00:00%2B01:00",
            "2027-01-31T23:00:00.000Z",
        ),
    ] {
        let path = format!(
            "/account/keys/{}/rotate{query}",
            key["id"].as_str().unwrap()
        );
        let rotated = post(&test, &caller, &path, &json!({})).await;
        assert!(rotated.is_ok(), "{}", rotated.text);
        let (new, before) = (
            &rotated.json["data"]["key"],
            &rotated.json["data"]["old_key"],
        );
        assert_eq!(new["expires_at"], expires_at);
        assert_eq!(before["expires_at"], key["expires_at"]);
        key = new.clone();
    }
    let path = format!("/account/keys/{}/rotate", key["id"].as_str().unwrap());
    for bad in ["2026-03-22T08:00:00.500Z", "soon"] {
        let query = format!("{path}?grace_seconds=1&expires_at={bad}");
        let refused = post(&test, &caller, &query, &json!({})).await;
        assert_eq!(refused.error(), (400, "invalid"), "{bad}");
        assert_eq!(refused.fields(), ["expires_at", "grace_seconds"], "{bad}");
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_live_key_is_requested_and_revealed_once(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let caller = token(&test, &account, &["keys:read", "keys:write"]).await;
    let body = json!({"name": "production", "mode": "live"});
    let asked = post(&test, &caller, "/account/keys", &body).await;
    assert_eq!(asked.status, 201, "{}", asked.text);
    assert_eq!(asked.json["data"]["secret"], Value::Null);
    assert_eq!(asked.json["data"]["key"]["state"], "requested");
    let id = asked.json["data"]["key"]["id"].as_str().unwrap().to_owned();
    let reveal = format!("/account/keys/{id}/reveal");
    let early = post(&test, &caller, &reveal, &json!({})).await;
    assert_eq!(early.status, 400, "{}", early.text);
    let request = by_operator(proto::ApproveKeyRequest { id: id.clone() });
    test.staff.approve_key(request).await.unwrap();
    let revealed = post(&test, &caller, &reveal, &json!({})).await;
    let secret = revealed.json["data"]["secret"].as_str().unwrap().to_owned();
    let key = TestKey { id, secret };
    assert!(test.get(&key, "/games").await.is_ok());
    let twice = post(&test, &caller, &reveal, &json!({})).await;
    assert_eq!(twice.status, 400, "{}", twice.text);
    let listed = test.get(&caller, "/account/keys").await;
    assert_eq!(
        listed.json["meta"]["total"], 1,
        "the key has the id of its request"
    );
    assert_eq!(listed.json["data"][0]["state"], "working");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn bad_bodies_ids_and_cursors_have_their_answers(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let caller = token(&test, &account, &ALL).await;
    for (body, fields) in [
        (json!({}), vec!["mode", "name"]),
        (
            json!({"mode": "test", "may_write": 1, "kind": "secret"}),
            vec!["game", "may_write", "name"],
        ),
        (
            json!({"mode": 1, "kind": 1, "name": "a", "game": "kora"}),
            vec!["kind", "mode"],
        ),
        (json!({"mode": "both", "name": 5}), vec!["mode", "name"]),
        (json!({"mode": "test"}), vec!["name"]),
        (
            json!({"mode": "test", "name": "a", "kind": "token"}),
            vec!["kind"],
        ),
        (
            json!({"mode": "test", "name": "a", "kind": "secret"}),
            vec!["game"],
        ),
        (
            json!({"mode": "test", "name": "a", "kind": "secret", "game": "a\0b"}),
            vec!["game"],
        ),
        (
            json!({"mode": "test", "name": "a", "secret": "x"}),
            vec!["secret"],
        ),
        (
            json!({"mode": "test", "name": "a", "expires_at": "soon"}),
            vec!["expires_at"],
        ),
        (
            json!({"mode": "test", "name": "a", "may_write": "yes"}),
            vec!["may_write"],
        ),
    ] {
        let refused = post(&test, &caller, "/account/keys", &body).await;
        assert_eq!(refused.error(), (400, "invalid"), "{body}");
        assert_eq!(refused.fields(), fields, "{body}");
    }
    let call = caller.request("POST", "/account/keys");
    let empty = test.send(call.body("".into()).unwrap()).await;
    assert_eq!(empty.error(), (400, "bad_json"));
    let other = test.account("free").await;
    let foreign = test.key(&other, "test").await.id;
    for id in [
        foreign.as_str(),
        "1",
        "%00",
        "a%2fb",
        "00000000-0000-0000-0000-000000000000",
    ] {
        let one = test.get(&caller, &format!("/account/keys/{id}")).await;
        assert_eq!(one.error(), (404, "not_found"), "{id}");
        for action in ["rotate", "revoke", "reveal"] {
            let path = format!("/account/keys/{id}/{action}");
            let refused = post(&test, &caller, &path, &json!({})).await;
            assert_eq!(refused.error(), (404, "not_found"), "{path}");
        }
    }
    let own = token(&test, &account, &["keys:read"]).await;
    let rotate = format!("/account/keys/{}/rotate", own.id);
    assert_eq!(post(&test, &caller, &rotate, &json!({})).await.status, 404);
    test.key_like(account_key(&account, "test")).await.unwrap();
    test.key_like(account_key(&account, "test")).await.unwrap();
    let cursor =
        test.get(&caller, "/account/keys?limit=1").await.json["meta"]["next_cursor"].clone();
    let cursor = cursor.as_str().unwrap().to_owned();
    let neighbour = token(&test, &other, &ALL).await;
    for (caller, query) in [
        (&neighbour, format!("cursor={cursor}")),
        (&caller, "cursor=abc&limit=0".to_owned()),
        (&caller, "limit=0".to_owned()),
    ] {
        let refused = test.get(caller, &format!("/account/keys?{query}")).await;
        assert_eq!(refused.error(), (400, "invalid"), "{query}");
    }
    for (path, field) in [
        ("/account/usage?days=0", "days"),
        ("/account/usage?days=93", "days"),
        ("/account/usage?days=-1", "days"),
        ("/account/deliveries", "endpoint"),
        ("/account/deliveries?endpoint=1", "endpoint"),
    ] {
        let refused = test.get(&caller, path).await;
        assert_eq!(
            (refused.error(), refused.fields()),
            ((400, "invalid"), vec![field]),
            "{path}"
        );
    }
}

pub(crate) async fn changes(
    test: &Test,
    account: &str,
    before: &str,
    limit: u32,
) -> Result<Vec<proto::TokenChange>, Fault> {
    let request = proto::AccountsServiceListTokenChangesRequest {
        account_id: account.to_owned(),
        before: before.to_owned(),
        since: Some(timestamp::encode(START)),
        limit,
    };
    let listed = test.accounts.list_token_changes(Request::new(request));
    Ok(listed.await?.into_inner().changes)
}

#[testing::database_test(gateway::MIGRATOR)]
async fn what_tokens_changed_is_listed_for_their_account(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let caller = token(&test, &account, &["keys:write"]).await;
    let body = json!({"name": "ci", "mode": "test"});
    let made = post(&test, &caller, "/account/keys", &body).await;
    let id = made.json["data"]["key"]["id"].as_str().unwrap();
    let rotate = format!("/account/keys/{id}/rotate");
    assert!(post(&test, &caller, &rotate, &json!({})).await.is_ok());
    let body = json!({"name": "production", "mode": "live"});
    post(&test, &caller, "/account/keys", &body).await;
    // A key that a person makes is no change of a token.
    test.key(&account, "test").await;

    let all = changes(&test, &account, "", 0).await.unwrap();
    let shown: Vec<(&str, &str)> = all
        .iter()
        .map(|it| (it.action.as_str(), it.subject.as_str()))
        .collect();
    let expected = [
        ("request_key", "production"),
        ("rotate_key", "ci"),
        ("create_key", "ci"),
    ];
    assert_eq!(shown, expected);
    let by = all[0].token.as_ref().unwrap();
    assert_eq!(
        (by.id.as_str(), by.name.as_str()),
        (&*caller.id, "terraform")
    );
    assert!(
        all.iter()
            .all(|it| !it.address.is_empty() && it.at.is_some())
    );

    let first = changes(&test, &account, "", 2).await.unwrap();
    assert_eq!(first, all[..2]);
    let rest = changes(&test, &account, &first[1].id, 2).await.unwrap();
    assert_eq!(rest, all[2..]);
    let other = test.account("free").await;
    assert_eq!(changes(&test, &other, "", 0).await.unwrap(), []);
    for (account, before, limit, field) in [
        ("a", "", 0, "account_id"),
        (account.as_str(), "a", 0, "before"),
        (account.as_str(), "", 501, "limit"),
    ] {
        let fault = changes(&test, account, before, limit).await.unwrap_err();
        assert!(fault.fields.contains_key(field), "{fault:?}");
    }
}
