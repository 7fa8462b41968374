//! Lists of deliveries: their filters, and what they read.

use contracts::webhook::v1 as proto;
use kit::{Code, Fault, timestamp};
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;
use webhook::store::deliveries::{self, DeliveryState, Filter};
use webhook::store::{delivery_days, partitions};

use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, START, start};

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
             (endpoint_id, delivery_id, number, message_id, event, created_at, state, at, duration_ms, reason, answer)
         select $1, number, 1, id, event, $2,
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
    for (state, event, count) in [
        (Some(DeliveryState::Failed), None, 3),
        (Some(DeliveryState::Cancelled), None, 2),
        (None, Some("tip.paid"), 6),
        (Some(DeliveryState::Delivered), Some("tip.paid"), 4),
        (Some(DeliveryState::Failed), Some("ping"), 3),
    ] {
        let filter = Filter {
            state,
            event: event.map(ToOwned::to_owned),
            ..Filter::default()
        };
        let before = rows_read(&generic).await;
        let found = deliveries::list(&generic, endpoint, filter.clone(), 21).await;
        assert_eq!(found.unwrap().len(), count, "{filter:?}");
        let read = rows_read(&generic).await - before;
        assert!(read < 200, "{read} rows of 20,000 for {filter:?}");
    }
}

/// The last of an attempt's rows says how its delivery ended.
async fn log(
    pool: &PgPool,
    endpoint: Uuid,
    (id, number, created_at, state): (i64, i32, OffsetDateTime, &str),
) {
    let day = [partitions::day(created_at)].into();
    partitions::create(pool, &day).await.unwrap();
    sqlx::query!(
        "insert into webhook.attempt_log
             (endpoint_id, delivery_id, number, message_id, event, created_at, state, at, duration_ms, reason, answer)
         values ($1, $2, $3, $1, 'ping', $4, $5, $4, 1, '', '')",
        endpoint,
        id,
        number,
        created_at,
        state
    )
    .execute(pool)
    .await
    .unwrap();
}

#[testing::database_test(webhook::MIGRATOR)]
async fn deliveries_count_on_the_day_of_their_creation_by_their_last_end(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let endpoint = service.added(ADA, URL, &["tip.paid"]).await;
    let ago = |days| START - Duration::days(days);
    for row in [
        (1, 1, ago(14), "delivered"),
        (2, 1, ago(13), "delivered"),
        (3, 1, ago(1), "waiting"),
        (3, 2, ago(1), "failed"),
        // Sent again.
        (4, 1, ago(1), "failed"),
        (4, 2, ago(1), "delivered"),
        (5, 1, START, "cancelled"),
        (6, 1, START, "waiting"),
        (7, 1, START, "failed"),
    ] {
        log(&pool, endpoint, row).await;
    }
    let count = async |account: Uuid| {
        let request = proto::CountDeliveriesRequest {
            account_id: account.to_string(),
            endpoint_id: endpoint.to_string(),
        };
        service.deliveries.clone().count_deliveries(request).await
    };
    let counted = count(ADA).await.unwrap().into_inner();
    assert!(!counted.is_cut_off);
    let days = counted.days.iter();
    let days: Vec<(u64, u64)> = days.map(|it| (it.delivered, it.failed)).collect();
    let mut expected = vec![(0, 0); 14];
    (expected[0], expected[12], expected[13]) = ((1, 0), (1, 1), (0, 1));
    assert_eq!(days, expected);
    assert_eq!(counted.days[13].day, partitions::day(START).to_string());
    let foreign = Fault::from(count(Uuid::from_u128(9)).await.unwrap_err());
    assert_eq!(foreign.code, Code::NotFound);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_count_of_a_busy_endpoint_reads_its_newest_deliveries_and_says_so(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let endpoint = service.added(ADA, URL, &["tip.paid"]).await;
    for days in [1, 0] {
        // The first row makes the partition.
        let at = START - Duration::days(days);
        let first = (1 - days) * 10_000 + 1;
        log(&pool, endpoint, (first, 1, at, "delivered")).await;
        sqlx::query!(
            "insert into webhook.attempt_log
                 (endpoint_id, delivery_id, number, message_id, event, created_at, state, at, duration_ms, reason, answer)
             select $1, $2::bigint + number, 1, $1, 'ping', $3, 'delivered', $3, 1, '', '' from generate_series(1, 4999) as number",
            endpoint,
            first,
            at
        )
        .execute(&pool)
        .await
        .unwrap();
    }
    sqlx::query!("vacuum analyze webhook.attempt_log")
        .execute(&pool)
        .await
        .unwrap();
    let request = proto::CountDeliveriesRequest {
        account_id: ADA.to_string(),
        endpoint_id: endpoint.to_string(),
    };
    let counted = service.deliveries.clone().count_deliveries(request).await;
    let counted = counted.unwrap().into_inner();
    // The day before has more, which were not read.
    let days: Vec<u64> = counted.days.iter().map(|it| it.delivered).collect();
    assert_eq!((days, counted.is_cut_off), (vec![5_000], true));
    let options = PgConnectOptions::clone(&pool.connect_options());
    let one = PgPoolOptions::new()
        .max_connections(1)
        .connect_lazy_with(options);
    let before = rows_read(&one).await;
    let since = START - Duration::days(13);
    let counted = delivery_days::count(&one, endpoint, since, 500).await;
    assert_eq!(counted.unwrap()[0].count, 500);
    let read = rows_read(&one).await - before;
    assert!(read < 600, "{read} rows of 10,000");
}
