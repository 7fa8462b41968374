//! The script that counts, on a real Redis.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration as Patience;

use gateway::domain::key::{Caller, Mode};
use gateway::domain::plan::Plan;
use gateway::domain::quota::{Standing, Window};
use gateway::jobs::month_use::MonthUse;
use gateway::quota::{Denied, Quota, Shared};
use kit::Lifecycle;
use kit::config::Secret;
use kit::redis::Redis;
use proptest::collection::vec;
use proptest::prelude::ProptestConfig;
use proptest::test_runner::TestRunner;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use tokio::runtime::Handle;

use crate::support::{LONG, START, caller, plans, redis_url};

/// A process that counts, and carries month use.
struct Counting {
    quota: Quota,
    lifecycle: Lifecycle,
}

impl Counting {
    fn start(pool: &PgPool) -> Self {
        let url = Secret::from(redis_url());
        let redis = Redis::lazy(&url, LONG, "").unwrap();
        let shared = Arc::new(Shared::new(LONG));
        let month_use = MonthUse::new(pool.clone(), redis.new_connection(), Arc::clone(&shared));
        let (lifecycle, _) = Lifecycle::new();
        let stopping = lifecycle.stopping();
        lifecycle.spawn_graceful("month use", async move {
            month_use.run(Patience::from_millis(50), stopping).await;
            Ok(())
        });
        Self {
            quota: Quota::new(redis, shared),
            lifecycle,
        }
    }
}

impl Deref for Counting {
    type Target = Quota;

    fn deref(&self) -> &Quota {
        &self.quota
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        self.lifecycle.stopping().cancel();
    }
}

fn plan(limits: &str) -> Plan {
    plans(limits).get("free").unwrap().clone()
}

/// A caller that Redis has never heard of.
fn live() -> Caller {
    caller(kit::ids::row_id(), Mode::Live)
}

fn at(seconds: f64) -> OffsetDateTime {
    START + Duration::seconds_f64(seconds)
}

#[sqlx::test]
async fn the_minute_begins_with_the_first_call(pool: PgPool) {
    let (quota, plan, caller) = (Counting::start(&pool), plan("calls_per_minute = 2"), live());
    let first = quota.take(&caller, &plan, at(0.0)).await.unwrap();
    assert_eq!((first.window.start, first.minute_left()), (START, Some(1)));
    let second = quota.take(&caller, &plan, at(59.0)).await.unwrap();
    assert_eq!(
        (second.window.start, second.minute_left()),
        (START, Some(0))
    );
    for _ in 0..2 {
        let denied = quota.take(&caller, &plan, at(59.999)).await.unwrap_err();
        let Denied::Minute(standing) = denied else {
            panic!("{denied:?}");
        };
        assert_eq!((standing.window.used, standing.month_used), (2, Some(2)));
    }
    let next = quota.take(&caller, &plan, at(60.0)).await.unwrap();
    assert_eq!((next.window.start, next.window.used), (at(60.0), 1));
}

#[sqlx::test]
async fn exactly_as_many_calls_pass_as_may_at_once(pool: PgPool) {
    let (quota, plan) = (
        Counting::start(&pool),
        plan("calls_per_minute = 40\ncalls_per_month = 100"),
    );
    // Two keys with a minute each, and three that share a month.
    for (keys, passed, by_minute) in [(2, 80, 40), (3, 100, 0)] {
        let account = kit::ids::row_id();
        let callers: Vec<Caller> = (0..keys).map(|_| caller(account, Mode::Live)).collect();
        let calls = (0..120).map(|n| quota.take(&callers[n % keys], &plan, START));
        let outcomes = futures::future::join_all(calls).await;
        let count = |is: fn(&Result<Standing, Denied>) -> bool| {
            outcomes.iter().filter(|outcome| is(outcome)).count()
        };
        assert_eq!(count(Result::is_ok), passed);
        let refused = count(|outcome| matches!(outcome, Err(Denied::Minute(_))));
        assert_eq!(refused, by_minute);
        let refused = count(|outcome| matches!(outcome, Err(Denied::Month(_))));
        assert_eq!(refused, 120 - passed - by_minute);
    }
}

#[sqlx::test]
async fn calls_that_come_together_are_counted_one_after_the_other(pool: PgPool) {
    let quota = Counting::start(&pool);
    for (minute, month) in [(5, 3), (3, 5), (4, 4), (1, 5)] {
        let limits = format!("calls_per_minute = {minute}\ncalls_per_month = {month}");
        let (plan, caller) = (plan(&limits), live());
        let calls = (0..8).map(|_| quota.take(&caller, &plan, START));
        let outcomes = futures::future::join_all(calls).await;
        let most: u32 = minute.min(month);
        for (place, outcome) in (1..).zip(outcomes) {
            let counted = most.min(place);
            let standing = match outcome {
                Ok(standing) if place <= most => standing,
                Err(Denied::Minute(standing)) if place > most && minute <= month => standing,
                Err(Denied::Month(standing)) if place > most && month < minute => standing,
                other => panic!("{place} of {minute} and {month}: {other:?}"),
            };
            assert_eq!(
                (standing.window.used, standing.month_used),
                (counted, Some(counted.into()))
            );
        }
    }
}

#[sqlx::test]
async fn a_caller_that_hangs_up_takes_nobody_along(pool: PgPool) {
    let (quota, plan, caller) = (Counting::start(&pool), plan("calls_per_minute = 9"), live());
    // The month is known from here on.
    quota.take(&caller, &plan, START).await.unwrap();
    let mut first = Box::pin(quota.take(&caller, &plan, START));
    let mut second = Box::pin(quota.take(&caller, &plan, START));
    assert!(futures::poll!(&mut first).is_pending());
    assert!(futures::poll!(&mut second).is_pending());
    drop(first);
    // The first may have been sent, and is counted then.
    let used = second.await.unwrap().window.used;
    assert!((2..=3).contains(&used), "{used}");
}

