//! Samples of events.

use contracts::webhook::v1 as proto;
use sqlx::PgPool;

use crate::support::{SITE, start};

#[testing::database_test(webhook::MIGRATOR)]
async fn every_event_has_a_description_and_samples(pool: PgPool) {
    let service = start(pool, &[]).await;
    let request = proto::ListEventTypesRequest {};
    let listed = service.receivers.clone().list_event_types(request).await;
    let listed = listed.unwrap().into_inner().event_types;
    let selectable = listed.iter().filter(|it| it.is_selectable).count();
    assert_eq!((listed.len(), selectable), (5, 4));
    for event_type in listed {
        assert!(event_type.description.ends_with('.'), "{event_type:?}");
        assert!(!event_type.samples.is_empty(), "{event_type:?}");
        for sample in event_type.samples {
            let body: serde_json::Value = serde_json::from_slice(&sample.body).unwrap();
            assert_eq!(body["event"], event_type.name);
            let kind = body["data"]["kind"].as_str().unwrap_or_default();
            assert_eq!(kind, sample.kind);
            let url = body["data"]["url"].as_str();
            assert!(url.is_none_or(|url| url.starts_with(SITE)), "{body}");
        }
    }
}
