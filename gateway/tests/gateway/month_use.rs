//! The month's use between Redis and PostgreSQL, when either has lost it or is away.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{join, join_all};
use gateway::domain::key::{Caller, Mode};
use gateway::domain::plan::Plan;
use gateway::domain::quota::{AccountMonth, Month};
use gateway::jobs::month_use::MonthUse;
use gateway::quota::{Denied, Quota, Shared};
use gateway::store::month_use as store;
use kit::config::Secret;
use kit::redis::Redis;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use time::OffsetDateTime;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::support::{LONG, START, caller, plans, redis_url};

/// Nobody listens there.
const NOWHERE: &str = "redis://127.0.0.1:1";

fn redis(url: &str) -> Redis {
    Redis::lazy(&Secret::from(url.to_owned()), LONG, "").unwrap()
}

/// What one gateway has for counting; the test does what its task does by itself.
struct Process {
    quota: Quota,
    month_use: MonthUse,
    shared: Arc<Shared>,
}

fn process(pool: &PgPool) -> Process {
    let redis = redis(&redis_url());
    let shared = Arc::new(Shared::new(LONG));
    Process {
        month_use: MonthUse::new(pool.clone(), redis.new_connection(), Arc::clone(&shared)),
        quota: Quota::new(redis, Arc::clone(&shared)),
        shared,
    }
}

impl Process {
    /// Makes calls, while the task reads what they wait for. Returns how many months it read.
    async fn take(
        &mut self,
        calls: impl IntoIterator<Item = (&Caller, OffsetDateTime)>,
    ) -> (Vec<Option<u64>>, usize) {
        let plan = plan();
        let calls = calls.into_iter().map(async |(caller, now)| {
            let standing = self.quota.take(caller, &plan, now).await.unwrap();
            standing.month_used
        });
        let calls = join_all(calls);
        tokio::pin!(calls);
        let mut read = 0;
        loop {
            tokio::select! {
                used = &mut calls => return (used, read),
                seeded = self.month_use.seed() => {
                    read += seeded;
                    tokio::task::yield_now().await;
                }
            }
        }
    }

    /// Makes a call, and returns the month's use that it is told.
    async fn take_one(&mut self, caller: &Caller) -> Option<u64> {
        self.take([(caller, START)]).await.0[0]
    }
}

/// Redis is away for it; what it owes goes the way of `shared`.
fn away(shared: &Arc<Shared>) -> Quota {
    Quota::new(redis(NOWHERE), Arc::clone(shared))
}

fn plan() -> Plan {
    plans("").get("free").unwrap().clone()
}

fn live() -> Caller {
    caller(kit::ids::row_id(), Mode::Live)
}

fn month(caller: &Caller) -> AccountMonth {
    AccountMonth {
        account: caller.key.account,
        month: Month::of(START),
    }
}

/// What PostgreSQL has.
async fn written(pool: &PgPool, caller: &Caller) -> Option<u64> {
    let held = store::read(&mut pool.acquire().await.unwrap(), &[month(caller)])
        .await
        .unwrap();
    held.get(&month(caller)).copied()
}

async fn write(pool: &PgPool, caller: &Caller, used: u64) {
    store::write(&mut pool.acquire().await.unwrap(), [(month(caller), used)])
        .await
        .unwrap();
}

/// The name of an account's hash in Redis.
fn name(caller: &Caller) -> String {
    format!("gateway:{{{}}}:usage", caller.key.account)
}

async fn command(words: &[&str]) {
    let mut command = redis::cmd(words[0]);
    command.arg(&words[1..]);
    redis(&redis_url())
        .query::<()>("test", &command)
        .await
        .unwrap();
}

#[sqlx::test]
async fn what_redis_counts_is_written_behind_and_never_lowered(pool: PgPool) {
    let mut process = process(&pool);
    let (one, other) = (live(), live());
    process.take([(&one, START); 3]).await;
    process.take([(&other, START); 2]).await;
    assert_eq!(written(&pool, &other).await, None);
    process.month_use.write_down().await;
    assert_eq!(written(&pool, &one).await, Some(3));
    assert_eq!(written(&pool, &other).await, Some(2));
    process.take_one(&one).await;
    write(&pool, &one, 9).await;
    process.month_use.write_down().await;
    assert_eq!(written(&pool, &one).await, Some(9));
    // Calls of test keys are none of the month's.
    let sample = live();
    let test = caller(sample.key.account, Mode::Test);
    process.take_one(&test).await;
    process.month_use.write_down().await;
    assert_eq!(written(&pool, &sample).await, None);
}

