//! The schema of the version before `attempt_log` becomes the present one, while that version still runs.

use std::borrow::Cow;

use contracts::webhook::v1::DeliveryState::{self, Cancelled, Delivered, Failed, Waiting};
use sqlx::PgPool;
use sqlx::migrate::Migrator;
use uuid::Uuid;
use webhook::MIGRATOR;
use webhook::domain::signature::Secret;
use webhook::store::upgrade;

use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, START, Webhook, key_ring, replica, start};

/// The migration that renames `delivery` to `waiting`.
const WAITING: i64 = 8;

/// The migrations of the old version.
fn old_version() -> Migrator {
    let old = MIGRATOR.iter().filter(|it| it.version < WAITING);
    Migrator {
        migrations: Cow::Owned(old.cloned().collect()),
        table_name: MIGRATOR.table_name.clone(),
        create_schemas: MIGRATOR.create_schemas.clone(),
        ..Migrator::DEFAULT
    }
}

/// Adds an endpoint as the old version does.
async fn add_endpoint(pool: &PgPool, url: &str) -> Uuid {
    let id = kit::ids::row_id();
    let secret = key_ring("a").seal(id, &Secret::generate()).unwrap();
    let added = sqlx::query!(
        "with queue as (insert into webhook.queue (endpoint_id) values ($1))
         insert into webhook.endpoint (id, account_id, url, events, secret, created_at)
         values ($1, $2, $3, array['tip.paid'], $4, $5)",
        id,
        ADA,
        url,
        secret,
        START,
    );
    added.execute(pool).await.unwrap();
    id
}

/// Creates a delivery as the old version does. Returns its id.
async fn add_delivery(pool: &PgPool, endpoint: Uuid) -> i64 {
    let body = format!(r#"{{"id":"{}","event":"ping"}}"#, kit::ids::row_id());
    sqlx::query_scalar!(
        r#"with made as (
             insert into webhook.message (id, event, body, created_at) values ($2, 'ping', $3, $4)
         )
         insert into webhook.delivery (endpoint_id, message_id, created_at, tries_left, due_at) values ($1, $2, $4, 6, $4)
         returning id as "id!""#,
        endpoint,
        kit::ids::row_id(),
        body.as_bytes(),
        START,
    )
    .fetch_one(pool)
    .await
    .unwrap()
}

/// Records attempts as the old version does: the last one gives the delivery this state.
async fn add_attempts(pool: &PgPool, endpoint: Uuid, delivery: i64, attempts: i32, state: &str) {
    for number in 1..=attempts {
        let done = sqlx::query!(
            "with updated as (
                 update webhook.delivery
                 set tries = $3, state = $4, tries_left = 6 - $3, due_at = case when $4 = 'waiting' then $5::timestamptz end
                 where endpoint_id = $1 and id = $2 and tries = $3 - 1
                 returning endpoint_id, id
             )
             insert into webhook.attempt (endpoint_id, delivery_id, number, at, duration_ms, status, reason, answer)
             select endpoint_id, id, $3, $5, 7, 500, 'answered 500', 'answer' from updated",
            endpoint,
            delivery,
            number,
            if number == attempts { state } else { "waiting" },
            START,
        );
        assert_eq!(done.execute(pool).await.unwrap().rows_affected(), 1);
    }
}

async fn states(service: &Webhook, endpoint: Uuid) -> Vec<(i64, DeliveryState, u32)> {
    let list = service.list(ADA, endpoint).await;
    let states = list.iter().rev();
    states.map(|it| (it.id, it.state(), it.tries)).collect()
}

/// A database with the tables of the old version.
#[expect(clippy::disallowed_methods, reason = "DDL is no checked query")]
async fn migrate_to_old_version(pool: &PgPool) {
    // A new database may have the present tables.
    let drop = sqlx::raw_sql("drop schema if exists webhook cascade");
    drop.execute(pool).await.unwrap();
    old_version().run(pool).await.unwrap();
}

#[testing::database_test]
async fn deliveries_of_the_old_version_are_kept_and_sent_once(pool: PgPool) {
    migrate_to_old_version(&pool).await;
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool.clone(), &[&receiver]).await;
    let endpoint = add_endpoint(&pool, &receiver.url()).await;
    let delivered = add_delivery(&pool, endpoint).await;
    add_attempts(&pool, endpoint, delivered, 2, "delivered").await;
    let failed = add_delivery(&pool, endpoint).await;
    add_attempts(&pool, endpoint, failed, 6, "failed").await;
    let retried = add_delivery(&pool, endpoint).await;
    add_attempts(&pool, endpoint, retried, 1, "waiting").await;
    let cancelled = add_delivery(&pool, endpoint).await;
    sqlx::query!(
        "update webhook.delivery set state = 'cancelled', due_at = null where id = $1",
        cancelled
    )
    .execute(&pool)
    .await
    .unwrap();
    let due = add_delivery(&pool, endpoint).await;

    MIGRATOR.run(&pool).await.unwrap();
    // The old version still runs: it finishes a delivery, and adds one.
    add_attempts(&pool, endpoint, due, 1, "delivered").await;
    let late = add_delivery(&pool, endpoint).await;
    let before = [
        (delivered, Delivered, 2),
        (failed, Failed, 6),
        (retried, Waiting, 1),
        (cancelled, Cancelled, 0),
        (due, Delivered, 1),
        (late, Waiting, 0),
    ];
    assert_eq!(states(&service, endpoint).await, before);

    assert_eq!(upgrade::run(&pool, START).await.unwrap(), 10);
    let mut after = before;
    after[3] = (cancelled, Cancelled, 1);
    assert_eq!(states(&service, endpoint).await, after);
    let shown = service.delivery(ADA, endpoint, failed).await;
    assert_eq!(shown.attempts.len(), 6);
    assert_eq!(shown.attempts[5].answer, "answer");
    assert_eq!(shown.delivery.unwrap().last_attempt.unwrap().number, 6);

    let new = replica(pool.clone(), service.clock.clone(), &[&receiver]).await;
    let new = new.delivering();
    sqlx::query!("update webhook.queue set due_at = $1", START)
        .execute(&pool)
        .await
        .unwrap();
    receiver.wait_for(2).await;
    new.tried(ADA, endpoint, 1).await;
    let all_sent = async {
        while states(&new, endpoint).await[2] != (retried, Delivered, 2) {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(crate::support::PATIENCE, all_sent)
        .await
        .unwrap();
    assert_eq!(receiver.received().len(), 2);
    assert_eq!(upgrade::run(&pool, START).await.unwrap(), 0);
}

/// It runs every ten minutes, long after the old version.
#[testing::database_test(webhook::MIGRATOR)]
#[expect(clippy::disallowed_methods, reason = "a lock is no checked query")]
async fn a_run_that_finds_nothing_reads_no_deliveries(pool: PgPool) {
    let mut writer = pool.begin().await.unwrap();
    sqlx::raw_sql("lock table webhook.waiting")
        .execute(&mut *writer)
        .await
        .unwrap();
    let running = tokio::time::timeout(testing::LONG, upgrade::run(&pool, START));
    assert_eq!(running.await.unwrap().unwrap(), 0);
}
