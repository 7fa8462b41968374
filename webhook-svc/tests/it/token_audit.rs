//! The audit of programs with account tokens, which the gateway names in the metadata of its calls.

use contracts::common::v1::ListAuditRequest;
use contracts::gateway::v1::{
    AccountsServiceListTokenChangesRequest, Actor, TokenActor, TokenChange,
};
use contracts::webhook::v1 as proto;
use kit::rpc::actor;
use sqlx::PgPool;
use tonic::Request;
use uuid::Uuid;
use webhook::store::endpoints::{self, EndpointState};

use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, BOB, START, Webhook, is_waiting_for_a_lock, start};

const URL: &str = "https://hooks.example/";

fn token() -> Actor {
    Actor {
        address: "192.0.2.9".to_owned(),
        token: Some(TokenActor {
            id: "0199f3a2-5d0c-7c57-9d1f-0f3a3f0f8f11".to_owned(),
            name: "terraform".to_owned(),
        }),
        ..Actor::default()
    }
}

/// A call that a program with the token makes.
fn by_token<T>(message: T) -> Request<T> {
    let mut request = Request::new(message);
    actor::add(&mut request, &token());
    request
}

fn pause(id: Uuid) -> proto::PauseEndpointRequest {
    proto::PauseEndpointRequest {
        account_id: ADA.to_string(),
        id: id.to_string(),
    }
}

/// What tokens have changed in an account, newest first.
async fn changes(service: &Webhook, account: Uuid) -> Vec<TokenChange> {
    let request = AccountsServiceListTokenChangesRequest {
        account_id: account.to_string(),
        ..AccountsServiceListTokenChangesRequest::default()
    };
    let listed = service.endpoints.clone().list_token_changes(request).await;
    listed.unwrap().into_inner().changes
}

#[testing::database_test(webhook::MIGRATOR)]
async fn each_change_of_a_token_has_an_entry_also_after_its_endpoint_is_gone(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool, &[&receiver]).await.delivering();
    let (mut endpoints, mut deliveries) = (service.endpoints.clone(), service.deliveries.clone());
    let account_id = ADA.to_string();
    let add = by_token(proto::AddEndpointRequest {
        account_id: account_id.clone(),
        url: receiver.url(),
        events: vec!["tip.paid".to_owned()],
    });
    let added = endpoints.add_endpoint(add).await.unwrap().into_inner();
    let id = added.endpoint.unwrap().id;
    let endpoint: Uuid = id.parse().unwrap();
    let change = by_token(proto::ChangeEndpointRequest {
        account_id: account_id.clone(),
        id: id.clone(),
        ..proto::ChangeEndpointRequest::default()
    });
    endpoints.change_endpoint(change).await.unwrap();
    endpoints
        .pause_endpoint(by_token(pause(endpoint)))
        .await
        .unwrap();
    let resume = by_token(proto::ResumeEndpointRequest {
        account_id: account_id.clone(),
        id: id.clone(),
    });
    endpoints.resume_endpoint(resume).await.unwrap();
    let rotate = by_token(proto::RotateSecretRequest {
        account_id: account_id.clone(),
        id: id.clone(),
    });
    endpoints.rotate_secret(rotate).await.unwrap();
    let switch = by_token(proto::SwitchSecretRequest {
        account_id: account_id.clone(),
        id: id.clone(),
    });
    endpoints.switch_secret(switch).await.unwrap();
    let test = by_token(proto::SendTestEventRequest {
        account_id: account_id.clone(),
        endpoint_id: id.clone(),
        ..proto::SendTestEventRequest::default()
    });
    deliveries.send_test_event(test).await.unwrap();
    let delivery = service.newest_attempted(ADA, endpoint, 1).await;
    let again = by_token(proto::SendAgainRequest {
        account_id: account_id.clone(),
        endpoint_id: id.clone(),
        id: delivery.id,
    });
    deliveries.send_again(again).await.unwrap();
    for dry_run in [true, false] {
        let recover = by_token(proto::RecoverRequest {
            account_id: account_id.clone(),
            endpoint_id: id.clone(),
            since: Some(kit::timestamp::encode(START)),
            dry_run,
        });
        deliveries.recover(recover).await.unwrap();
    }
    let remove = by_token(proto::RemoveEndpointRequest { account_id, id });
    endpoints.remove_endpoint(remove).await.unwrap();

    let mut changes = changes(&service, ADA).await;
    changes.reverse();
    let done: Vec<&str> = changes.iter().map(|it| &*it.endpoint_change).collect();
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
        "remove",
    ];
    assert_eq!(done, expected);
    for change in changes {
        assert_eq!(change.action, "change_endpoint");
        assert_eq!(change.subject, receiver.url());
        assert_eq!(
            (change.token, change.address),
            (token().token, token().address)
        );
    }
}

#[testing::database_test(webhook::MIGRATOR)]
async fn what_is_refused_and_what_others_do_is_no_change_of_a_token(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let id = service.added(ADA, URL, &["tip.paid"]).await;
    let mut endpoints = service.endpoints.clone();
    endpoints.pause_endpoint(pause(id)).await.unwrap();
    let unknown = by_token(pause(Uuid::nil()));
    endpoints.pause_endpoint(unknown).await.unwrap_err();
    let foreign = proto::PauseEndpointRequest {
        account_id: BOB.to_string(),
        ..pause(id)
    };
    let foreign = by_token(foreign);
    endpoints.pause_endpoint(foreign).await.unwrap_err();
    // Only a service of the fleet may name a token.
    let mut staff = service.staff_endpoints.clone();
    staff.pause_endpoint(by_token(pause(id))).await.unwrap();
    assert_eq!(changes(&service, ADA).await, []);
    let mut members = service.staff.clone();
    let audit = members.list_audit(ListAuditRequest::default());
    let entries = audit.await.unwrap().into_inner().entries;
    let roles: Vec<&str> = entries.iter().map(|entry| &*entry.role).collect();
    assert_eq!(roles, ["admin"]);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_change_that_cannot_be_recorded_is_not_made(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let id = service.added(ADA, URL, &["tip.paid"]).await;
    sqlx::query!("alter table webhook.audit add constraint no_tokens check (role <> 'token')")
        .execute(&pool)
        .await
        .unwrap();
    let mut endpoints = service.endpoints.clone();
    let paused = endpoints.pause_endpoint(by_token(pause(id))).await;
    paused.unwrap_err();
    let endpoint = service.endpoint(ADA, id).await;
    assert_eq!(endpoint.state(), proto::EndpointState::On);
}

/// A gateway that is killed after its call never reads the response.
#[testing::database_test(webhook::MIGRATOR)]
async fn a_call_whose_caller_is_gone_leaves_its_change_and_its_entry_or_neither(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let id = service.added(ADA, URL, &["tip.paid"]).await;
    let mut before = pool.begin().await.unwrap();
    endpoints::lock(&mut before, id, None).await.unwrap();
    let mut calls = service.endpoints.clone();
    tokio::select! {
        answer = calls.pause_endpoint(by_token(pause(id))) => panic!("{answer:?}"),
        () = is_waiting_for_a_lock(&pool) => {}
    }
    before.commit().await.unwrap();
    // It waits for the lock after the call.
    let mut after = pool.begin().await.unwrap();
    let endpoint = endpoints::lock(&mut after, id, None).await.unwrap();
    let is_paused = endpoint.unwrap().state == EndpointState::Paused;
    after.commit().await.unwrap();
    assert_eq!(is_paused, changes(&service, ADA).await.len() == 1);
}