#[sqlx::test]
async fn a_month_that_redis_lacks_is_read_once_however_many_calls_wait(pool: PgPool) {
    let mut process = process(&pool);
    let account = kit::ids::row_id();
    let keys = [Mode::Live, Mode::Live, Mode::Test].map(|mode| caller(account, mode));
    write(&pool, &keys[0], 40).await;
    let calls = (0..300).map(|n| (&keys[n % 3], START));
    let (mut used, read) = process.take(calls).await;
    assert_eq!(read, 1);
    // Every third only looks.
    let looks: Vec<Option<u64>> = used.iter().skip(2).step_by(3).copied().collect();
    assert!(
        looks
            .iter()
            .all(|used| (Some(40)..=Some(240)).contains(used))
    );
    used = used
        .chunks(3)
        .flat_map(|three| three[..2].to_vec())
        .collect();
    used.sort_unstable();
    assert!(used.into_iter().eq((41..=240).map(Some)));
}

#[sqlx::test]
async fn many_months_that_are_waited_for_are_read_together(pool: PgPool) {
    let mut process = process(&pool);
    let callers: Vec<Caller> = (0..200).map(|_| live()).collect();
    write(&pool, &callers[7], 6).await;
    let (used, read) = process
        .take(callers.iter().map(|caller| (caller, START)))
        .await;
    assert_eq!(read, 200);
    for (place, used) in used.into_iter().enumerate() {
        assert_eq!(used, Some(if place == 7 { 7 } else { 1 }), "{place}");
    }
}

#[sqlx::test]
async fn a_month_that_an_earlier_run_of_redis_counted_is_compared_first(pool: PgPool) {
    let mut process = process(&pool);
    for (in_redis, in_postgresql, next) in
        [("5", 9, 10), ("9", 5, 10), ("9", 0, 10), ("nonsense", 3, 4)]
    {
        let caller = live();
        let field = "2026-03@another-run";
        command(&["HSET", &name(&caller), field, in_redis]).await;
        if in_postgresql > 0 {
            write(&pool, &caller, in_postgresql).await;
        }
        assert_eq!(process.take_one(&caller).await, Some(next), "{in_redis}");
        assert_eq!(
            process.take_one(&caller).await,
            Some(next + 1),
            "{in_redis}"
        );
    }
}

/// An account's hash does not grow with its months and keys.
#[sqlx::test]
async fn a_month_that_begins_removes_what_is_over(pool: PgPool) {
    let mut process = process(&pool);
    let caller = live();
    let february = time::macros::datetime!(2026-02-28 23:59:59 UTC);
    let old = [
        "2025-12@run",
        "40",
        "2026-01@run",
        "30",
        "2026-02@run",
        "20",
    ];
    command(&[&["HSET", &name(&caller)][..], &old].concat()).await;
    // Of two keys that were revoked, one long before the month began.
    let of_account = |n| Caller {
        key: gateway::domain::key::Key {
            id: uuid::Uuid::from_u128(n),
            ..caller.key.clone()
        },
        ..caller.clone()
    };
    let (past, recent) = (of_account(1), of_account(2));
    let long_before = february - Duration::from_hours(72);
    for (key, at) in [(&past, long_before), (&recent, february)] {
        let (account, key) = (key.key.account, key.key.id);
        assert!(process.quota.bury(account, key, at).await);
    }
    // A minute that goes on, and one that is over.
    let (now, other) = (of_account(3), of_account(4));
    process
        .take([(&now, february), (&other, long_before)])
        .await;
    assert_eq!(process.take([(&now, START)]).await.0, [Some(1)]);
    let fields: BTreeSet<String> = redis(&redis_url())
        .query("test", redis::cmd("HKEYS").arg(name(&caller)))
        .await
        .unwrap();
    let months: Vec<&str> = fields
        .iter()
        .filter_map(|field| Some(field.split_once('@')?.0))
        .collect();
    assert_eq!(months, ["2026-02", "2026-03"]);
    let has = |key: &Caller| fields.contains(&format!("{}:start", key.key.id));
    assert_eq!(
        [&past, &recent, &now, &other].map(has),
        [false, true, true, false]
    );
    // What goes with a key goes whole.
    assert_eq!(fields.len(), 2 + 2 * 2);
    assert!(process.quota.is_buried(&recent).await);
}

