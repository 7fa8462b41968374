//! How the cost of one change, and of what owners read, grows with the number of endpoints.

use std::time::Instant;

use contracts::listings::v1::State;
use contracts::webhook::v1 as proto;
use sqlx::PgPool;
use uuid::Uuid;
use webhook::store::attempts;
use webhook::store::deliveries::DeliveryState;
use webhook::store::queue::Claim;

use crate::recording::attempt;
use crate::support::{ADA, START, TAKEN, Webhook, game, start};

const HOLDER: Uuid = Uuid::from_u128(1);
/// Results of one transaction, as the recorder has them at most.
const BATCH: usize = 1_000;
/// The median of so many runs is printed.
const RUNS: i64 = 5;

#[testing::database_test(webhook::MIGRATOR)]
#[ignore = "by hand: a measurement"]
async fn by_hand_the_cost_of_a_change_by_endpoints(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    println!(
        "endpoints  accounts   fan-out  recording  list of endpoints  list of deliveries  (ms)"
    );
    for (endpoints, accounts) in [(1, 1), (100, 1), (1_000, 1), (10_000, 1), (10_000, 10_000)] {
        let one = fill(&pool, endpoints, accounts).await;
        let mut measured: [Vec<f64>; 4] = Default::default();
        for run in 0..RUNS {
            let change = game(endpoints * 100 + accounts * 10 + run, "updated", State::Published);
            let times = [
                milliseconds(service.listings(&[change], TAKEN)).await,
                milliseconds(record(&pool)).await,
                milliseconds(list_endpoints(&service)).await,
                milliseconds(async { drop(service.list(ADA, one).await) }).await,
            ];
            measured.iter_mut().zip(times).for_each(|(column, time)| column.push(time));
        }
        let [fan_out, recording, list, deliveries] = measured.map(median);
        println!(
            "{endpoints:9}  {accounts:8}  {fan_out:8.1}  {recording:9.1}  {list:17.1}  {deliveries:18.1}"
        );
    }
}

async fn milliseconds(work: impl Future<Output = ()>) -> f64 {
    let begun = Instant::now();
    work.await;
    begun.elapsed().as_secs_f64() * 1_000.0
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Replaces all endpoints with new ones, spread evenly over the accounts. The first account is `ADA`. Returns one of its endpoints.
async fn fill(pool: &PgPool, endpoints: i64, accounts: i64) -> Uuid {
    sqlx::raw_sql("truncate webhook.endpoint, webhook.queue, webhook.waiting, webhook.attempt_log")
        .execute(pool)
        .await
        .unwrap();
    let insert = "with account as (
             insert into webhook.account (id, generation, plan)
             select lpad(to_hex(9 + n), 32, '0')::uuid, $3, 'build' from generate_series(1, $2) as n
             on conflict (id) do update set plan = 'build' returning id
         ), endpoint as (
             insert into webhook.endpoint (id, account_id, url, events, secret, created_at)
             select gen_random_uuid(), lpad(to_hex(10 + n % $2), 32, '0')::uuid, 'https://hooks.example/' || n,
                 array['listing.updated'], '', $4
             from generate_series(1, $1) as n returning id
         )
         insert into webhook.queue (endpoint_id, holder) select id, $5 from endpoint";
    sqlx::query(insert)
        .bind(endpoints)
        .bind(accounts)
        .bind(Uuid::nil())
        .bind(START)
        .bind(HOLDER)
        .execute(pool)
        .await
        .unwrap();
    sqlx::raw_sql("analyze").execute(pool).await.unwrap();
    let one = sqlx::query_scalar("select id from webhook.endpoint where account_id = $1 limit 1");
    one.bind(ADA).fetch_one(pool).await.unwrap()
}

/// Records a success of every delivery that waits.
async fn record(pool: &PgPool) {
    let waiting: Vec<(Uuid, i64)> = sqlx::query_as("select endpoint_id, id from webhook.waiting")
        .fetch_all(pool)
        .await
        .unwrap();
    let mut connection = pool.acquire().await.unwrap();
    for batch in waiting.chunks(BATCH) {
        let delivered = |(endpoint, id): &(Uuid, i64)| {
            let claim = Claim { endpoint: *endpoint, token: 0 };
            attempt(claim, *id, DeliveryState::Delivered, None)
        };
        let batch: Vec<_> = batch.iter().map(delivered).collect();
        attempts::complete(&mut connection, HOLDER, &batch, START).await.unwrap();
    }
}

async fn list_endpoints(service: &Webhook) {
    let request = proto::ListEndpointsRequest { account_id: ADA.to_string() };
    service.endpoints.clone().list_endpoints(request).await.unwrap();
}
