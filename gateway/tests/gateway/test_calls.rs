//! Calls of people who try the API in the documentation, without a key.

use std::sync::Arc;

use bytes::Bytes;
use contracts::catalogue::v1::ListGamesRequest;
use contracts::common::v1::Mode;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::accounts_service_server::AccountsService as _;
use contracts::gateway::v1::test_call_service_server::TestCallService as _;
use gateway::service::test_calls::TestCalls;
use kit::{Code, Fault};
use serde_json::{Value, json};
use sqlx::PgPool;
use tonic::Request;

use crate::accounts::actor;
use crate::support::{Test, TestConfig, plans};

async fn run(
    test: &Test,
    request: proto::RunTestCallRequest,
) -> Result<proto::RunTestCallResponse, Fault> {
    let calls = TestCalls {
        operations: Arc::clone(&test.accounts.operations),
        router: test.router.clone(),
    };
    Ok(calls
        .run_test_call(Request::new(request))
        .await?
        .into_inner())
}

fn call(account: &str, method: &str, target: &str) -> proto::RunTestCallRequest {
    proto::RunTestCallRequest {
        actor: Some(actor()),
        account_id: account.to_owned(),
        method: method.to_owned(),
        target: target.to_owned(),
        headers: Vec::new(),
        body: Bytes::new(),
    }
}

async fn send(test: &Test, request: proto::RunTestCallRequest) -> (u32, Value) {
    let response = run(test, request).await.unwrap();
    assert!(!response.is_cut_off);
    let json = serde_json::from_slice(&response.body).unwrap_or(Value::Null);
    (response.status, json)
}

fn header(name: &str, value: &str) -> proto::HttpHeader {
    proto::HttpHeader {
        name: name.to_owned(),
        value: value.to_owned(),
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_person_reads_samples_as_their_account(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let (status, games) = send(&test, call(&account, "GET", "/v1/games?limit=3")).await;
    assert_eq!((status, &games["meta"]["mode"]), (200, &json!("test")));
    let request: ListGamesRequest = test.catalogue.last_request();
    assert_eq!(request.mode(), Mode::Test);

    let (_, me) = send(&test, call(&account, "GET", "/v1/me")).await;
    assert_eq!(me["data"]["account"]["id"], account, "{me}");
    assert_eq!(me["data"]["key"]["name"], "documentation");
    assert_eq!(me["data"]["month"]["used"], 0);

    // A game's key is needed: the caller has one of a sample.
    let (status, currencies) = send(&test, call(&account, "GET", "/v1/economy/currencies")).await;
    assert_eq!(status, 200, "{currencies}");
    let (status, none) = send(&test, call(&account, "GET", "/v1/nothing")).await;
    assert_eq!((status, &none["error"]["code"]), (404, &json!("not_found")));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn headers_and_body_arrive_and_headers_come_back(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let bad = proto::RunTestCallRequest {
        headers: vec![header("content-type", "application/json")],
        body: b"{".to_vec().into(),
        ..call(&account, "POST", "/v1/games")
    };
    assert!(run(&test, bad).await.is_ok());
    let read = run(&test, call(&account, "GET", "/v1/games"))
        .await
        .unwrap();
    let tag = read.headers.iter().find(|it| it.name == "etag").unwrap();
    let again = proto::RunTestCallRequest {
        headers: vec![header("if-none-match", &tag.value)],
        ..call(&account, "GET", "/v1/games")
    };
    let unchanged = run(&test, again).await.unwrap();
    assert_eq!((unchanged.status, unchanged.body.len()), (304, 0));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn calls_have_the_minute_of_the_plan_and_are_in_the_log(pool: PgPool) {
    let config = TestConfig {
        plans: plans("calls_per_minute = 2"),
        ..TestConfig::default()
    };
    let mut test = Test::with(pool, config).await;
    let account = test.account("free").await;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        let (status, _) = send(&test, call(&account, "GET", "/v1/genres")).await;
        statuses.push(status);
    }
    assert_eq!(statuses, [200, 200, 429]);
    let other = test.account("free").await;
    let (status, _) = send(&test, call(&other, "GET", "/v1/genres")).await;
    assert_eq!(status, 200);

    test.call_records.write_log().await;
    let list = proto::AccountsServiceListCallsRequest {
        account_id: account,
        ..Default::default()
    };
    let listed = test.accounts.list_calls(Request::new(list)).await.unwrap();
    assert_eq!(listed.into_inner().calls.len(), 3);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_long_body_is_cut_off(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let rows = format!("[\"{}\"]", "x".repeat(300 * 1024));
    test.catalogue.set_data(rows, 1);
    let response = run(&test, call(&account, "GET", "/v1/games"))
        .await
        .unwrap();
    assert_eq!((response.status, response.is_cut_off), (200, true));
    assert_eq!(response.body.len(), 256 * 1024);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_call_that_cannot_be_sent_is_refused(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let with = |it: proto::HttpHeader| proto::RunTestCallRequest {
        headers: vec![it],
        ..call(&account, "GET", "/v1/me")
    };
    for (request, field) in [
        (call("x", "GET", "/v1/me"), "account_id"),
        (call(&account, "CONNECT", "/v1/me"), "method"),
        (call(&account, "GET", "https://other.example/"), "target"),
        (call(&account, "GET", "/v1/ games"), "target"),
        (with(header("authorization", "Bearer x")), "headers"),
        (with(header("if-match", "a\r\nb: c")), "headers.if-match"),
    ] {
        let refused = run(&test, request).await.unwrap_err();
        assert_eq!(refused.code, Code::Invalid, "{refused}");
        let fields = refused.fields.into_keys().collect::<Vec<_>>();
        assert_eq!(fields, [field]);
    }
    let nobody = kit::ids::row_id().to_string();
    let refused = run(&test, call(&nobody, "GET", "/v1/me"))
        .await
        .unwrap_err();
    assert_eq!(refused.code, Code::NotFound);
}