/// Redis no longer has the month in which the call was counted, so the call is given back once the month is seeded again.
#[sqlx::test]
async fn a_call_is_given_back_to_a_month_that_redis_has_lost(pool: PgPool) {
    let (mut process, plan, caller) = (process(&pool), plan(), live());
    process.take([(&caller, START); 2]).await;
    let standing = process.quota.take(&caller, &plan, START).await.unwrap();
    command(&["DEL", &name(&caller)]).await;
    process.quota.give_back(&caller, standing).await;
    process.month_use.exchange().await;
    assert_eq!(process.take_one(&caller).await, Some(3));
}

#[sqlx::test]
async fn what_a_process_knows_survives_a_redis_that_is_emptied(pool: PgPool) {
    let mut process = process(&pool);
    let caller = live();
    process.take([(&caller, START); 5]).await;
    // Nothing was written down yet.
    command(&["DEL", &name(&caller)]).await;
    assert_eq!(process.take_one(&caller).await, Some(6));
    // A call that was given back is not counted on.
    let plan = plan();
    let standing = process.quota.take(&caller, &plan, START).await.unwrap();
    process.quota.give_back(&caller, standing).await;
    command(&["DEL", &name(&caller)]).await;
    assert_eq!(process.take_one(&caller).await, Some(7));
}

#[sqlx::test]
async fn the_month_turns_at_midnight_utc_and_begins_at_none(pool: PgPool) {
    let mut process = process(&pool);
    let caller = live();
    let midnight = time::macros::datetime!(2026-04-01 00:00 UTC);
    let calls = [
        (&caller, midnight - Duration::from_millis(2)),
        (&caller, midnight - Duration::from_millis(1)),
        (&caller, midnight),
    ];
    let (used, read) = process.take(calls).await;
    assert_eq!((used, read), (vec![Some(1), Some(2), Some(1)], 2));
    // Afterwards each month stands by itself.
    process.month_use.write_down().await;
    assert_eq!(written(&pool, &caller).await, Some(2));
}

/// What fails after midnight was counted before it: its month gets it back, and the new one is left alone.
#[sqlx::test]
async fn a_call_is_given_back_to_the_month_that_it_was_counted_in(pool: PgPool) {
    let (mut process, plan, caller) = (process(&pool), plan(), live());
    let midnight = time::macros::datetime!(2026-04-01 00:00 UTC);
    let before = midnight - Duration::from_millis(1);
    process.take([(&caller, before)]).await;
    let late = process.quota.take(&caller, &plan, before).await.unwrap();
    process.take([(&caller, midnight); 3]).await;
    // Once counted by Redis, once while it is away.
    let owed = away(&process.shared);
    let unseen = owed.take(&caller, &plan, before).await.unwrap();
    process.quota.give_back(&caller, late).await;
    owed.give_back(&caller, unseen).await;
    process.month_use.exchange().await;
    let (used, _) = process.take([(&caller, before), (&caller, midnight)]).await;
    assert_eq!(used, [Some(2), Some(4)]);
    process.month_use.write_down().await;
    let march = written(&pool, &caller).await;
    assert_eq!(march, Some(2));
}

#[sqlx::test]
async fn without_redis_and_postgresql_nobody_is_turned_away_and_calls_are_counted_later(
    pool: PgPool,
) {
    let nowhere = PgPoolOptions::new()
        .acquire_timeout(Duration::from_millis(50))
        .connect_lazy("postgres://nobody@127.0.0.1:1/nothing")
        .unwrap();
    let mut process = process(&nowhere);
    let caller = live();
    // Redis has no month, and PostgreSQL cannot be asked for it.
    for _ in 0..3 {
        assert_eq!(process.take_one(&caller).await, None);
    }
    // The minute is held all the same.
    let tight = plans("calls_per_minute = 4").get("free").unwrap().clone();
    let fourth = process.quota.take(&caller, &tight, START).await;
    assert!(fourth.is_ok());
    let fifth = process.quota.take(&caller, &tight, START).await;
    assert!(matches!(fifth, Err(Denied::Minute(_))), "{fifth:?}");

    // PostgreSQL is back.
    process.month_use = MonthUse::new(
        pool.clone(),
        redis(&redis_url()),
        Arc::clone(&process.shared),
    );
    process.month_use.exchange().await;
    assert_eq!(process.take_one(&caller).await, Some(5));
}