#[sqlx::test]
async fn the_month_is_the_account_s_and_turns_in_utc(pool: PgPool) {
    let (quota, plan) = (Counting::start(&pool), plan("calls_per_month = 3"));
    let account = kit::ids::row_id();
    let (one, other) = (caller(account, Mode::Live), caller(account, Mode::Live));
    let sample = caller(account, Mode::Test);
    for caller in [&one, &other, &one] {
        quota.take(caller, &plan, START).await.unwrap();
    }
    let denied = quota.take(&other, &plan, START).await.unwrap_err();
    let Denied::Month(standing) = denied else {
        panic!("{denied:?}");
    };
    assert_eq!((standing.month_used, standing.window.used), (Some(3), 1));

    // A test key neither uses the month nor is stopped by it, and can still see it.
    let free = quota.take(&sample, &plan, START).await.unwrap();
    assert_eq!((free.month_used, free.policy()), (Some(3), None));

    let april = standing.month_resets_at();
    assert!(
        quota
            .take(&other, &plan, april - Duration::MILLISECOND)
            .await
            .is_err()
    );
    let first = quota.take(&other, &plan, april).await.unwrap();
    assert_eq!(first.month_used, Some(1));
}

#[sqlx::test]
async fn no_limit_is_no_limit_and_is_counted_all_the_same(pool: PgPool) {
    let (quota, plan, caller) = (Counting::start(&pool), plan(""), live());
    for used in 1..=3 {
        let standing = quota.take(&caller, &plan, START).await.unwrap();
        assert_eq!(standing.month_used, Some(used));
        assert_eq!((standing.policy(), standing.remaining()), (None, None));
    }
}

#[sqlx::test]
async fn a_fault_of_ours_is_given_back(pool: PgPool) {
    let (quota, plan, caller) = (
        Counting::start(&pool),
        plan("calls_per_minute = 2\ncalls_per_month = 2"),
        live(),
    );
    let first = quota.take(&caller, &plan, at(0.0)).await.unwrap();
    let back = quota.give_back(&caller, first).await;
    assert_eq!((back.minute_left(), back.month_left()), (Some(2), Some(2)));
    let again = quota.take(&caller, &plan, at(1.0)).await.unwrap();
    assert_eq!((again.window.used, again.month_used), (1, Some(1)));

    // The minute has turned meanwhile: only the month gets its call back.
    let late = quota.take(&caller, &plan, at(61.0)).await.unwrap();
    assert_eq!(late.month_used, Some(2));
    quota.give_back(&caller, again).await;
    let next = quota.take(&caller, &plan, at(62.0)).await.unwrap();
    assert_eq!((next.window.used, next.month_used), (2, Some(2)));
}

#[sqlx::test]
async fn a_test_key_gives_no_month_back(pool: PgPool) {
    let (quota, plan) = (Counting::start(&pool), plan("calls_per_month = 9"));
    let account = kit::ids::row_id();
    let (live, sample) = (caller(account, Mode::Live), caller(account, Mode::Test));
    quota.take(&live, &plan, START).await.unwrap();
    let standing = quota.take(&sample, &plan, START).await.unwrap();
    assert_eq!(quota.give_back(&sample, standing).await.month_used, Some(1));
    let next = quota.take(&live, &plan, START).await.unwrap();
    assert_eq!(next.month_used, Some(2));
}

#[sqlx::test]
async fn a_tombstone_refuses_one_key_and_uses_nothing(pool: PgPool) {
    let (quota, plan) = (Counting::start(&pool), plan("calls_per_minute = 9"));
    let account = kit::ids::row_id();
    let (dead, alive) = (caller(account, Mode::Live), caller(account, Mode::Live));
    assert!(!quota.is_buried(&dead).await);
    assert!(quota.bury(account, dead.key.id, START).await);
    assert!(quota.is_buried(&dead).await);
    assert_eq!(quota.take(&dead, &plan, START).await, Err(Denied::Revoked));
    let standing = quota.take(&alive, &plan, START).await.unwrap();
    assert_eq!(standing.month_used, Some(1));
}

/// The script and the domain count alike.
#[sqlx::test]
async fn the_script_follows_the_rules_of_the_domain(pool: PgPool) {
    let counting = Counting::start(&pool);
    let here = Handle::current();
    let cases = move || {
        let mut runner = TestRunner::new(ProptestConfig::with_cases(20));
        let calls = (1..4_u32, vec(-70_000..70_000_i64, 1..25));
        runner.run(&calls, |(limit, gaps)| {
            here.block_on(follow_the_rules(&counting, limit, gaps));
            Ok(())
        })
    };
    tokio::task::spawn_blocking(cases).await.unwrap().unwrap();
}

async fn follow_the_rules(quota: &Quota, limit: u32, gaps: Vec<i64>) {
    let (plan, caller) = (plan(&format!("calls_per_minute = {limit}")), live());
    let (mut now, mut known) = (START, None);
    for gap in gaps {
        now += Duration::milliseconds(gap);
        let mut window = Window::current(known, now);
        let free = window.take(Some(limit));
        let counted = quota.take(&caller, &plan, now).await;
        assert_eq!(counted.is_ok(), free);
        let standing = match counted {
            Ok(standing) | Err(Denied::Minute(standing)) => standing,
            other => unreachable!("{other:?}"),
        };
        assert_eq!(standing.window, window);
        if free {
            known = Some(window);
        }
    }
}
