//! *Recover* sends failed deliveries again.

use contracts::listings::v1::State::Published;
use contracts::webhook::v1 as proto;
use kit::Fault;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;
use webhook::domain::schedule::Schedule;

use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, START, TAKEN, Webhook, game, start};

const URL: &str = "https://hooks.example/";

/// Inserts failed deliveries, spread over the ten days before [`START`]; each failed as soon as it was created.
pub(crate) async fn insert_failed(pool: &PgPool, endpoint: Uuid, deliveries: i32) {
    sqlx::query!(
        "with made as (
             insert into webhook.message (id, event, listing_kind, listing_id, body, created_at)
             select gen_random_uuid(), 'listing.updated', 'game', gen_random_uuid(), '{}', $2
             from generate_series(1, $3)
             returning id
         ), numbered as (
             select id, row_number() over () as number from made
         )
         insert into webhook.attempt_log
             (endpoint_id, delivery_id, number, message_id, created_at, state, at, duration_ms, reason, answer)
         select $1, number, 6, id, $2 + interval '10 days' * number / ($3 + 1), 'failed',
             $2 + interval '10 days' * number / ($3 + 1), 1, 'refused', ''
         from numbered",
        endpoint,
        START - Duration::days(10),
        deliveries,
    )
    .execute(pool)
    .await
    .unwrap();
}

pub(crate) async fn recover(
    service: &Webhook,
    endpoint: Uuid,
    since: Option<OffsetDateTime>,
    dry_run: bool,
) -> Result<proto::RecoverResponse, Fault> {
    let request = proto::RecoverRequest {
        account_id: ADA.to_string(),
        endpoint_id: endpoint.to_string(),
        since: since.map(kit::api::timestamp::encode),
        dry_run,
    };
    let answer = service.deliveries.clone().recover(request).await;
    Ok(answer?.into_inner())
}

async fn waiting(pool: &PgPool, endpoint: Uuid) -> i64 {
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!" from webhook.waiting where endpoint_id = $1"#,
        endpoint
    );
    count.fetch_one(pool).await.unwrap()
}

#[testing::database_test(webhook::MIGRATOR)]
async fn at_most_ten_thousand_failed_deliveries_are_requeued_each_once(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let endpoint = service.added(ADA, URL, &["listing.updated"]).await;
    insert_failed(&pool, endpoint, 24_000).await;
    let since = START - Duration::days(5);
    let counted = recover(&service, endpoint, Some(since), true).await.unwrap();
    let first = recover(&service, endpoint, Some(since), false).await.unwrap();
    assert_eq!(first.oldest, counted.oldest);
    assert_eq!((first.deliveries, counted.deliveries), (10_000, 10_000));
    assert_eq!(waiting(&pool, endpoint).await, 10_000);
    for rest in [2_000, 0] {
        let again = recover(&service, endpoint, Some(since), false).await.unwrap();
        assert_eq!(again.deliveries, rest);
        assert_eq!(waiting(&pool, endpoint).await, 12_000);
    }
}

#[testing::database_test(webhook::MIGRATOR)]
async fn the_oldest_failed_delivery_is_known_after_a_success(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(500)).await;
    let mut service = start(pool.clone(), &[&receiver]).await.delivering();
    // A schedule without retries: each delivery has one attempt.
    service.publisher.schedule = Schedule::new(Vec::new());
    let events = ["listing.updated"];
    let endpoint = service.added(ADA, &receiver.url(), &events).await;
    for (day, status) in [(0, 500), (3, 500), (4, 200)] {
        let time = START + Duration::days(day);
        service.clock.advance(time - service.clock.now());
        receiver.set_behaviour(Behaviour::Status(status));
        let change = game(day + 2, "updated", Published);
        service.listings(&[change], TAKEN).await;
        service.newest_attempted(ADA, endpoint, 1).await;
    }
    let health = service.endpoint(ADA, endpoint).await.health.unwrap();
    assert_eq!(health.failures, 0);
    let failed = recover(&service, endpoint, None, true).await.unwrap();
    assert_eq!(failed.deliveries, 2);
    assert_eq!(failed.oldest, Some(kit::api::timestamp::encode(START)));
    let sent = recover(&service, endpoint, Some(START), false).await.unwrap();
    assert_eq!(sent.deliveries, 2);
    receiver.wait_for(5).await;
}

/// `since` is compared with the time of failure: a delivery may have been created days before.
#[testing::database_test(webhook::MIGRATOR)]
async fn deliveries_are_recovered_by_their_time_of_failure(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let mut service = start(pool.clone(), &[&receiver]).await.delivering();
    service.publisher.schedule = Schedule::new(Vec::new());
    let events = ["listing.updated"];
    let endpoint = service.added(ADA, &receiver.url(), &events).await;
    let failed_at = |delivery: proto::Delivery| {
        let at = delivery.last_attempt.and_then(|attempt| attempt.at);
        kit::api::timestamp::decode(at.unwrap()).unwrap()
    };
    service.set_paused(ADA, endpoint, true).await;
    let made = [2, 3, 4].map(|seq| game(seq, "updated", Published));
    service.listings(&made, TAKEN).await;
    receiver.set_behaviour(Behaviour::Status(500));
    service.clock.advance(Duration::days(2));
    service.set_paused(ADA, endpoint, false).await;
    let failed = service.failed(ADA, endpoint, 3).await;
    let first = failed.into_iter().map(failed_at).min().unwrap();
    assert_eq!(first, START + Duration::days(2));
    service.clock.advance(Duration::SECOND);

    let count =
        async |since| recover(&service, endpoint, Some(since), true).await.unwrap().deliveries;
    assert_eq!(count(first - Duration::MILLISECOND).await, 3);
    assert_eq!(count(first).await, 3);
    assert_eq!(count(first + Duration::MILLISECOND).await, 0);
    receiver.set_behaviour(Behaviour::Status(200));
    let since = first - Duration::MILLISECOND;
    let sent = recover(&service, endpoint, Some(since), false).await.unwrap();
    assert_eq!(sent.deliveries, 3);
    receiver.wait_for(6).await;
}

#[testing::database_test(webhook::MIGRATOR)]
async fn recovered_deliveries_of_a_paused_endpoint_wait_until_it_is_resumed(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(500)).await;
    let mut service = start(pool.clone(), &[&receiver]).await.delivering();
    service.publisher.schedule = Schedule::new(Vec::new());
    let events = ["listing.updated"];
    let endpoint = service.added(ADA, &receiver.url(), &events).await;
    let change = game(2, "updated", Published);
    service.listings(&[change], TAKEN).await;
    service.failed(ADA, endpoint, 1).await;
    receiver.set_behaviour(Behaviour::Status(200));
    service.set_paused(ADA, endpoint, true).await;
    let answer = recover(&service, endpoint, Some(START), false).await.unwrap();
    assert_eq!(answer.deliveries, 1);
    assert_eq!(waiting(&pool, endpoint).await, 1);
    assert_eq!(receiver.received().len(), 1, "nothing is sent");
    service.set_paused(ADA, endpoint, false).await;
    receiver.wait_for(2).await;
}
