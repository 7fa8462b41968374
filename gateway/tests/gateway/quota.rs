//! The Lua scripts that count calls, on a real Redis.

use std::sync::Arc;

use gateway::domain::key::{Caller, KeyKind, Mode};
use gateway::domain::plan::Plan;
use gateway::domain::quota::{RateLimitStatus, Window};
use gateway::quota::{Denial, Quota, SharedCounters};
use kit::Clock;
use kit::config::Secret;
use kit::redis::Redis;
use proptest::collection::vec;
use proptest::prelude::ProptestConfig;
use proptest::test_runner::TestRunner;
use sqlx::PgPool;
use time::Duration;
use tokio::runtime::Handle;

use crate::support::{LONG, START, caller, plans, redis_url};

/// A quota whose Redis has the time `START`.
fn quota(pool: &PgPool) -> Quota {
    quota_at(pool, &Clock::fixed(START))
}

fn quota_at(pool: &PgPool, clock: &Clock) -> Quota {
    let redis = Redis::lazy(&Secret::from(redis_url()), LONG, "").unwrap();
    let shared = SharedCounters::new(pool.clone(), LONG, 50);
    Quota::new(redis, Arc::new(shared), clock.clone())
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
        let calls = (0..120).map(|n| quota.consume(&callers[n % keys], &plan, START));
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
    let (quota, plan) = (quota(&pool), plan("calls_per_month = 3"));
    let account = kit::ids::row_id();
    let (one, other) = (caller(account, Mode::Live), caller(account, Mode::Live));
    let sample = caller(account, Mode::Test);
    for caller in [&one, &other, &one] {
        quota.consume(caller, &plan, START).await.unwrap();
    }
    let denied = quota.consume(&other, &plan, START).await.unwrap_err();
    let Denial::Month(status) = denied else {
        panic!("{denied:?}");
    };
    assert_eq!((status.month_used, status.window.used), (Some(3), 1));

    // A test key neither uses the month nor is limited by it, but sees it.
    let free = quota.consume(&sample, &plan, START).await.unwrap();
    assert_eq!((free.month_used, free.policy()), (Some(3), None));

    let april = status.month_resets_at();
    assert!(quota.consume(&other, &plan, april - Duration::MILLISECOND).await.is_err());
    let first = quota.consume(&other, &plan, april).await.unwrap();
    assert_eq!(first.month_used, Some(1));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn public_keys_together_use_at_most_half_of_the_month(pool: PgPool) {
    let (quota, plan) = (quota(&pool), plan("calls_per_month = 6"));
    let account = kit::ids::row_id();
    let of = |kind, mode| {
        let mut caller = caller(account, mode);
        caller.key.kind = kind;
        caller
    };
    let (one, other) = (of(KeyKind::Public, Mode::Live), of(KeyKind::Public, Mode::Live));
    quota.consume(&one, &plan, START).await.unwrap();
    for caller in [&one, &other] {
        quota.consume(caller, &plan, START).await.unwrap();
    }
    for caller in [&one, &other] {
        let denied = quota.consume(caller, &plan, START).await.unwrap_err();
        let Denial::PublicMonth(status) = denied else {
            panic!("{denied:?}");
        };
        assert_eq!(status.month_used, Some(3));
    }
    // Neither test keys nor the other keys of the account are limited.
    let sample = of(KeyKind::Public, Mode::Test);
    quota.consume(&sample, &plan, START).await.unwrap();
    let secret = of(KeyKind::Secret, Mode::Live);
    let status = quota.consume(&secret, &plan, START).await.unwrap();
    assert_eq!(status.month_used, Some(4));
    // The whole month limits public keys too, and the next month starts at zero.
    for _ in 0..2 {
        quota.consume(&secret, &plan, START).await.unwrap();
    }
    let denied = quota.consume(&one, &plan, START).await.unwrap_err();
    assert!(matches!(denied, Denial::Month(_)), "{denied:?}");
    let april = status.month_resets_at();
    assert!(quota.consume(&one, &plan, april).await.is_ok());
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_tombstone_rejects_one_key_and_counts_nothing(pool: PgPool) {
    let (quota, plan) = (quota(&pool), plan("calls_per_minute = 9"));
    let account = kit::ids::row_id();
    let (dead, alive) = (caller(account, Mode::Live), caller(account, Mode::Live));
    assert!(!quota.is_revoked(&dead).await);
    assert!(quota.revoke(account, dead.key.id, START).await);
    assert!(quota.is_revoked(&dead).await);
    assert_eq!(quota.consume(&dead, &plan, START).await, Err(Denial::Revoked));
    let status = quota.consume(&alive, &plan, START).await.unwrap();
    assert_eq!(status.month_used, Some(1));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_lua_script_counts_like_the_domain(pool: PgPool) {
    let clock = Clock::fixed(START);
    let counting = quota_at(&pool, &clock);
    let here = Handle::current();
    let cases = move || {
        let mut runner = TestRunner::new(ProptestConfig::with_cases(20));
        let calls = (1..4_u32, vec(-70_000..70_000_i64, 1..25));
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
        let counted = quota.consume(&caller, &plan, START).await;
        assert_eq!(counted.is_ok(), free);
        let status = match counted {
            Ok(status) | Err(Denial::Minute(status)) => status,
            other => unreachable!("{other:?}"),
        };
        assert_eq!(status.window, window);
        known = Some(window);
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_gateway_whose_clock_is_ahead_ends_no_minute(pool: PgPool) {
    let (here, ahead) = (quota(&pool), quota(&pool));
    let (plan, caller) = (plan("calls_per_minute = 5"), live());
    let game = caller.key.id.to_string();
    let mut passed = 0;
    for _ in 0..10 {
        for (gateway, now) in [(&here, START), (&ahead, START + Duration::seconds(90))] {
            let counted = gateway.consume(&caller, &plan, now).await;
            passed += usize::from(counted.is_ok());
            let (Ok(status) | Err(Denial::Minute(status))) = counted else {
                unreachable!("{counted:?}");
            };
            assert_eq!(status.minute_wait(), 60);
            let tip = gateway.consume_player(&game, "p", 5, now);
            assert_eq!(tip.await.is_ok(), passed <= 5 && counted.is_ok());
        }
    }
    assert_eq!(passed, 5);
}

/// Redis has a time of its own, which the clock of tests moves.
#[testing::database_test(gateway::MIGRATOR)]
async fn a_minute_ends_by_the_time_of_redis(pool: PgPool) {
    let clock = Clock::system();
    let quota = quota_at(&pool, &clock);
    let (plan, caller) = (plan("calls_per_minute = 1"), live());
    let game = caller.key.id.to_string();
    for _ in 0..2 {
        quota.consume(&caller, &plan, START).await.unwrap();
        quota.consume_player(&game, "p", 1, START).await.unwrap();
        let refused = quota.consume(&caller, &plan, START).await;
        assert!(matches!(refused, Err(Denial::Minute(_))), "{refused:?}");
        let wait = quota.consume_player(&game, "p", 1, START).await.unwrap_err();
        assert!(wait <= Duration::MINUTE);
        clock.advance(Duration::MINUTE);
    }
}
