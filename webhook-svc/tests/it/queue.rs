//! Claims are disjoint and fair, and cost no more with a long backlog.

use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use testing::wait_until;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;
use webhook::domain::event::Event;
use webhook::domain::message::Message;
use webhook::store::queue::Claim;
use webhook::store::{messages, queue, waiting};

use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, BOB, LEASE, START, is_waiting_for_a_lock, start};

const URL: &str = "https://hooks.example/";
const ONE: Uuid = Uuid::from_u128(1);
const OTHER: Uuid = Uuid::from_u128(2);
const NONE: [Uuid; 0] = [];

/// Claims endpoints, and returns their ids.
async fn claim(pool: &PgPool, holder: Uuid, most: i64, now: OffsetDateTime) -> Vec<Uuid> {
    let mut connection = pool.acquire().await.unwrap();
    let claims = queue::claim(&mut connection, holder, most, now, LEASE).await.unwrap();
    claims.iter().map(|claim| claim.endpoint).collect()
}

#[testing::database_test(webhook::MIGRATOR)]
async fn claims_are_disjoint_until_a_lease_expires(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let mut endpoints = Vec::new();
    for account in [ADA, ADA, BOB, BOB] {
        let endpoint = service.added(account, URL, &["tip.paid"]).await;
        service.ping(account, endpoint).await;
        endpoints.push(endpoint);
    }
    let first = claim(&pool, ONE, 2, START).await;
    let second = claim(&pool, OTHER, 9, START).await;
    let mut all = [first.clone(), second.clone()].concat();
    all.sort_unstable();
    endpoints.sort_unstable();
    assert_eq!((first.len(), all), (2, endpoints));
    assert_eq!(claim(&pool, OTHER, 9, START).await, NONE);

    // The second replica renews its leases, the first does not.
    let later = START + Duration::seconds(8);
    let claims = |endpoints: &[Uuid], token| -> Vec<Claim> {
        let claim = |endpoint: &Uuid| Claim { endpoint: *endpoint, token };
        endpoints.iter().map(claim).collect()
    };
    let renewed = queue::renew(&pool, OTHER, &claims(&second, 1), later, LEASE).await;
    assert_eq!(renewed.unwrap().len(), 2);
    let lapsed = START + LEASE;
    let mut taken = claim(&pool, OTHER, 9, lapsed).await;
    taken.sort_unstable();
    let mut lost = first.clone();
    lost.sort_unstable();
    assert_eq!(taken, lost);
    let still = queue::renew(&pool, ONE, &claims(&first, 1), lapsed, LEASE).await;
    assert_eq!(still.unwrap(), []);
    // A token of an endpoint that the replica lost and claimed again is stale too.
    let again = queue::renew(&pool, OTHER, &claims(&first, 1), lapsed, LEASE).await;
    assert_eq!(again.unwrap(), []);
    // A replica cannot release an endpoint that another one has claimed.
    queue::release(&pool, ONE, &first, lapsed).await.unwrap();
    assert_eq!(claim(&pool, ONE, 9, lapsed).await, NONE);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn work_that_is_added_to_a_claimed_endpoint_is_not_lost(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let endpoint = service.added(ADA, URL, &["tip.paid"]).await;
    service.ping(ADA, endpoint).await;
    claim(&pool, ONE, 9, START).await;
    sqlx::query!("delete from webhook.waiting").execute(&pool).await.unwrap();
    queue::release(&pool, ONE, &[endpoint], START).await.unwrap();
    assert_eq!(claim(&pool, ONE, 9, START).await, NONE);

    service.ping(ADA, endpoint).await;
    assert_eq!(claim(&pool, ONE, 9, START).await, [endpoint]);
    service.ping(ADA, endpoint).await;
    // New work of a claimed endpoint is only for its holder.
    assert_eq!(claim(&pool, OTHER, 9, START).await, NONE);
    assert_eq!(claim(&pool, ONE, 9, START).await, [endpoint]);
    queue::release(&pool, ONE, &[endpoint], START).await.unwrap();
    assert_eq!(claim(&pool, OTHER, 9, START).await, [endpoint]);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn work_that_is_added_during_a_late_release_is_not_lost(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let endpoint = service.added(ADA, URL, &["tip.paid"]).await;
    service.ping(ADA, endpoint).await;
    claim(&pool, ONE, 9, START).await;
    sqlx::query!("delete from webhook.waiting").execute(&pool).await.unwrap();

    // The holder is late: its lease has expired, but no other replica has claimed the endpoint.
    let later = START + Duration::DAY;
    let mut adding = pool.begin().await.unwrap();
    let message = Message {
        id: Uuid::from_u128(3),
        event: Event::Ping,
        listing: None,
        recipients: None,
        created_at: later,
        body: b"{}".to_vec(),
    };
    messages::send_to(&mut adding, &message, endpoint, 1, later).await.unwrap();
    let endpoints = [endpoint];
    let release = queue::release(&pool, ONE, &endpoints, later);
    let commit = async {
        is_waiting_for_a_lock(&pool).await;
        adding.commit().await.unwrap();
    };
    let (released, ()) = tokio::join!(release, commit);
    released.unwrap();
    let claimed = claim(&pool, OTHER, 9, later).await;
    assert_eq!(claimed, [endpoint]);
}

/// The number of rows in the queue.
async fn rows(pool: &PgPool) -> i64 {
    let count = sqlx::query_scalar!(r#"select count(*) as "count!" from webhook.queue"#);
    count.fetch_one(pool).await.unwrap()
}

#[testing::database_test(webhook::MIGRATOR)]
async fn the_row_of_a_removed_endpoint_is_deleted_at_its_release(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let held = service.added(ADA, URL, &["tip.paid"]).await;
    service.ping(ADA, held).await;
    let idle = service.added(ADA, URL, &["tip.paid"]).await;
    let kept = service.added(ADA, URL, &["tip.paid"]).await;
    assert_eq!(claim(&pool, ONE, 9, START).await, [held]);
    for endpoint in [held, idle] {
        service.remove(ADA, endpoint).await;
    }
    // The holder gets the removed endpoint again; any replica may claim the idle one.
    assert_eq!(claim(&pool, OTHER, 9, START).await, [idle]);
    assert_eq!(claim(&pool, ONE, 9, START).await, [held]);
    assert_eq!(rows(&pool).await, 3);
    queue::release(&pool, ONE, &[held, kept], START).await.unwrap();
    queue::release(&pool, OTHER, &[idle], START).await.unwrap();
    assert_eq!(rows(&pool).await, 1);
}

/// The endpoint's row stays until the result is recorded.
#[testing::database_test(webhook::MIGRATOR)]
async fn an_attempt_that_outlives_its_endpoint_is_recorded(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Hang).await;
    let service = start(pool.clone(), &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    service.ping(ADA, endpoint).await;
    receiver.wait_for(1).await;
    service.remove(ADA, endpoint).await;
    receiver.set_behaviour(Behaviour::Status(200));
    wait_until("the endpoint is released", async || rows(&pool).await == 0).await;
    let attempts = sqlx::query_scalar!(r#"select count(*) as "count!" from webhook.attempt_log"#);
    assert_eq!(attempts.fetch_one(&pool).await.unwrap(), 1);
}

/// The statistics are older than the backlog: without `waiting::BEGIN_READ`, PostgreSQL would read and sort all of it for the first page.
#[testing::database_test(webhook::MIGRATOR)]
async fn a_backlog_neither_slows_reads_nor_starves_other_endpoints(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let flooded = service.added(ADA, URL, &["tip.paid"]).await;
    let other = service.added(BOB, URL, &["tip.paid"]).await;
    let delivery = service.ping(ADA, flooded).await;
    service.ping(BOB, other).await;
    let message: Uuid = delivery.message_id.parse().unwrap();
    let short_backlogs = sqlx::query!(
        "insert into webhook.waiting (endpoint_id, message_id, created_at, due_at)
         select md5((number % 1000)::text)::uuid, $1, $2, $2 from generate_series(1, 20000) as number",
        message,
        START,
    );
    short_backlogs.execute(&pool).await.unwrap();
    let analyzed = sqlx::query!("analyze webhook.waiting");
    analyzed.execute(&pool).await.unwrap();
    let backlog = sqlx::query!(
        "insert into webhook.waiting (endpoint_id, message_id, created_at, due_at)
         select $1, $2, $3, $3 from generate_series(1, 5000)",
        flooded,
        message,
        START,
    );
    backlog.execute(&pool).await.unwrap();

    // PostgreSQL publishes the statistics of a session: a single connection can force that for all of its reads.
    let one = PgPoolOptions::new()
        .max_connections(1)
        .connect_lazy_with((*pool.connect_options()).clone());
    let claimed = claim(&one, ONE, 9, START).await;
    assert_eq!(claimed.len(), 2, "both, whatever waits");
    let start_cursor = (OffsetDateTime::UNIX_EPOCH, 0);
    let read = waiting::due(&one, flooded, start_cursor, 128, START).await.unwrap();
    assert_eq!(read.len(), 128);
    let cursor = (read[127].due_at, read[127].id);
    let next = waiting::due(&one, flooded, cursor, 128, START).await.unwrap();
    assert!(next[0].id > read[127].id);
    let rows = rows_read(&one).await;
    assert!(rows < 1_000, "{rows} rows of 5,001 are read");
}

/// The rows of `webhook.waiting` that were read. `pool` has one connection, whose reads are all counted.
async fn rows_read(pool: &PgPool) -> i64 {
    sqlx::raw_sql("select pg_stat_force_next_flush()").execute(pool).await.unwrap();
    let rows = sqlx::query_scalar!(
        r#"select seq_tup_read + idx_tup_fetch as "count!" from pg_stat_user_tables where relname = 'waiting'"#
    );
    rows.fetch_one(pool).await.unwrap()
}
