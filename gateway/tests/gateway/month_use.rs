//! Monthly usage in Redis and PostgreSQL, when one of them is down or has lost its data.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::future::join_all;
use gateway::domain::key::{Caller, Mode};
use gateway::domain::month::{AccountMonth, Month};
use gateway::domain::plan::Plan;
use gateway::quota::{Counters, Denial, Quota};
use gateway::store::month_use as store;
use kit::Clock;
use kit::config::Secret;
use kit::redis::Redis;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

use crate::support::{LONG, START, another, caller, eventually, lock, plans, redis_url};

const NO_REDIS_URL: &str = "redis://127.0.0.1:1";

fn redis(url: &str) -> Redis {
    Redis::lazy(&Secret::from(url.to_owned()), LONG, "").unwrap()
}

/// The quota of one gateway, which the test flushes.
struct Process {
    quota: Quota,
    clock: Clock,
}

fn process(pool: &PgPool) -> Process {
    with_redis_at(&redis_url(), pool)
}

fn with_redis_at(url: &str, pool: &PgPool) -> Process {
    let clock = Clock::fixed(START);
    let counters = Counters::new(redis(url), clock.clone());
    Process { quota: Quota::new(counters, pool.clone(), LONG, 50, clock.clone()), clock }
}

impl Process {
    /// Makes concurrent calls; returns the monthly count after each.
    async fn take(&self, callers: impl IntoIterator<Item = &Caller>) -> Vec<Option<u64>> {
        let plan = plan();
        let calls = callers.into_iter().map(async |caller| {
            let status = self.quota.consume(caller, &plan).await.unwrap();
            status.month_used
        });
        join_all(calls).await
    }

    /// Makes one call; returns the monthly count after it.
    async fn take_one(&self, caller: &Caller) -> Option<u64> {
        self.take([caller]).await[0]
    }

    async fn flush(&self) {
        self.quota.flush_month_use().await;
    }
}

fn plan() -> Plan {
    plans("").get("free").unwrap().clone()
}

fn live() -> Caller {
    caller(kit::ids::row_id(), Mode::Live)
}

fn month(caller: &Caller) -> AccountMonth {
    AccountMonth { account: caller.key.account, month: Month::at(START) }
}

/// The monthly count in PostgreSQL.
async fn written(pool: &PgPool, caller: &Caller) -> Option<u64> {
    store::read(pool, month(caller)).await.unwrap()
}

async fn write(pool: &PgPool, caller: &Caller, used: u64) {
    store::write(&mut pool.acquire().await.unwrap(), [(month(caller), used)]).await.unwrap();
}

/// The key of an account's hash in Redis.
fn name(caller: &Caller) -> String {
    format!("gateway:{{{}}}:usage", caller.key.account)
}

async fn command(words: &[&str]) {
    let mut command = redis::cmd(words[0]);
    command.arg(&words[1..]);
    redis(&redis_url()).query::<()>("test", &command).await.unwrap();
}

