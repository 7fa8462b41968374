//! Rows in a state that only a newer version knows, as during a rollout or after a rollback.

use contracts::listings::v1::State::Published;
use contracts::webhook::v1 as proto;
use contracts::webhook::v1::{DeliveryState, EndpointState};
use kit::{Code, Fault};
use sqlx::PgPool;
use uuid::Uuid;

use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, TAKEN, Webhook, game, start};

const EVENTS: [&str; 1] = ["listing.updated"];

async fn put_in_newer_state(pool: &PgPool, endpoint: Uuid) {
    let constraint = "alter table webhook.endpoint drop constraint if exists endpoint_state_check";
    sqlx::raw_sql(constraint).execute(pool).await.unwrap();
    sqlx::query("update webhook.endpoint set state = 'limited' where id = $1")
        .bind(endpoint)
        .execute(pool)
        .await
        .unwrap();
}

async fn stored_state(pool: &PgPool, endpoint: Uuid) -> String {
    sqlx::query_scalar("select state from webhook.endpoint where id = $1")
        .bind(endpoint)
        .fetch_one(pool)
        .await
        .unwrap()
}

async fn publish(service: &Webhook, seq: i64) {
    service.listings(&[game(seq, "updated", Published)], TAKEN).await;
}

#[testing::database_test(webhook::MIGRATOR)]
async fn an_endpoint_in_a_newer_state_is_listed_and_keeps_its_state(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let known = service.added(ADA, "https://a.example/", &EVENTS).await;
    let newer = service.added(ADA, "https://b.example/", &EVENTS).await;
    put_in_newer_state(&pool, newer).await;
    let mut client = service.endpoints.clone();
    let (account_id, id) = (ADA.to_string(), newer.to_string());
    let request = proto::ListEndpointsRequest { account_id: account_id.clone() };
    let listed = client.list_endpoints(request).await.unwrap().into_inner();
    let states = listed.endpoints.iter().map(|it| (it.id.clone(), it.state()));
    let expected =
        [(known.to_string(), EndpointState::On), (id.clone(), EndpointState::Unspecified)];
    assert_eq!(states.collect::<Vec<_>>(), expected);

    let request = proto::ResumeEndpointRequest { account_id: account_id.clone(), id: id.clone() };
    let resumed = client.resume_endpoint(request).await.map(drop);
    let request = proto::PauseEndpointRequest { account_id: account_id.clone(), id: id.clone() };
    let paused = client.pause_endpoint(request).await.map(drop);
    for refused in [resumed, paused] {
        assert_eq!(Fault::from(refused.unwrap_err()).code, Code::Unavailable);
    }
    // A secret that leaked can be replaced all the same.
    let request =
        proto::RotateSecretRequest { account_id, id, ..proto::RotateSecretRequest::default() };
    client.rotate_secret(request).await.unwrap();
    assert_eq!(stored_state(&pool, newer).await, "limited");
}

/// The results of many endpoints are recorded in one transaction.
#[testing::database_test(webhook::MIGRATOR)]
async fn an_endpoint_in_a_newer_state_stops_no_delivery_to_others(pool: PgPool) {
    let receivers =
        [Receiver::start(Behaviour::Hang).await, Receiver::start(Behaviour::Hang).await];
    let service = start(pool.clone(), &[&receivers[0], &receivers[1]]).await;
    let known = service.added(ADA, &receivers[0].url(), &EVENTS).await;
    let newer = service.added(ADA, &receivers[1].url(), &EVENTS).await;
    let service = service.delivering();
    publish(&service, 2).await;
    for receiver in &receivers {
        receiver.wait_for(1).await;
    }
    put_in_newer_state(&pool, newer).await;
    for receiver in &receivers {
        receiver.set_behaviour(Behaviour::Status(410));
    }
    for endpoint in [known, newer] {
        service.newest_attempted(ADA, endpoint, 1).await;
    }
    let off = service.endpoint(ADA, known).await;
    assert_eq!(off.state(), EndpointState::Off);
    assert_eq!(stored_state(&pool, newer).await, "limited");
    // Its deliveries wait.
    publish(&service, 3).await;
    let waiting = service.list(ADA, newer).await;
    assert_eq!(waiting[0].state(), DeliveryState::Waiting);
    assert_eq!(receivers[1].received().len(), 1);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_delivery_in_a_newer_state_is_listed_with_the_others(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool.clone(), &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &EVENTS).await;
    for _ in 0..2 {
        service.ping(ADA, endpoint).await;
        service.newest_attempted(ADA, endpoint, 1).await;
    }
    let newer = service.list(ADA, endpoint).await[1].id;
    let constraint = "alter table webhook.attempt_log drop constraint attempt_log_state_check";
    sqlx::raw_sql(constraint).execute(&pool).await.unwrap();
    sqlx::query("update webhook.attempt_log set state = 'expired' where delivery_id = $1")
        .bind(newer)
        .execute(&pool)
        .await
        .unwrap();
    let listed = service.list(ADA, endpoint).await;
    let states = listed.iter().map(proto::Delivery::state);
    assert!(states.eq([DeliveryState::Delivered, DeliveryState::Unspecified]));
    let one = service.delivery(ADA, endpoint, newer).await;
    assert_eq!(one.attempts.len(), 1);
}
