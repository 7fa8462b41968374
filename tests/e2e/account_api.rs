//! The account API (§10.18) on a running fleet: every route, with tokens of two accounts.

use contracts::gateway::v1 as proto;
use contracts::public::{AccountEndpoint, AccountKey, AccountUsage, NewAccountKey};
use e2e::{AccountTokens, Client, Fleet, NewAccount, Response, Staff, eventually};
use reqwest::Method;
use serde_json::{Value, json};

/// An account, and the calls of the dashboard.
struct Owner {
    fleet: Fleet,
    staff: Staff,
    account: NewAccount,
    tokens: AccountTokens,
}

impl Owner {
    async fn new(plan: &str) -> Self {
        let fleet = Fleet::shared();
        let mut staff = Staff::of(&fleet).await;
        let account = staff.account(plan).await;
        Self {
            tokens: AccountTokens::of(&fleet).await,
            fleet,
            staff,
            account,
        }
    }

    /// A caller with a new token, and the id of the token.
    async fn token(&mut self, scopes: &[&str]) -> (Client, String) {
        let made = self.tokens.create(&self.account, scopes).await;
        (Client::new(&self.fleet, &made.secret), made.id)
    }
}

async fn call(client: &Client, method: Method, path: &str, body: Value) -> Response {
    let request = client.request(method, path);
    client.send(request.json(&body)).await
}

async fn post(client: &Client, path: &str) -> Response {
    client.send(client.request(Method::POST, path)).await
}

fn shaped<T: serde::de::DeserializeOwned + serde::Serialize>(value: &Value) -> T {
    let shaped: T = serde_json::from_value(value.clone()).unwrap();
    assert_eq!(serde_json::to_value(&shaped).unwrap(), *value);
    shaped
}

