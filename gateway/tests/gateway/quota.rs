//! The Lua scripts that count calls, on a real Redis.

use gateway::domain::key::{Caller, KeyKind, Mode};
use gateway::domain::month::Month;
use gateway::domain::plan::Plan;
use gateway::domain::quota::{RateLimitStatus, Window};
use gateway::quota::{Counters, Denial, Quota};
use kit::Clock;
use kit::config::Secret;
use kit::redis::Redis;
use proptest::collection::vec;
use proptest::prelude::ProptestConfig;
use proptest::test_runner::TestRunner;
use sqlx::PgPool;
use time::{Date, Duration, OffsetDateTime};
use tokio::runtime::Handle;

use crate::support::{LONG, START, caller, plans, redis_url};

/// A quota whose Redis has the time `START`.
fn quota(pool: &PgPool) -> Quota {
    quota_at(pool, &Clock::fixed(START))
}

fn quota_at(pool: &PgPool, clock: &Clock) -> Quota {
    Quota::new(counters(clock), pool.clone(), LONG, 50, clock.clone())
}

fn counters(clock: &Clock) -> Counters {
    let redis = Redis::lazy(&Secret::from(redis_url()), LONG, "").unwrap();
    Counters::new(redis, clock.clone())
}

fn plan(limits: &str) -> Plan {
    plans(limits).get("free").unwrap().clone()
}

/// A caller that Redis does not know yet.
fn live() -> Caller {
    caller(kit::ids::row_id(), Mode::Live)
}

