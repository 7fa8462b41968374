//! Lists of deliveries: their filter, and what they read.

use contracts::webhook::v1 as proto;
use kit::{Code, Fault};
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use webhook::store::deliveries::{self, DeliveryState, Filter};
use webhook::store::partitions;

use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, START, start};

const URL: &str = "https://hooks.example/";

/// As a later version may write it while this one still runs.
#[testing::database_test(webhook::MIGRATOR)]
async fn a_delivery_in_an_unknown_state_is_an_internal_fault(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool, &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    let id = service.ping(ADA, endpoint).await.id;
    service.attempted(ADA, endpoint, id, 1).await;
    let later = "alter table webhook.attempt_log drop constraint attempt_log_state_check;
         update webhook.attempt_log set state = 'later'";
    sqlx::raw_sql(later).execute(&service.pool).await.unwrap();
    let request = proto::ListDeliveriesRequest {
        account_id: ADA.to_string(),
        endpoint_id: endpoint.to_string(),
        ..proto::ListDeliveriesRequest::default()
    };
    let listed = service.deliveries.clone().list_deliveries(request).await;
    assert_eq!(Fault::from(listed.unwrap_err()).code, Code::Internal);
}

/// Rows of the log that were read through this pool, which has one connection.
async fn rows_read(one: &PgPool) -> i64 {
    sqlx::raw_sql("select pg_stat_force_next_flush()")
        .execute(one)
        .await
        .unwrap();
    sqlx::query_scalar!(
        r#"select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint as "read!" from pg_stat_user_tables
           where schemaname = 'webhook' and relname like 'attempt_log%'"#
    )
    .fetch_one(one)
    .await
    .unwrap()
}

/// PostgreSQL may use the plan for any filter, which reads the whole log of a busy endpoint.
#[testing::database_test(webhook::MIGRATOR)]
async fn a_filtered_list_of_a_busy_endpoint_does_not_read_its_whole_log(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let endpoint = service.added(ADA, URL, &["tip.paid"]).await;
    partitions::create(&pool, &[partitions::day(START)].into())
        .await
        .unwrap();
    // The oldest ones are the rare ones.
    sqlx::query!(
        "with made as (
             insert into webhook.message (id, event, body, created_at)
             select gen_random_uuid(), event, '{}', $2 from unnest(array['ping', 'tip.paid']) as event
             returning id, event
         )
         insert into webhook.attempt_log
             (endpoint_id, delivery_id, number, message_id, created_at, state, at, duration_ms, reason, answer)
         select $1, number, 1, id, $2,
             case when number <= 3 then 'failed' when number <= 5 then 'cancelled' else 'delivered' end, $2, 1, '', ''
         from generate_series(1, 20000) as number
         join made on event = case when number between 4 and 9 then 'tip.paid' else 'ping' end",
        endpoint,
        START
    )
    .execute(&pool)
    .await
    .unwrap();
    sqlx::query!("vacuum analyze webhook.attempt_log")
        .execute(&pool)
        .await
        .unwrap();
    let options = PgConnectOptions::clone(&pool.connect_options());
    let generic = PgPoolOptions::new()
        .max_connections(1)
        .connect_lazy_with(options.options([("plan_cache_mode", "force_generic_plan")]));
    for (state, count) in [(DeliveryState::Failed, 3), (DeliveryState::Cancelled, 2)] {
        let filter = Filter {
            state: Some(state),
            before: None,
        };
        let before = rows_read(&generic).await;
        let found = deliveries::list(&generic, endpoint, filter, 21).await;
        assert_eq!(found.unwrap().len(), count, "{filter:?}");
        let read = rows_read(&generic).await - before;
        assert!(read < 200, "{read} rows of 20,000 for {filter:?}");
    }
}