#[tokio::test]
async fn a_program_makes_keys_and_ends_them() {
    let mut owner = Owner::new("free").await;
    let (client, _) = owner.token(&["keys:read", "keys:write"]).await;
    let body = json!({"name": "ci", "mode": "test"});
    let made = call(&client, Method::POST, "/account/keys", body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let made: NewAccountKey = shaped(made.data());
    let key = Client::new(&owner.fleet, &made.secret.unwrap());
    key.get("/games?limit=1").await.data();
    let path = format!("/account/keys/{}", made.key.id);
    let one: AccountKey = shaped(client.get(&path).await.data());
    assert_eq!(one.state, "working");
    let rotated = post(&client, &format!("{path}/rotate")).await;
    let next = rotated.data()["key"]["id"].as_str().unwrap().to_owned();
    assert_eq!(rotated.data()["old_key"]["state"], "rotated");
    key.get("/games?limit=1").await.data();
    post(&client, &format!("{path}/revoke")).await.data();
    let ended = key.get("/games?limit=1").await;
    ended.assert_error(401, "invalid_key");

    // A live key waits for staff.
    let body = json!({"name": "production", "mode": "live", "may_write": true});
    let asked = call(&client, Method::POST, "/account/keys", body).await;
    let id = asked.data()["key"]["id"].as_str().unwrap().to_owned();
    let reveal = format!("/account/keys/{id}/reveal");
    post(&client, &reveal).await.assert_error(400, "invalid");
    let approve = proto::ApproveKeyRequest { id: id.clone() };
    owner.staff.gateway.approve_key(approve).await.unwrap();
    let revealed: NewAccountKey = shaped(post(&client, &reveal).await.data());
    let live = Client::new(&owner.fleet, &revealed.secret.unwrap());
    assert_eq!(live.get("/me").await.data()["key"]["may_write"], true);

    let rows = client.all("/account/keys", 2).await;
    let ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    let mut expected = [made.key.id.as_str(), next.as_str(), id.as_str()];
    expected.sort_unstable();
    assert_eq!(ids, expected);
}

#[tokio::test]
async fn a_program_looks_after_endpoints_and_deliveries() {
    let mut owner = Owner::new("unlimited").await;
    let (client, _) = owner.token(&AccountTokens::ALL_SCOPES).await;
    let body = json!({"url": "https://hooks.example/in", "events": ["tip.paid"]});
    let added = eventually("webhook-svc knows the account", async || {
        let added = call(&client, Method::POST, "/account/endpoints", body.clone()).await;
        (added.status == 201).then_some(added)
    })
    .await;
    let secret = added.data()["secret"].as_str().unwrap().to_owned();
    assert!(secret.starts_with("svc_whsec_"));
    let endpoint: AccountEndpoint = shaped(&added.data()["endpoint"]);
    let path = format!("/account/endpoints/{}", endpoint.id);
    let change = json!({"events": ["tip.paid", "listing.updated"], "rate_limit": 5});
    let changed = call(&client, Method::PATCH, &path, change).await;
    assert_eq!(changed.data()["rate_limit"], 5);
    for (action, field, value) in [
        ("pause", "state", json!("paused")),
        ("resume", "state", json!("on")),
    ] {
        let done = post(&client, &format!("{path}/{action}")).await;
        assert_eq!(done.data()[field], value, "{action}");
    }
    let rotated = post(&client, &format!("{path}/rotate-secret")).await;
    assert_ne!(rotated.data()["secret"], secret.as_str());
    assert!(rotated.data()["endpoint"]["rotating_until"].is_string());
    let switched = post(&client, &format!("{path}/switch-secret")).await;
    assert_eq!(switched.data()["rotating_until"], Value::Null);
    let list = client.get("/account/endpoints").await;
    assert_eq!(list.body["meta"]["total"], 1);
    assert!(!list.text.contains("whsec_"), "{}", list.text);

    let sent = post(&client, &format!("{path}/test?event=tip.paid")).await;
    let delivery = sent.data()["delivery"]["id"].as_str().unwrap().to_owned();
    let query = format!("endpoint={}", endpoint.id);
    let listed = client.get(&format!("/account/deliveries?{query}")).await;
    assert_eq!(listed.data()[0]["id"], delivery.as_str());
    let one = format!("/account/deliveries/{delivery}?{query}");
    let shown = client.get(&one).await;
    assert!(shown.data()["body"].as_str().unwrap().contains("tip.paid"));
    let again = format!("/account/deliveries/{delivery}/send-again?{query}");
    assert_eq!(
        post(&client, &again).await.data()["delivery"]["state"],
        "waiting"
    );
    let recover = format!("/account/deliveries/recover?{query}&since=2026-01-01T00:00:00Z");
    let counted = post(&client, &format!("{recover}&dry_run=true")).await;
    assert_eq!(counted.data()["dry_run"], true);
    post(&client, &recover).await.data();
    post(&client, &format!("{path}/pause")).await.data();
    for waits in [&again, &recover, &format!("{path}/test")] {
        let answer = post(&client, waits).await;
        let next = answer.data()["next"].as_str().unwrap();
        assert!(next.contains("until it is resumed"), "{waits}: {next}");
    }
    post(&client, &format!("{path}/resume")).await.data();

    let bad = json!({"url": "http://a.example", "events": [], "rate_limit": 20_000});
    assert_hidden_from_others((&path, &query, &one), (&again, &recover), &bad).await;
    let refused = call(&client, Method::PATCH, &path, bad).await;
    refused.assert_error(400, "invalid");
    let fields = refused.body["fields"].as_object().unwrap();
    assert!(
        fields.keys().eq(["events", "rate_limit", "url"]),
        "{}",
        refused.text
    );
    let removed = client.send(client.request(Method::DELETE, &path)).await;
    assert_eq!(removed.data()["removed"], true);
    client.get(&path).await.assert_error(404, "not_found");
    assert_changes_are_listed(&mut owner).await;
}

/// Nothing of an endpoint and of a delivery is another account's, whatever else is wrong with a call.
async fn assert_hidden_from_others(
    (path, query, one): (&str, &str, &str),
    (again, recover): (&str, &str),
    bad: &Value,
) {
    let mut other = Owner::new("unlimited").await;
    let (stranger, _) = other.token(&AccountTokens::ALL_SCOPES).await;
    for method in [Method::GET, Method::DELETE] {
        let refused = stranger.send(stranger.request(method, path)).await;
        refused.assert_error(404, "not_found");
    }
    for action in [
        "pause",
        "resume",
        "rotate-secret",
        "switch-secret",
        "test",
        "nothing",
    ] {
        let refused = post(&stranger, &format!("{path}/{action}?kind=%zz")).await;
        refused.assert_error(404, "not_found");
    }
    let refused = call(&stranger, Method::PATCH, path, bad.clone()).await;
    refused.assert_error(404, "not_found");
    for foreign in [
        one,
        &format!("/account/deliveries?{query}&limit=0&since=soon"),
    ] {
        let refused = stranger.get(foreign).await;
        refused.assert_error(404, "not_found");
    }
    for foreign in [again, &format!("{recover}&dry_run=maybe")] {
        let refused = post(&stranger, foreign).await;
        refused.assert_error(404, "not_found");
    }
}

/// The dashboard lists what the token did, with the address of the endpoint that is gone.
async fn assert_changes_are_listed(owner: &mut Owner) {
    let request = proto::AccountsServiceListTokenChangesRequest {
        account_id: owner.account.account.id.clone(),
        ..Default::default()
    };
    let listed = owner.tokens.accounts.list_token_changes(request).await;
    let mut changes = listed.unwrap().into_inner().changes;
    changes.reverse();
    assert!(
        changes
            .iter()
            .all(|it| it.subject == "https://hooks.example/in")
    );
    let done: Vec<&str> = changes
        .iter()
        .map(|it| it.endpoint_change.as_str())
        .collect();
    let expected = [
        "add",
        "change",
        "pause",
        "resume",
        "rotate-secret",
        "switch-secret",
        "test",
        "send-again",
        "recover",
        "pause",
        "send-again",
        "recover",
        "test",
        "resume",
        "remove",
    ];
    assert_eq!(done, expected);
}

/// Adds an endpoint; returns its id.
async fn add_endpoint(client: &Client, url: &str) -> String {
    let body = json!({"url": url, "events": ["tip.paid"]});
    let added = eventually("webhook-svc knows the account", async || {
        let added = call(client, Method::POST, "/account/endpoints", body.clone()).await;
        (added.status == 201).then_some(added)
    });
    let added = added.await;
    added.data()["endpoint"]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_cursor_is_of_one_list_of_one_account() {
    let (mut owner, mut other) = (Owner::new("unlimited").await, Owner::new("unlimited").await);
    let (client, _) = owner.token(&AccountTokens::ALL_SCOPES).await;
    let (stranger, _) = other.token(&AccountTokens::ALL_SCOPES).await;
    let first = add_endpoint(&client, "https://hooks.example/first").await;
    let second = add_endpoint(&client, "https://hooks.example/second").await;
    let foreign = add_endpoint(&stranger, "https://hooks.example/foreign").await;
    for _ in 0..2 {
        let test = format!("/account/endpoints/{first}/test");
        post(&client, &test).await.data();
    }
    let list = |id: &str| format!("/account/deliveries?endpoint={id}");
    let cursor = async |path: &str| {
        let page = client.get(path).await;
        let cursor = page.body["meta"]["next_cursor"].as_str();
        cursor.unwrap().to_owned()
    };
    let endpoints = cursor("/account/endpoints?limit=1").await;
    let deliveries = cursor(&format!("{}&limit=1", list(&first))).await;
    for (caller, path) in [
        (&stranger, format!("/account/endpoints?cursor={endpoints}")),
        (&client, format!("/account/endpoints?cursor={deliveries}")),
        (&client, format!("{}&cursor={endpoints}", list(&first))),
        (&client, format!("{}&cursor={deliveries}", list(&second))),
        (
            &client,
            format!("{}&cursor={deliveries}&state=failed", list(&first)),
        ),
        (&stranger, format!("{}&cursor={deliveries}", list(&foreign))),
    ] {
        let refused = caller.get(&path).await;
        refused.assert_error(400, "invalid");
        assert!(refused.body["fields"]["cursor"].is_string(), "{path}");
    }
}

#[tokio::test]
async fn usage_is_read_and_tokens_use_no_month() {
    let mut owner = Owner::new("free").await;
    let (client, id) = owner.token(&["usage:read"]).await;
    let usage: AccountUsage = shaped(client.get("/account/usage?days=7").await.data());
    assert_eq!((usage.month.used, usage.plan.as_str()), (0, "free"));
    // A service reads the counts, since each call of a program counts in its minute.
    eventually("the call is counted", async || {
        let request = proto::AccountsServiceListUseRequest {
            account_id: owner.account.account.id.clone(),
            days: 2,
        };
        let counted = owner.tokens.accounts.clone().list_use(request).await;
        let rows = counted.unwrap().into_inner().rows;
        let mut routes = rows.iter().map(|row| row.route.as_str());
        routes
            .any(|route| route == "/v1/account/usage")
            .then_some(())
    })
    .await;
    let usage = client.get("/account/usage?days=2").await;
    assert!(usage.text.contains("/v1/account/usage"), "{}", usage.text);
    let revoke = proto::AccountsServiceRevokeTokenRequest {
        actor: Some(AccountTokens::actor()),
        account_id: owner.account.account.id.clone(),
        id,
    };
    owner.tokens.accounts.revoke_token(revoke).await.unwrap();
    client
        .get("/account/usage")
        .await
        .assert_error(401, "invalid_key");
}

#[tokio::test]
async fn keys_and_tokens_are_kept_apart() {
    let mut owner = Owner::new("unlimited").await;
    let (client, _) = owner.token(&["usage:read"]).await;
    client
        .get("/account/keys")
        .await
        .assert_error(403, "scope_required");
    for path in [
        "/games",
        "/me",
        "/webhooks/messages",
        "/economy/rates",
        "/nothing",
    ] {
        client.get(path).await.assert_error(403, "scope_required");
    }
    let keys = &owner.fleet.account("unlimited").keys;
    for key in [
        &keys.live,
        &keys.live_write,
        &keys.test,
        &keys.live_secret,
        &keys.live_public,
    ] {
        let client = Client::new(&owner.fleet, key);
        for path in [
            "/account/keys",
            "/account/endpoints",
            "/account/deliveries",
            "/account/usage",
        ] {
            client.get(path).await.assert_error(403, "scope_required");
        }
    }
    let page = client.request(Method::GET, "/account/usage");
    let page = client
        .send(page.header("origin", "https://page.example"))
        .await;
    page.assert_error(403, "server_only");
}
