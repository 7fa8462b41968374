//! Staff: endpoints of all accounts, and the audit.

use contracts::common::v1::ListAuditRequest;
use contracts::webhook::v1 as proto;
use serde_json::Value;
use sqlx::PgPool;

use crate::support::{ADA, SITE, start};

#[testing::database_test(webhook::MIGRATOR)]
async fn what_staff_do_is_in_the_audit(pool: PgPool) {
    let service = start(pool, &[]).await;
    let mut endpoints = service.staff_endpoints.clone();
    let mut deliveries = service.staff_deliveries.clone();
    let add = proto::AddEndpointRequest {
        account_id: ADA.to_string(),
        url: "https://hooks.example/".to_owned(),
        events: vec!["tip.paid".to_owned()],
    };
    let added = endpoints.add_endpoint(add).await.unwrap().into_inner();
    let id = added.endpoint.unwrap().id;
    let pause = proto::PauseEndpointRequest {
        account_id: String::new(),
        id: id.clone(),
    };
    endpoints.pause_endpoint(pause).await.unwrap();
    let test = proto::SendTestEventRequest {
        endpoint_id: id.clone(),
        event: "listing.updated".to_owned(),
        kind: "person".to_owned(),
        ..proto::SendTestEventRequest::default()
    };
    let sent = deliveries.send_test_event(test).await.unwrap().into_inner();
    let get = proto::GetDeliveryRequest {
        account_id: String::new(),
        endpoint_id: id.clone(),
        id: sent.delivery.unwrap().id,
    };
    let shown = deliveries.get_delivery(get).await.unwrap().into_inner();
    let body: Value = serde_json::from_slice(&shown.body).unwrap();
    assert_eq!(body["data"]["handle"], "sample-olawale");
    let url = format!("{SITE}/creators/sample-olawale");
    assert_eq!(body["data"]["url"], url);

    let audit = service
        .staff
        .clone()
        .list_audit(ListAuditRequest::default())
        .await
        .unwrap();
    let entries = audit.into_inner().entries;
    let actions: Vec<&str> = entries.iter().map(|entry| entry.action.as_str()).collect();
    assert_eq!(
        actions,
        ["send_test_event", "pause_endpoint", "add_endpoint"]
    );
    assert!(entries.iter().all(|entry| entry.name == id));
    assert!(entries.iter().all(|entry| !entry.details.contains("whsec")));
}
