//! Lists of deliveries: their filters, and what they read.

use contracts::webhook::v1 as proto;
use kit::{Fault, timestamp};
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use time::Duration;
use webhook::store::deliveries::{self, Filter};
use webhook::store::partitions;

use crate::support::{ADA, PATIENCE, START, start};

const URL: &str = "https://hooks.example/";

#[testing::database_test(webhook::MIGRATOR)]
async fn a_span_does_not_end_before_it_begins(pool: PgPool) {
    let service = start(pool, &[]).await;
    let endpoint = service.added(ADA, URL, &["tip.paid"]).await;
    let list = async |since, until| {
        let request = proto::ListDeliveriesRequest {
            account_id: ADA.to_string(),
            endpoint_id: endpoint.to_string(),
            since: Some(timestamp::encode(since)),
            until: Some(timestamp::encode(until)),
            ..proto::ListDeliveriesRequest::default()
        };
        service.deliveries.clone().list_deliveries(request).await
    };
    let later = START + Duration::SECOND;
    list(START, later).await.unwrap();
    let refused = Fault::from(list(later, START).await.unwrap_err());
    assert!(refused.fields["until"].contains("`since`"), "{refused:?}");
}

/// PostgreSQL may use the plan for any filter, which reads the whole log of a busy endpoint.
#[testing::database_test(webhook::MIGRATOR)]
async fn a_list_of_failed_deliveries_reads_the_index_of_failed_ones(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let endpoint = service.added(ADA, URL, &["tip.paid"]).await;
    partitions::create(&pool, &[partitions::day(START)].into())
        .await
        .unwrap();
    sqlx::query!(
        "with made as (
             insert into webhook.message (id, event, body, created_at) values (gen_random_uuid(), 'ping', '{}', $2) returning id
         )
         insert into webhook.attempt_log (endpoint_id, delivery_id, number, message_id, created_at, state, at, duration_ms, reason, answer)
         select $1, number, 1, id, $2, case when number <= 3 then 'failed' else 'delivered' end, $2, 1, '', ''
         from made, generate_series(1, 5000) as number",
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
    let filter = Filter {
        state: Some("failed"),
        ..Filter::default()
    };
    let scanned = async {
        loop {
            let found = deliveries::list(&generic, endpoint, filter.clone(), 21).await;
            assert_eq!(found.unwrap().len(), 3);
            // PostgreSQL counts a scan some time after it.
            let scans = sqlx::query_scalar!(
                r#"select coalesce(sum(idx_scan), 0)::bigint as "scans!" from pg_stat_user_indexes
                   where indexrelname like 'attempt_log_%_endpoint_id_delivery_id_idx'"#
            );
            if scans.fetch_one(&pool).await.unwrap() > 0 {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(PATIENCE, scanned).await.unwrap();
}
