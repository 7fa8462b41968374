//! The events that owners can select.

use contracts::webhook::v1 as proto;
use sqlx::PgPool;

use crate::support::{ADA, SITE, start};

#[testing::database_test(webhook::MIGRATOR)]
async fn every_event_has_a_description_and_kinds(pool: PgPool) {
    let service = start(pool, &[]).await;
    let request = proto::ListEventTypesRequest {};
    let listed =
        service.receivers.clone().list_event_types(request).await.unwrap().into_inner().event_types;
    let selectable = listed.iter().filter(|it| it.is_selectable).count();
    assert_eq!((listed.len(), selectable), (5, 4));
    for event_type in &listed {
        assert!(event_type.description.ends_with('.'), "{event_type:?}");
    }
    let kinds = |name: &str| {
        let event_type = listed.iter().find(|it| it.name == name);
        event_type.unwrap().kinds.clone()
    };
    assert_eq!(kinds("listing.updated"), ["game", "studio", "person", "event"]);
    assert_eq!(kinds("ping"), [""]);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_test_event_has_the_sample_of_its_kind(pool: PgPool) {
    let service = start(pool, &[]).await;
    let endpoint = service.added(ADA, "https://hooks.example/", &["tip.paid"]).await;
    let (account_id, endpoint_id) = (ADA.to_string(), endpoint.to_string());
    let mut deliveries = service.deliveries.clone();
    let test = proto::SendTestEventRequest {
        account_id: account_id.clone(),
        endpoint_id: endpoint_id.clone(),
        event: "listing.updated".to_owned(),
        kind: "person".to_owned(),
        ..proto::SendTestEventRequest::default()
    };
    let sent = deliveries.send_test_event(test).await.unwrap().into_inner();
    let get = proto::GetDeliveryRequest { account_id, endpoint_id, id: sent.delivery.unwrap().id };
    let shown = deliveries.get_delivery(get).await.unwrap().into_inner();
    let body: serde_json::Value = serde_json::from_slice(&shown.body).unwrap();
    assert_eq!(body["data"]["handle"], "sample-olawale");
    let url = format!("{SITE}/creators/sample-olawale");
    assert_eq!(body["data"]["url"], url);
}