#[sqlx::test]
async fn calls_without_redis_are_added_once_on_its_return(pool: PgPool) {
    let (mut one, mut other) = (process(&pool), process(&pool));
    let (caller, plan) = (live(), plan());
    one.take([(&caller, START); 5]).await;
    // Two gateways find Redis away; one call ends in a fault of ours, and so does one that Redis has counted before.
    let counted = one.quota.take(&caller, &plan, START).await.unwrap();
    for shared in [&one.shared, &other.shared] {
        let quota = away(shared);
        for _ in 0..10 {
            let standing = quota.take(&caller, &plan, START).await.unwrap();
            assert_eq!(standing.month_used, None);
        }
        let failed = quota.take(&caller, &plan, START).await.unwrap();
        quota.give_back(&caller, failed).await;
    }
    away(&one.shared).give_back(&caller, counted).await;
    // Test keys use no month.
    let test = caller_of(&caller);
    away(&one.shared).take(&test, &plan, START).await.unwrap();

    // Each may carry what the other wrote down, at the same time.
    one.month_use.write_down().await;
    other.month_use.write_down().await;
    join(one.month_use.exchange(), other.month_use.exchange()).await;
    one.month_use.exchange().await;
    assert_eq!(one.take_one(&caller).await, Some(26));
    assert_eq!(
        store::owed(&mut pool.acquire().await.unwrap(), 9)
            .await
            .unwrap(),
        []
    );
    assert_eq!(written(&pool, &caller).await, Some(25));
}

fn caller_of(other: &Caller) -> Caller {
    caller(other.key.account, Mode::Test)
}

#[sqlx::test]
async fn a_row_of_owed_calls_is_added_once_even_when_it_could_not_be_settled(pool: PgPool) {
    let mut process = process(&pool);
    let caller = live();
    let row = store::Owed {
        id: kit::ids::row_id(),
        month: month(&caller),
        calls: 7,
    };
    for _ in 0..3 {
        store::keep_owed(
            &mut pool.acquire().await.unwrap(),
            std::slice::from_ref(&row),
        )
        .await
        .unwrap();
        process.month_use.exchange().await;
    }
    assert_eq!(process.take_one(&caller).await, Some(8));
}

/// A Redis that greets, and never answers a call.
async fn silent() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    let (lifecycle, _) = kit::Lifecycle::new();
    let task = lifecycle.clone();
    lifecycle.spawn(async move {
        while let Ok((mut caller, _)) = listener.accept().await {
            task.spawn(async move {
                let mut heard = [0; 1024];
                for greeting in ["+OK\r\n+OK\r\n", "$0\r\n\r\n"] {
                    let _: usize = caller.read(&mut heard).await.unwrap();
                    caller.write_all(greeting.as_bytes()).await.unwrap();
                }
                while caller.read(&mut heard).await.is_ok_and(|read| read > 0) {}
            });
        }
    });
    url
}

#[sqlx::test]
async fn a_call_that_redis_may_still_count_is_not_counted_again(pool: PgPool) {
    let mut process = process(&pool);
    let (caller, plan) = (live(), plan());
    let url = Secret::from(silent().await);
    let slow = Redis::lazy(&url, Duration::from_millis(50), "").unwrap();
    let quota = Quota::new(slow, Arc::clone(&process.shared));
    // Three are sent. Then the breaker is open, and the others are known not to have been.
    for _ in 0..10 {
        let standing = quota.take(&caller, &plan, START).await.unwrap();
        assert_eq!(standing.month_used, None);
    }
    process.month_use.exchange().await;
    assert_eq!(process.take_one(&caller).await, Some(8));
}