#[testing::database_test(gateway::MIGRATOR)]
async fn counts_are_flushed_and_never_lowered(pool: PgPool) {
    let process = process(&pool);
    let (one, other) = (live(), live());
    process.take([&one; 3]).await;
    process.take([&other; 2]).await;
    assert_eq!(written(&pool, &other).await, None);
    process.flush().await;
    assert_eq!(written(&pool, &one).await, Some(3));
    assert_eq!(written(&pool, &other).await, Some(2));
    process.take_one(&one).await;
    write(&pool, &one, 9).await;
    process.flush().await;
    assert_eq!(written(&pool, &one).await, Some(9));
    // Calls of test keys are not counted.
    let sample = live();
    let test = caller(sample.key.account, Mode::Test);
    process.take_one(&test).await;
    process.flush().await;
    assert_eq!(written(&pool, &sample).await, None);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_missing_month_is_read_once_for_all_waiting_calls(pool: PgPool) {
    let process = process(&pool);
    let account = kit::ids::row_id();
    let keys = [Mode::Live, Mode::Live, Mode::Test].map(|mode| caller(account, mode));
    write(&pool, &keys[0], 40).await;
    let calls = (0..300).map(|n| &keys[n % 3]);
    let mut used = process.take(calls).await;
    // Every third call is made with a test key, which reads the count without using it.
    let looks: Vec<Option<u64>> = used.iter().skip(2).step_by(3).copied().collect();
    assert!(looks.iter().all(|used| (Some(40)..=Some(240)).contains(used)));
    used = used.chunks(3).flat_map(|three| three[..2].to_vec()).collect();
    used.sort_unstable();
    assert!(used.into_iter().eq((41..=240).map(Some)));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_count_in_redis_wins_over_postgresql(pool: PgPool) {
    let process = process(&pool);
    for (in_redis, in_postgresql) in [(5, 9), (9, 5)] {
        let caller = live();
        let count = in_redis.to_string();
        command(&["HSET", &name(&caller), "2026-03", &count]).await;
        write(&pool, &caller, in_postgresql).await;
        assert_eq!(process.take_one(&caller).await, Some(in_redis + 1));
        process.flush().await;
        let copy = in_postgresql.max(in_redis + 1);
        assert_eq!(written(&pool, &caller).await, Some(copy));
    }
}

/// Otherwise the hash of an account would grow with its months and keys.
#[testing::database_test(gateway::MIGRATOR)]
async fn seeding_a_month_removes_expired_fields(pool: PgPool) {
    let process = process(&pool);
    let caller = live();
    let february = time::macros::datetime!(2026-02-28 23:59:59 UTC);
    let old = ["2025-12", "40", "2026-01", "30", "2026-02", "20"];
    command(&[&["HSET", &name(&caller)][..], &old].concat()).await;
    command(&["HSET", &name(&caller), "day:2026-01-31", "30"]).await;
    // One key was revoked long before the month, the other just before it.
    let of_account = |n| Caller {
        key: gateway::domain::key::Key {
            id: uuid::Uuid::from_u128(n),
            chain: uuid::Uuid::from_u128(n),
            ..caller.key.clone()
        },
        ..caller.clone()
    };
    let (past, recent) = (of_account(1), of_account(2));
    let long_before = february - Duration::from_hours(72);
    // One key has a current minute, the other an expired one.
    let (now, other) = (of_account(3), of_account(4));
    let counters = Counters::new(redis(&redis_url()), process.clock.clone());
    for (at, revoked, called) in [(long_before, &past, &other), (february, &recent, &now)] {
        process.clock.advance(at - process.clock.now());
        assert!(counters.revoke(revoked.key.account, revoked.key.id).await);
        process.take_one(called).await;
    }
    process.clock.advance(START - process.clock.now());
    assert_eq!(process.take_one(&now).await, Some(1));
    let fields: BTreeSet<String> =
        redis(&redis_url()).query("test", redis::cmd("HKEYS").arg(name(&caller))).await.unwrap();
    let expected = [
        "2026-02".to_owned(),
        "2026-03".to_owned(),
        // The list of days in early March still needs these.
        "day:2026-02-25".to_owned(),
        "day:2026-02-28".to_owned(),
        "day:2026-03-22".to_owned(),
        format!("{}:revoked", recent.key.id),
        format!("{}:start", now.key.id),
        format!("{}:calls", now.key.id),
    ];
    assert_eq!(fields, BTreeSet::from(expected));
    assert!(process.quota.is_revoked(&recent).await);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn counts_in_memory_survive_an_emptied_redis(pool: PgPool) {
    let process = process(&pool);
    let caller = live();
    process.take([&caller; 5]).await;
    // The count has not been flushed yet.
    command(&["DEL", &name(&caller)]).await;
    assert_eq!(process.take_one(&caller).await, Some(6));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn calls_without_redis_and_postgresql_are_admitted_and_not_counted_later(pool: PgPool) {
    let nowhere = PgPoolOptions::new()
        .acquire_timeout(Duration::from_millis(50))
        .connect_lazy("postgres://nobody@127.0.0.1:1/nothing")
        .unwrap();
    let cut_off = process(&nowhere);
    let caller = live();
    // Redis has no count for the month, and PostgreSQL cannot be read.
    for _ in 0..3 {
        assert_eq!(cut_off.take_one(&caller).await, None);
    }
    // The limit per minute still applies.
    let tight = plans("calls_per_minute = 4").get("free").unwrap().clone();
    let fourth = cut_off.quota.consume(&caller, &tight).await;
    assert!(fourth.is_ok());
    let fifth = cut_off.quota.consume(&caller, &tight).await;
    assert!(matches!(fifth, Err(Denial::Minute(_))), "{fifth:?}");

    assert_eq!(process(&pool).take_one(&caller).await, Some(1));
}

/// One load that fails is no outage. In an outage, which a flush notices, calls do not wait for PostgreSQL.
#[testing::database_test(gateway::MIGRATOR)]
async fn a_month_is_read_again_when_postgresql_is_back(pool: PgPool) {
    let through = PgPoolOptions::new()
        .acquire_timeout(Duration::from_secs(1))
        .max_connections(1)
        .connect_lazy_with((*pool.connect_options()).clone());
    let process = process(&through);
    let caller = live();
    let taken = through.acquire().await.unwrap();
    assert_eq!(process.take_one(&caller).await, None);
    drop(taken);
    assert_eq!(process.take_one(&caller).await, Some(1));

    let other = live();
    let taken = through.acquire().await.unwrap();
    process.flush().await;
    drop(taken);
    assert_eq!(process.take_one(&other).await, None);
    process.flush().await;
    assert_eq!(process.take_one(&other).await, Some(1));
}

/// The first calls of all accounts in a month leave connections for other work.
#[testing::database_test(gateway::MIGRATOR)]
async fn few_months_are_loaded_at_once(pool: PgPool) {
    let through = another(&pool).await;
    let process = process(&through);
    let callers: Vec<Caller> = (0..20).map(|_| live()).collect();
    let months = lock(&pool, "gateway.month_use").await;
    let first_calls = process.take(&callers);
    let other_work = async {
        #[expect(clippy::disallowed_methods, reason = "the catalogue of the server")]
        let waiting = async || {
            sqlx::query_scalar::<_, i64>(
                "select count(*) from pg_locks l join pg_database d on d.oid = l.database
                 where d.datname = current_database() and l.relation = 'gateway.month_use'::regclass and not l.granted",
            )
            .fetch_one(&pool)
            .await
            .unwrap()
        };
        eventually("months are being loaded", async || waiting().await == 4).await;
        assert!(through.acquire().await.is_ok());
        drop(months);
    };
    let (used, ()) = futures::join!(first_calls, other_work);
    assert_eq!(used, [Some(1); 20]);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn calls_without_redis_are_not_counted_later(pool: PgPool) {
    let (process, caller, plan) = (process(&pool), live(), plan());
    process.take([&caller; 5]).await;
    let without = with_redis_at(NO_REDIS_URL, &pool);
    for _ in 0..10 {
        let status = without.quota.consume(&caller, &plan).await.unwrap();
        assert_eq!(status.month_used, None);
    }
    process.flush().await;
    assert_eq!(process.take_one(&caller).await, Some(6));
    process.flush().await;
    assert_eq!(written(&pool, &caller).await, Some(6));
}
