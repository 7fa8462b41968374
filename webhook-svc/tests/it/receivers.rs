//! The events that owners choose from.

use contracts::webhook::v1 as proto;
use sqlx::PgPool;

use crate::support::start;

#[testing::database_test(webhook::MIGRATOR)]
async fn every_event_has_a_description_and_kinds(pool: PgPool) {
    let service = start(pool, &[]).await;
    let request = proto::ListEventTypesRequest {};
    let listed = service.receivers.clone().list_event_types(request).await;
    let listed = listed.unwrap().into_inner().event_types;
    let selectable = listed.iter().filter(|it| it.is_selectable).count();
    assert_eq!((listed.len(), selectable), (5, 4));
    for event_type in &listed {
        assert!(event_type.description.ends_with('.'), "{event_type:?}");
    }
    let kinds = |name: &str| {
        let event_type = listed.iter().find(|it| it.name == name);
        event_type.unwrap().kinds.clone()
    };
    assert_eq!(
        kinds("listing.updated"),
        ["game", "studio", "person", "event"]
    );
    assert_eq!(kinds("ping"), [""]);
}
