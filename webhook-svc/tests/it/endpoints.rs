//! Endpoints of accounts.

use contracts::webhook::v1 as proto;
use kit::{Code, Fault};
use sqlx::PgPool;

use crate::support::{ADA, BOB, EVE, start};

const URL: &str = "https://hooks.example/kora";

#[sqlx::test(migrator = "webhook::MIGRATOR")]
async fn an_account_has_as_many_endpoints_as_its_plan_allows(pool: PgPool) {
    let service = start(pool, &[]).await;
    service.added(EVE, URL, &["tip.paid"]).await;
    let more = service.add(EVE, URL, &["tip.paid"]).await.unwrap_err();
    assert_eq!(more.code, Code::PlanRequired);
    assert_eq!(
        more.message,
        "The account's plan allows 1 endpoint. Remove one, or change to the plan build, which allows 5 endpoints."
    );
    for _ in 0..5 {
        service.added(ADA, URL, &["tip.paid"]).await;
    }
    let most = service.add(ADA, URL, &["tip.paid"]).await.unwrap_err();
    assert_eq!(
        most.message,
        "The account's plan allows 5 endpoints, and no plan allows more. Remove one."
    );
    let nobody = uuid::Uuid::from_u128(99);
    let unknown = service.add(nobody, URL, &["tip.paid"]).await.unwrap_err();
    assert_eq!(unknown.code, Code::NotFound);
    let request = proto::ListEndpointsRequest {
        account_id: EVE.to_string(),
    };
    let listed = service.endpoints.clone().list_endpoints(request).await;
    let listed = listed.unwrap().into_inner();
    assert_eq!((listed.endpoints.len(), listed.most), (1, Some(1)));
    assert!(!listed.real_events);
}

#[sqlx::test(migrator = "webhook::MIGRATOR")]
async fn what_is_not_acceptable_is_refused_with_its_field(pool: PgPool) {
    let service = start(pool, &[]).await;
    for (url, events, field) in [
        ("http://hooks.example/", &["tip.paid"][..], "url"),
        ("https://127.0.0.1/", &["tip.paid"], "url"),
        ("https://localhost/", &["tip.paid"], "url"),
        (URL, &[], "events"),
        (URL, &["ping"], "events"),
    ] {
        let refused = service.add(ADA, url, events).await.unwrap_err();
        assert!(
            refused.fields.keys().eq([field]),
            "{url} {events:?}: {refused:?}"
        );
    }
}

#[sqlx::test(migrator = "webhook::MIGRATOR")]
async fn an_endpoint_of_another_account_is_not_found(pool: PgPool) {
    let service = start(pool, &[]).await;
    let endpoint = service.added(ADA, URL, &["tip.paid"]).await;
    let change = |account: uuid::Uuid| proto::ChangeEndpointRequest {
        account_id: account.to_string(),
        id: endpoint.to_string(),
        url: None,
        events: Some(proto::EventList {
            events: vec!["listing.updated".to_owned(), "tip.paid".to_owned()],
        }),
        rate_limit: Some(7),
    };
    let mut client = service.endpoints.clone();
    let stranger = client.change_endpoint(change(BOB)).await.unwrap_err();
    assert_eq!(Fault::from(stranger).code, Code::NotFound);
    let changed = client.change_endpoint(change(ADA)).await.unwrap();
    let changed = changed.into_inner().endpoint.unwrap();
    assert_eq!(changed.events, ["listing.updated", "tip.paid"]);
    assert_eq!((changed.url.as_str(), changed.rate_limit), (URL, Some(7)));

    let remove = |account: uuid::Uuid| proto::RemoveEndpointRequest {
        account_id: account.to_string(),
        id: endpoint.to_string(),
    };
    let stranger = client.remove_endpoint(remove(BOB)).await.unwrap_err();
    assert_eq!(Fault::from(stranger).code, Code::NotFound);
    client.remove_endpoint(remove(ADA)).await.unwrap();
    let gone = client.remove_endpoint(remove(ADA)).await.unwrap_err();
    assert_eq!(Fault::from(gone).code, Code::NotFound);
}

#[sqlx::test(migrator = "webhook::MIGRATOR")]
async fn deliveries_are_listed_by_pages_and_filters(pool: PgPool) {
    let service = start(pool, &[]).await;
    let endpoint = service.added(ADA, URL, &["tip.paid"]).await;
    let mut sent = Vec::new();
    for _ in 0..5 {
        sent.push(service.ping(ADA, endpoint).await.id);
    }
    let request = |event: &str, cursor: &str| proto::ListDeliveriesRequest {
        account_id: ADA.to_string(),
        endpoint_id: endpoint.to_string(),
        event: event.to_owned(),
        limit: 2,
        cursor: cursor.to_owned(),
        ..proto::ListDeliveriesRequest::default()
    };
    let mut client = service.deliveries.clone();
    let (mut listed, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = client
            .list_deliveries(request("ping", &cursor))
            .await
            .unwrap();
        let page = page.into_inner();
        listed.extend(page.deliveries.iter().map(|delivery| delivery.id));
        cursor = page.next_cursor;
        if cursor.is_empty() {
            break;
        }
        let elsewhere = client
            .list_deliveries(request("", &cursor))
            .await
            .unwrap_err();
        assert!(Fault::from(elsewhere).fields.contains_key("cursor"));
    }
    sent.reverse();
    assert_eq!(listed, sent);
    let none = client
        .list_deliveries(request("tip.paid", ""))
        .await
        .unwrap();
    assert_eq!(none.into_inner().deliveries.len(), 0);
}
