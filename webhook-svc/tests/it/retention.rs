//! Retention removes old deliveries.

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, PgPool};
use time::{Duration, OffsetDateTime};
use webhook::store::READ_BY_INDEXES;
use webhook::store::retention;

use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, START, rows_read, start};

#[testing::database_test(webhook::MIGRATOR)]
async fn old_deliveries_are_removed_with_attempts_and_messages(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool.clone(), &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    service.ping(ADA, endpoint).await;
    service.newest_attempted(ADA, endpoint, 1).await;
    // Retention also removes the waiting deliveries of a paused endpoint.
    let paused = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    service.set_paused(ADA, paused, true).await;
    service.ping(ADA, paused).await;
    service.clock.advance(Duration::days(20));
    service.ping(ADA, endpoint).await;
    service.newest_attempted(ADA, endpoint, 1).await;

    let rows = async || {
        sqlx::query!(
            r#"select (select count(*) from webhook.waiting) as "waiting!",
                   (select count(*) from webhook.attempt_log) as "attempts!",
                   (select count(*) from webhook.message) as "messages!""#
        )
        .fetch_one(&pool)
        .await
        .map(|row| (row.waiting, row.attempts, row.messages))
        .unwrap()
    };
    assert_eq!(rows().await, (1, 2, 3));
    let kept = retention::remove(&pool, START).await.unwrap();
    assert_eq!((kept, rows().await), (0, (1, 2, 3)));
    let later = START + Duration::days(3);
    // An attempt, a waiting delivery, and two messages.
    let removed = retention::remove(&pool, later).await.unwrap();
    assert_eq!((removed, rows().await), (4, (0, 1, 1)));
    assert_eq!(service.list(ADA, endpoint).await.len(), 1);
}

/// A list that is read between two statements shows a delivery as it was, or not at all.
#[testing::database_test(webhook::MIGRATOR)]
async fn the_attempts_of_a_delivery_are_removed_together(pool: PgPool) {
    // 6,000 rows, three a delivery, and after each statement a check that none has fewer.
    let fill = "insert into webhook.attempt_log
            (endpoint_id, delivery_id, number, message_id, created_at, state, at, duration_ms, reason, answer)
        select '00000000-0000-0000-0000-000000000001', delivery, number, gen_random_uuid(), '2026-01-01', 'waiting', '2026-01-01', 1, '', ''
            from generate_series(1, 3) as number, generate_series(1, 2000) as delivery;
        create function webhook.check_attempts() returns trigger language plpgsql as $$ begin
            if exists (select from webhook.attempt_log group by delivery_id having count(*) < 3) then
                raise 'attempts of a delivery are missing';
            end if;
            return null;
        end $$;
        create trigger check_attempts after delete on webhook.attempt_log execute function webhook.check_attempts()";
    sqlx::raw_sql(fill).execute(&pool).await.unwrap();
    let removed = retention::remove(&pool, START).await.unwrap();
    assert_eq!(removed, 6_000);
}

/// New rows take the place of removed ones, as in a service that has run for months.
#[testing::database_test(webhook::MIGRATOR)]
async fn rows_that_stay_are_not_read(pool: PgPool) {
    let options = PgConnectOptions::clone(&pool.connect_options());
    let one =
        PgPoolOptions::new().max_connections(1).connect_lazy_with(options.options(READ_BY_INDEXES));
    let fill = async |created_at: OffsetDateTime| {
        sqlx::query(
            "with made as (
                 insert into webhook.message (id, event, body, created_at)
                 select gen_random_uuid(), 'ping', '', $1 from generate_series(1, 5000)
                 returning id
             ), queued as (
                 insert into webhook.waiting (endpoint_id, message_id, created_at, due_at) select id, id, $1, $1 from made
             )
             insert into webhook.attempt_log
                 (endpoint_id, delivery_id, number, message_id, created_at, state, at, duration_ms, reason, answer)
             select id, 1, 1, id, $1, 'delivered', $1, 1, '', '' from made",
        )
        .bind(created_at)
        .execute(&pool)
        .await
        .unwrap();
    };
    fill(START - Duration::days(60)).await;
    fill(START).await;
    retention::remove(&one, START).await.unwrap();
    for table in ["attempt_log", "message", "waiting"] {
        let vacuum = AssertSqlSafe(format!("vacuum analyze webhook.{table}"));
        sqlx::raw_sql(vacuum).execute(&pool).await.unwrap();
    }
    fill(START).await;
    let before = rows_read(&one).await;
    assert_eq!(retention::remove(&one, START).await.unwrap(), 0);
    let read = rows_read(&one).await - before;
    assert!(read < 100, "{read} rows of 30,000 are read");
}
