//! Endpoints of accounts.

use contracts::webhook::v1 as proto;
use kit::{Code, Fault};
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use webhook::store::deliveries::{self, DeliveryState, Filter};

use crate::recover::insert_failed;
use crate::support::{ADA, BOB, EVE, rows_read, start};

const URL: &str = "https://hooks.example/kora";

#[testing::database_test(webhook::MIGRATOR)]
async fn an_account_has_as_many_endpoints_as_its_plan_allows(pool: PgPool) {
    let service = start(pool, &[]).await;
    service.added(EVE, URL, &["tip.paid"]).await;
    let more = service.add(EVE, URL, &["tip.paid"]).await.unwrap_err();
    assert_eq!(more.code, Code::PlanRequired);
    for _ in 0..5 {
        service.added(ADA, URL, &["tip.paid"]).await;
    }
    let most = service.add(ADA, URL, &["tip.paid"]).await.unwrap_err();
    assert_eq!(most.code, Code::PlanRequired);
    let nobody = uuid::Uuid::from_u128(99);
    let unknown = service.add(nobody, URL, &["tip.paid"]).await.unwrap_err();
    // The gateway has verified the account; only this service has not read it from the feed yet.
    assert_eq!(unknown.code, Code::Unavailable);
    assert!(unknown.retry_after.is_some());
    let request = proto::ListEndpointsRequest { account_id: EVE.to_string() };
    let listed = service.endpoints.clone().list_endpoints(request).await.unwrap().into_inner();
    assert_eq!((listed.endpoints.len(), listed.most), (1, Some(1)));
    assert!(!listed.real_events);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn bad_fields_of_an_endpoint_are_refused_by_name(pool: PgPool) {
    let service = start(pool, &[]).await;
    for (url, events, field) in [
        ("http://hooks.example/", &["tip.paid"][..], "url"),
        ("https://127.0.0.1/", &["tip.paid"], "url"),
        ("https://localhost/", &["tip.paid"], "url"),
        (URL, &[], "events"),
        (URL, &["ping"], "events"),
    ] {
        let refused = service.add(ADA, url, events).await.unwrap_err();
        assert!(refused.fields.keys().eq([field]), "{url} {events:?}: {refused:?}");
    }
    let all = service.add(ADA, "ftp://a", &["ping"]).await.unwrap_err();
    assert!(all.fields.keys().eq(["events", "url"]), "{all:?}");
}

#[testing::database_test(webhook::MIGRATOR)]
async fn every_bad_field_of_a_change_is_named_once_the_endpoint_is_found(pool: PgPool) {
    let service = start(pool, &[]).await;
    let endpoint = service.added(ADA, URL, &["tip.paid"]).await;
    let change = |account: uuid::Uuid| proto::ChangeEndpointRequest {
        account_id: account.to_string(),
        id: endpoint.to_string(),
        url: Some("https://localhost/".to_owned()),
        events: Some(proto::EventList { events: Vec::new() }),
        ..proto::ChangeEndpointRequest::default()
    };
    let mut client = service.endpoints.clone();
    let bad = Fault::from(client.change_endpoint(change(ADA)).await.unwrap_err());
    assert!(bad.fields.keys().eq(["events", "url"]), "{bad:?}");
    let stranger = Fault::from(client.change_endpoint(change(BOB)).await.unwrap_err());
    assert_eq!(stranger.code, Code::NotFound);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_change_of_an_endpoint_that_has_changed_since_it_was_read_is_refused(pool: PgPool) {
    let service = start(pool, &[]).await;
    let endpoint = service.added(ADA, URL, &["tip.paid"]).await;
    let list = |events: &[&str]| proto::EventList {
        events: events.iter().map(|&event| event.to_owned()).collect(),
    };
    let change = async |url: &str, read: (&str, &[&str])| {
        let request = proto::ChangeEndpointRequest {
            account_id: ADA.to_string(),
            id: endpoint.to_string(),
            url: Some(url.to_owned()),
            events: None,
            read_url: Some(read.0.to_owned()),
            read_events: Some(list(read.1)),
        };
        let changed = service.endpoints.clone().change_endpoint(request).await;
        changed.map_err(|status| Fault::from(status).code)
    };
    let other = "https://hooks.example/other";
    for read in [(other, &["tip.paid"][..]), (URL, &["listing.updated"])] {
        let refused = change(other, read).await.unwrap_err();
        assert_eq!(refused, Code::PreconditionFailed);
    }
    change(other, (URL, &["tip.paid"])).await.unwrap();
    assert_eq!(service.endpoint(ADA, endpoint).await.url, other);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_form_that_is_sent_twice_sends_one_test_event(pool: PgPool) {
    let service = start(pool, &[]).await;
    let endpoint = service.added(ADA, URL, &["tip.paid"]).await;
    let send = async |form: u128| {
        let request = proto::SendTestEventRequest {
            account_id: ADA.to_string(),
            endpoint_id: endpoint.to_string(),
            form_id: uuid::Uuid::from_u128(form).to_string(),
            ..proto::SendTestEventRequest::default()
        };
        let sent = service.deliveries.clone().send_test_event(request).await;
        sent.unwrap().into_inner().delivery.unwrap().id
    };
    let (first, second) = futures::join!(send(1), send(1));
    assert_eq!(first, second);
    assert_ne!(send(2).await, first);
    assert_eq!(service.list(ADA, endpoint).await.len(), 2);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_form_that_is_sent_again_has_the_same_answer_whatever_has_happened_since(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let endpoint = service.added(ADA, URL, &["tip.paid"]).await;
    for _ in 0..99 {
        service.ping(ADA, endpoint).await;
    }
    let send = async |form: u128| {
        let request = proto::SendTestEventRequest {
            account_id: ADA.to_string(),
            endpoint_id: endpoint.to_string(),
            form_id: uuid::Uuid::from_u128(form).to_string(),
            ..proto::SendTestEventRequest::default()
        };
        let sent = service.deliveries.clone().send_test_event(request).await;
        let sent = sent.map(|sent| sent.into_inner().delivery.unwrap().id);
        sent.map_err(|status| Fault::from(status).code)
    };
    // It is the last one for which there is room.
    let first = send(1).await.unwrap();
    assert_eq!(send(1).await, Ok(first));
    assert_eq!(send(2).await, Err(Code::RateLimited));
    let off = sqlx::query!("update webhook.endpoint set state = 'off' where id = $1", endpoint);
    off.execute(&pool).await.unwrap();
    assert_eq!(send(1).await, Ok(first));
    assert_eq!(send(2).await, Err(Code::Invalid));
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_second_pause_and_a_second_resumption_change_nothing(pool: PgPool) {
    let service = start(pool, &[]).await;
    let endpoint = service.added(ADA, URL, &["tip.paid"]).await;
    let (account_id, id) = (ADA.to_string(), endpoint.to_string());
    let mut client = service.endpoints.clone();
    for unchanged in [false, true] {
        let request =
            proto::PauseEndpointRequest { account_id: account_id.clone(), id: id.clone() };
        let paused = client.pause_endpoint(request).await.unwrap().into_inner();
        assert_eq!(paused.unchanged, unchanged);
        assert_eq!(paused.endpoint.unwrap().state(), proto::EndpointState::Paused);
    }
    for unchanged in [false, true] {
        let request =
            proto::ResumeEndpointRequest { account_id: account_id.clone(), id: id.clone() };
        let resumed = client.resume_endpoint(request).await.unwrap().into_inner();
        assert_eq!(resumed.unchanged, unchanged);
        assert_eq!(resumed.endpoint.unwrap().state(), proto::EndpointState::On);
    }
}

/// Each new address causes a request to a host that the account chose.
#[testing::database_test(webhook::MIGRATOR)]
async fn an_account_may_enter_a_hundred_addresses_an_hour(pool: PgPool) {
    let service = start(pool, &[]).await;
    let endpoint = service.added(ADA, URL, &["tip.paid"]).await;
    let mut client = service.endpoints.clone();
    let change = |path: u32| proto::ChangeEndpointRequest {
        account_id: ADA.to_string(),
        id: endpoint.to_string(),
        url: Some(format!("https://hooks.example/{path}")),
        ..proto::ChangeEndpointRequest::default()
    };
    for path in 1..100 {
        client.change_endpoint(change(path)).await.unwrap();
    }
    let refused = Fault::from(client.change_endpoint(change(100)).await.unwrap_err());
    assert_eq!(refused.code, Code::RateLimited, "{refused:?}");
    assert_eq!(refused.retry_after, Some(3_601));
    // The current address is not checked again, and another account has its own limit.
    client.change_endpoint(change(99)).await.unwrap();
    service.added(BOB, URL, &["tip.paid"]).await;
    service.clock.advance(time::Duration::HOUR + time::Duration::SECOND);
    client.change_endpoint(change(101)).await.unwrap();
}

#[testing::database_test(webhook::MIGRATOR)]
async fn at_most_a_hundred_test_events_wait_for_an_endpoint(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let endpoint = service.added(ADA, URL, &["tip.paid"]).await;
    for _ in 0..100 {
        service.ping(ADA, endpoint).await;
    }
    let test = proto::SendTestEventRequest {
        endpoint_id: endpoint.to_string(),
        account_id: ADA.to_string(),
        ..proto::SendTestEventRequest::default()
    };
    let mut client = service.deliveries.clone();
    let refused = Fault::from(client.send_test_event(test.clone()).await.unwrap_err());
    assert_eq!(refused.code, Code::RateLimited);
    assert!(refused.retry_after.is_some());
    // Waiting deliveries of real events do not count against the limit.
    let real =
        sqlx::query!("update webhook.waiting set is_test = false where endpoint_id = $1", endpoint);
    real.execute(&pool).await.unwrap();
    client.send_test_event(test).await.unwrap();
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_queue_is_counted_only_up_to_ten_thousand(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let endpoint = service.added(ADA, URL, &["tip.paid"]).await;
    let first = service.ping(ADA, endpoint).await;
    sqlx::query!(
        "insert into webhook.waiting (endpoint_id, message_id, created_at, attempts_left, due_at)
         select endpoint_id, message_id, created_at, attempts_left, due_at from webhook.waiting, generate_series(1, 10000)
         where endpoint_id = $1",
        endpoint
    )
    .execute(&pool)
    .await
    .unwrap();
    let health = service.endpoint(ADA, endpoint).await.health.unwrap();
    assert_eq!(health.queued, 10_000);
    assert_eq!(health.queued_since, first.created_at);
}

#[testing::database_test(webhook::MIGRATOR)]
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
        ..proto::ChangeEndpointRequest::default()
    };
    let mut client = service.endpoints.clone();
    let stranger = client.change_endpoint(change(BOB)).await.unwrap_err();
    assert_eq!(Fault::from(stranger).code, Code::NotFound);
    let changed = client.change_endpoint(change(ADA)).await.unwrap().into_inner().endpoint.unwrap();
    assert_eq!(changed.events, ["listing.updated", "tip.paid"]);
    assert_eq!(changed.url, URL);

    let remove = |account: uuid::Uuid| proto::RemoveEndpointRequest {
        account_id: account.to_string(),
        id: endpoint.to_string(),
    };
    for (account, url) in [(BOB, None), (ADA, Some(URL)), (ADA, None)] {
        let removed = client.remove_endpoint(remove(account)).await.unwrap();
        assert_eq!(removed.into_inner().url.as_deref(), url);
    }
}

#[testing::database_test(webhook::MIGRATOR)]
async fn deliveries_are_listed_by_pages_and_state(pool: PgPool) {
    let service = start(pool, &[]).await;
    let endpoint = service.added(ADA, URL, &["tip.paid"]).await;
    let mut sent = Vec::new();
    for _ in 0..5 {
        sent.push(service.ping(ADA, endpoint).await.id);
    }
    let request = |state: proto::DeliveryState, cursor: &str| proto::ListDeliveriesRequest {
        account_id: ADA.to_string(),
        endpoint_id: endpoint.to_string(),
        state: state.into(),
        limit: 2,
        cursor: cursor.to_owned(),
    };
    let (waiting, all) = (proto::DeliveryState::Waiting, proto::DeliveryState::Unspecified);
    let mut client = service.deliveries.clone();
    let (mut listed, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = client.list_deliveries(request(waiting, &cursor)).await.unwrap().into_inner();
        listed.extend(page.deliveries.iter().map(|delivery| delivery.id));
        cursor = page.next_cursor;
        if cursor.is_empty() {
            break;
        }
        let elsewhere = client.list_deliveries(request(all, &cursor)).await.unwrap_err();
        assert!(Fault::from(elsewhere).fields.contains_key("cursor"));
    }
    sent.reverse();
    assert_eq!(listed, sent);
    let none = client.list_deliveries(request(proto::DeliveryState::Failed, "")).await.unwrap();
    assert_eq!(none.into_inner().deliveries.len(), 0);
}

/// PostgreSQL may use the plan for any state, which reads the whole log of a busy endpoint.
#[testing::database_test(webhook::MIGRATOR)]
async fn a_list_of_a_rare_state_does_not_read_the_whole_log(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let endpoint = service.added(ADA, URL, &["tip.paid"]).await;
    insert_failed(&pool, endpoint, 20_000).await;
    // The oldest ones are the rare ones.
    for statement in [
        "update webhook.attempt_log
         set state = case when delivery_id <= 5 then 'cancelled' else 'delivered' end where delivery_id > 3",
        "vacuum analyze webhook.attempt_log",
    ] {
        sqlx::raw_sql(statement).execute(&pool).await.unwrap();
    }
    // PostgreSQL publishes the statistics of a session: a single connection can force that for all of its reads.
    let options = PgConnectOptions::clone(&pool.connect_options());
    let one = PgPoolOptions::new()
        .max_connections(1)
        .connect_lazy_with(options.options([("plan_cache_mode", "force_generic_plan")]));
    for (state, count) in [(DeliveryState::Failed, 3), (DeliveryState::Cancelled, 2)] {
        let filter = Filter { state: Some(state), before: None };
        let before = rows_read(&one).await;
        let found = deliveries::list(&one, endpoint, filter, 21).await.unwrap();
        assert_eq!(found.len(), count, "{state:?}");
        let read = rows_read(&one).await - before;
        assert!(read < 500, "{read} rows of 20,000 for {state:?}");
    }
}