#[testing::database_test(gateway::MIGRATOR)]
async fn concurrent_calls_are_limited_exactly(pool: PgPool) {
    let (quota, plan) = (quota(&pool), plan("calls_per_minute = 40\ncalls_per_month = 100"));
    // Two keys have a minute each; three keys share a month.
    for (keys, passed, by_minute) in [(2, 80, 40), (3, 100, 0)] {
        let account = kit::ids::row_id();
        let callers: Vec<Caller> = (0..keys).map(|_| caller(account, Mode::Live)).collect();
        let calls = (0..120).map(|n| quota.consume(&callers[n % keys], &plan));
        let outcomes = futures::future::join_all(calls).await;
        let count = |is: fn(&Result<RateLimitStatus, Denial>) -> bool| {
            outcomes.iter().filter(|outcome| is(outcome)).count()
        };
        assert_eq!(count(Result::is_ok), passed);
        let refused = count(|outcome| matches!(outcome, Err(Denial::Minute(_))));
        assert_eq!(refused, by_minute);
        let refused = count(|outcome| matches!(outcome, Err(Denial::Month(_))));
        assert_eq!(refused, 120 - passed - by_minute);
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_month_is_shared_by_the_account_and_ends_in_utc(pool: PgPool) {
    let clock = Clock::fixed(START);
    let (quota, plan) = (quota_at(&pool, &clock), plan("calls_per_month = 3"));
    let account = kit::ids::row_id();
    let (one, other) = (caller(account, Mode::Live), caller(account, Mode::Live));
    let sample = caller(account, Mode::Test);
    for caller in [&one, &other, &one] {
        quota.consume(caller, &plan).await.unwrap();
    }
    let denied = quota.consume(&other, &plan).await.unwrap_err();
    let Denial::Month(status) = denied else {
        panic!("{denied:?}");
    };
    assert_eq!((status.month_used, status.window.used), (Some(3), 1));

    // A test key neither uses the month nor is limited by it, but sees it.
    let free = quota.consume(&sample, &plan).await.unwrap();
    assert_eq!((free.month_used, free.policy()), (Some(3), None));

    clock.advance(status.month_resets_at() - START - Duration::MILLISECOND);
    assert!(quota.consume(&other, &plan).await.is_err());
    clock.advance(Duration::MILLISECOND);
    let first = quota.consume(&other, &plan).await.unwrap();
    assert_eq!(first.month_used, Some(1));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn public_keys_together_use_at_most_half_of_the_month(pool: PgPool) {
    let clock = Clock::fixed(START);
    let (quota, plan) = (quota_at(&pool, &clock), plan("calls_per_month = 6"));
    let account = kit::ids::row_id();
    let of = |kind, mode| {
        let mut caller = caller(account, mode);
        caller.key.kind = kind;
        caller
    };
    let (one, other) = (of(KeyKind::Public, Mode::Live), of(KeyKind::Public, Mode::Live));
    quota.consume(&one, &plan).await.unwrap();
    for caller in [&one, &other] {
        quota.consume(caller, &plan).await.unwrap();
    }
    for caller in [&one, &other] {
        let denied = quota.consume(caller, &plan).await.unwrap_err();
        let Denial::PublicMonth(status) = denied else {
            panic!("{denied:?}");
        };
        assert_eq!(status.month_used, Some(3));
    }
    // Neither test keys nor the other keys of the account are limited.
    let sample = of(KeyKind::Public, Mode::Test);
    quota.consume(&sample, &plan).await.unwrap();
    let secret = of(KeyKind::Secret, Mode::Live);
    let status = quota.consume(&secret, &plan).await.unwrap();
    assert_eq!(status.month_used, Some(4));
    // The whole month limits public keys too, and the next month starts at zero.
    for _ in 0..2 {
        quota.consume(&secret, &plan).await.unwrap();
    }
    let denied = quota.consume(&one, &plan).await.unwrap_err();
    assert!(matches!(denied, Denial::Month(_)), "{denied:?}");
    clock.advance(status.month_resets_at() - START);
    assert!(quota.consume(&one, &plan).await.is_ok());
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_tombstone_rejects_one_key_and_counts_nothing(pool: PgPool) {
    let (quota, plan) = (quota(&pool), plan("calls_per_minute = 9"));
    let account = kit::ids::row_id();
    let (dead, alive) = (caller(account, Mode::Live), caller(account, Mode::Live));
    assert!(!quota.is_revoked(&dead).await);
    assert!(counters(&Clock::fixed(START)).revoke(account, dead.key.id).await);
    assert!(quota.is_revoked(&dead).await);
    assert_eq!(quota.consume(&dead, &plan).await, Err(Denial::Revoked));
    let status = quota.consume(&alive, &plan).await.unwrap();
    assert_eq!(status.month_used, Some(1));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_lua_script_counts_like_the_domain(pool: PgPool) {
    let clock = Clock::fixed(START);
    let counting = quota_at(&pool, &clock);
    let here = Handle::current();
    let cases = move || {
        let mut runner = TestRunner::new(ProptestConfig::with_cases(20));
        let calls = (1..4_u32, vec(0..70_000_i64, 1..25));
        runner.run(&calls, |(limit, gaps)| {
            here.block_on(follow_the_rules(&counting, &clock, limit, gaps));
            Ok(())
        })
    };
    tokio::task::spawn_blocking(cases).await.unwrap().unwrap();
}

async fn follow_the_rules(quota: &Quota, clock: &Clock, limit: u32, gaps: Vec<i64>) {
    let (plan, caller) = (plan(&format!("calls_per_minute = {limit}")), live());
    let mut known = None;
    for gap in gaps {
        clock.advance(Duration::milliseconds(gap));
        let now = clock.now();
        let mut window = Window::current(known, now);
        let free = window.consume(Some(limit));
        let counted = quota.consume(&caller, &plan).await;
        assert_eq!(counted.is_ok(), free);
        let status = match counted {
            Ok(status) | Err(Denial::Minute(status)) => status,
            other => unreachable!("{other:?}"),
        };
        assert_eq!(status.window, window);
        known = Some(window);
    }
}

/// The script names the month and the day itself.
#[testing::database_test(gateway::MIGRATOR)]
async fn the_lua_script_has_the_calendar_of_the_domain(pool: PgPool) {
    let clock = Clock::fixed(START);
    let (quota, counters) = (quota_at(&pool, &clock), counters(&clock));
    let plan = plan("");
    // 2000 and 2028 are leap years, and 2100 is not.
    for year in [1999, 2000, 2026, 2028, 2100] {
        let mut month = Month::starting(Date::from_ordinal_date(year, 1).unwrap());
        for _ in 0..12 {
            let end = month.end();
            for now in [end - Duration::MILLISECOND, end] {
                clock.advance(now - clock.now());
                let caller = live();
                let status = quota.consume(&caller, &plan).await.unwrap();
                assert_eq!((status.now, status.month_used), (now, Some(1)));
                let days = [now - Duration::DAY, now, now + Duration::DAY];
                let account = caller.key.account;
                let counted = counters.on_days(account, &days.map(OffsetDateTime::date)).await;
                assert_eq!(counted, Ok(vec![0, 1, 0]), "{now}");
            }
            month = Month::at(end);
        }
    }
}

/// Redis has a time of its own, which the clock of tests moves.
#[testing::database_test(gateway::MIGRATOR)]
async fn a_minute_ends_by_the_time_of_redis(pool: PgPool) {
    let clock = Clock::system();
    let quota = quota_at(&pool, &clock);
    let (plan, caller) = (plan("calls_per_minute = 1"), live());
    let game = caller.key.id.to_string();
    for _ in 0..2 {
        quota.consume(&caller, &plan).await.unwrap();
        quota.consume_player(&game, "p", 1).await.unwrap();
        let refused = quota.consume(&caller, &plan).await;
        assert!(matches!(refused, Err(Denial::Minute(_))), "{refused:?}");
        let wait = quota.consume_player(&game, "p", 1).await.unwrap_err();
        assert!(wait <= Duration::MINUTE);
        clock.advance(Duration::MINUTE);
    }
}
