//! Unknown keys and other refused calls (§5.1) are limited per address and minute. Beyond the limit no key is looked up.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use futures::future::join_all;
use gateway::overload::admission::LoadLimits;
use gateway::router::router;
use sqlx::PgPool;
use time::Duration;

use crate::support::{
    LIMITS, Script, Test, TestConfig, TestKey, TestResponse, another, lock, send,
};

const WRONG: (u16, &str) = (401, "invalid_key");
const LIMITED: (u16, &str) = (429, "rate_limited");
const HERE: &str = "192.0.2.1";

/// A gateway that allows three refused calls per address.
fn three() -> TestConfig {
    TestConfig { refused_calls: 3, ..TestConfig::default() }
}

async fn guess(test: &Test, address: &str) -> TestResponse {
    test.call(test.guess().get_from(address)).await
}

/// Makes as many refused calls as an address may make.
async fn use_up(test: &Test, address: &str) {
    for _ in 0..3 {
        assert_eq!(guess(test, address).await.error(), WRONG);
    }
    assert_eq!(guess(test, address).await.error(), LIMITED);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn an_address_over_its_limit_gets_no_lookup(pool: PgPool) {
    let test = Test::with(pool, three()).await;
    let known = test.live_key().await;
    assert!(test.call(known.get_from(HERE)).await.is_ok());
    let calls = test.catalogue.calls();
    let wrong = test.guess();
    assert_eq!(test.call(wrong.get_from(HERE)).await.error(), WRONG);
    test.clock.advance(Duration::milliseconds(10_500));
    for _ in 0..2 {
        assert_eq!(guess(&test, HERE).await.error(), WRONG);
    }

    // The table of keys is locked, so that a lookup would time out.
    let keys = lock(&test.pool, "gateway.key").await;
    for _ in 0..50 {
        let response = guess(&test, HERE).await;
        assert_eq!(response.error(), LIMITED);
        assert_eq!(response.header("retry-after"), "50");
        assert_eq!(response.json["meta"]["mode"], "live");
        assert_eq!(response.header("ratelimit"), "", "it is nobody's quota");
    }
    // A repeated and a mistyped key are refused calls too.
    assert_eq!(test.call(wrong.get_from(HERE)).await.error(), LIMITED);
    assert_eq!(test.call(mistyped().get_from(HERE)).await.error(), LIMITED);
    assert_eq!(test.catalogue.calls(), calls);
    // A cached key needs no lookup.
    assert!(test.call(known.get_from(HERE)).await.is_ok());
    drop(keys);

    assert_eq!(guess(&test, "192.0.2.2").await.error(), WRONG);
    test.clock.advance(Duration::milliseconds(49_500));
    assert_eq!(guess(&test, HERE).await.error(), WRONG);
}

/// A key with a wrong checksum.
fn mistyped() -> TestKey {
    TestKey { id: String::new(), secret: format!("svc_live_{}", "x".repeat(38)) }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn every_refused_call_counts_against_its_address(pool: PgPool) {
    let test = Test::with(pool, three()).await;
    let key = test.live_key().await;
    assert!(test.call(key.get_from(HERE)).await.is_ok());
    let from = |call: http::request::Builder| {
        let peer: std::net::IpAddr = HERE.parse().unwrap();
        call.extension(ConnectInfo(SocketAddr::from((peer, 4711))))
    };
    let refused = || {
        let page = |call: http::request::Builder| call.header("origin", "https://example.org");
        [
            from(http::Request::get("/v1/games")),
            from(page(http::Request::options("/v1/games"))),
            mistyped().get_from(HERE),
            from(page(key.get("/games"))),
            from(key.get("/economy/rates")),
            from(key.request("POST", "/games")),
        ]
    };
    for (number, call) in refused().into_iter().enumerate() {
        let response = test.call(call).await;
        let (status, code) = response.error();
        if number < 3 {
            assert!(matches!(status, 401 | 403), "{number}: {code}");
        } else {
            assert_eq!((status, code), LIMITED, "{number}");
        }
    }
    for call in refused() {
        let response = test.call(call).await;
        assert_eq!(response.error(), LIMITED);
        assert_eq!(response.header("retry-after"), "60");
    }
    // Allowed calls still work, and another address has its own limit.
    assert!(test.call(key.get_from(HERE)).await.is_ok());
    assert_eq!(test.call(mistyped().get_from("192.0.2.2")).await.error(), WRONG);
    test.clock.advance(Duration::MINUTE);
    assert_eq!(test.call(mistyped().get_from(HERE)).await.error(), WRONG);
}

/// A key that the gateway has not seen yet may be a guess.
#[testing::database_test(gateway::MIGRATOR)]
async fn at_an_address_over_its_limit_only_keys_that_were_seen_work(pool: PgPool) {
    let test = Test::with(pool, three()).await;
    let [cached, other] = [test.live_key().await, test.live_key().await];
    assert!(test.call(cached.get_from(HERE)).await.is_ok());
    use_up(&test, HERE).await;
    assert!(test.call(cached.get_from(HERE)).await.is_ok());
    assert_eq!(test.call(other.get_from(HERE)).await.error(), LIMITED);
    assert!(test.call(other.get_from("192.0.2.2")).await.is_ok());
    assert!(test.call(other.get_from(HERE)).await.is_ok());
}

/// A change may concern the key itself, or nobody who calls from there.
#[testing::database_test(gateway::MIGRATOR)]
async fn no_change_makes_a_guess_of_a_key_that_was_seen(pool: PgPool) {
    let mut test = Test::with(pool, three()).await;
    let account = test.account("free").await;
    let seen = test.key(&account, "live").await;
    test.catch_up().await;
    assert!(test.call(seen.get_from(HERE)).await.is_ok());
    use_up(&test, HERE).await;
    let works = async |test: &Test| {
        let response = test.call(seen.get_from(HERE)).await;
        assert!(response.is_ok(), "{}", response.text);
    };
    test.live_key().await;
    test.catch_up().await;
    works(&test).await;
    test.set_plan(&account, "build").await;
    test.catch_up().await;
    works(&test).await;
    crate::keys::publish(&test, "kora", true).await;
    test.catch_up().await;
    works(&test).await;
    assert_eq!(guess(&test, HERE).await.error(), LIMITED);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_change_outdates_only_the_keys_that_it_concerns(pool: PgPool) {
    let mut test = Test::new(pool).await;
    let (one, other) = (test.account("free").await, test.account("free").await);
    let [changed, unchanged] = [test.key(&one, "live").await, test.key(&other, "live").await];
    let wrong = test.guess();
    test.catch_up().await;
    for key in [&changed, &unchanged] {
        assert!(test.get(key, "/me").await.is_ok());
    }
    assert_eq!(test.get(&wrong, "/me").await.error(), WRONG);
    test.set_plan(&one, "build").await;
    crate::switches::set(&test, "submissions", false, "").await.unwrap();
    test.catch_up().await;
    let watching = another(&test.pool).await;
    let keys = lock(&test.pool, "gateway.key").await;
    assert!(test.get(&unchanged, "/me").await.is_ok());
    assert_eq!(test.get(&wrong, "/me").await.error(), WRONG);
    let see = async {
        while look_ups(&watching).await < 1 {
            tokio::task::yield_now().await;
        }
        drop(keys);
    };
    let response = tokio::join!(test.get(&changed, "/me"), see).0;
    assert_eq!(response.plan(), "build");
}

/// A copy of the disk was put back, and another account was changed under the number of the lost
/// change.
#[testing::database_test(gateway::MIGRATOR)]
async fn a_lost_change_outdates_every_key(pool: PgPool) {
    let mut test = Test::new(pool).await;
    let (one, other) = (test.account("free").await, test.account("free").await);
    let key = test.key(&one, "live").await;
    test.set_plan(&one, "build").await;
    test.catch_up().await;
    assert_eq!(test.get(&key, "/me").await.plan(), "build");
    let put_back = format!(
        "update gateway.account set plan = 'free' where id = '{one}';
         update gateway.feed_head set at = at + interval '1 second';
         update gateway.feed set id = '{other}', at = head.at from gateway.feed_head head where feed.seq = head.seq"
    );
    #[expect(clippy::disallowed_methods, reason = "several statements")]
    let put_back = sqlx::raw_sql(sqlx::AssertSqlSafe(put_back));
    put_back.execute(&test.pool).await.unwrap();
    test.catch_up().await;
    assert_eq!(test.get(&key, "/me").await.plan(), "free");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn an_unknown_key_is_cached_until_a_key_is_created(pool: PgPool) {
    let mut test = Test::new(pool).await;
    test.catch_up().await;
    let wrong = test.guess();
    assert_eq!(test.get(&wrong, "/me").await.error(), WRONG);
    let keys = lock(&test.pool, "gateway.key").await;
    assert_eq!(test.get(&wrong, "/me").await.error(), WRONG);
    drop(keys);
    let watching = another(&test.pool).await;
    test.live_key().await;
    test.catch_up().await;
    let keys = lock(&test.pool, "gateway.key").await;
    let see = async {
        while look_ups(&watching).await < 1 {
            tokio::task::yield_now().await;
        }
        drop(keys);
    };
    let again = tokio::join!(test.get(&wrong, "/me"), see).0;
    assert_eq!(again.error(), WRONG);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_cancelled_lookup_does_not_fail_the_next_request(pool: PgPool) {
    let test = Test::with(pool.clone(), three()).await;
    let key = Test::new(pool).await.live_key().await;
    let keys = lock(&test.pool, "gateway.key").await;
    let mut first = Box::pin(test.call(key.get_from(HERE)));
    let mut second = Box::pin(test.call(key.get_from(HERE)));
    assert!(futures::poll!(&mut first).is_pending());
    assert!(futures::poll!(&mut second).is_pending());
    drop(first);
    drop(keys);
    assert!(second.await.is_ok());
}

#[testing::database_test(gateway::MIGRATOR)]
async fn clients_behind_a_trusted_proxy_are_limited_separately(pool: PgPool) {
    let with = TestConfig { proxies: "10.0.0.0/8".parse().unwrap(), ..three() };
    let test = Test::with(pool, with).await;
    let through = async |forwarded: &str| {
        let call = test.guess().get_from("10.1.2.3");
        let response = test.call(call.header("x-forwarded-for", forwarded)).await;
        response.error().0
    };
    for forged in ["1.1.1.1", "1.1.1.2", "1.1.1.3"] {
        assert_eq!(through(&format!("{forged}, 198.51.100.7, 10.0.0.9")).await, 401);
    }
    assert_eq!(through("198.51.100.7").await, 429);
    assert_eq!(through("198.51.100.8").await, 401);
    // The header of a client that is not a trusted proxy is ignored.
    for forged in ["198.51.100.9", "198.51.100.10", "198.51.100.11"] {
        let call = test.guess().get_from(HERE);
        let response = test.call(call.header("x-forwarded-for", forged)).await;
        assert_eq!(response.error(), WRONG);
    }
    assert_eq!(guess(&test, HERE).await.error(), LIMITED);
}

/// The number of lookups that wait for a lock.
async fn look_ups(pool: &PgPool) -> i64 {
    #[expect(clippy::disallowed_methods, reason = "the catalogue of the server")]
    let waiting = sqlx::query_scalar(
        "select count(*) from pg_locks l join pg_database d on d.oid = l.database
         where d.datname = current_database() and l.relation = 'gateway.key'::regclass and not l.granted",
    );
    waiting.fetch_one(pool).await.unwrap()
}

#[testing::database_test(gateway::MIGRATOR)]
async fn guesses_that_wait_for_a_lookup_hold_no_admission_permit(pool: PgPool) {
    let test = Test::new(pool).await;
    let known = test.live_key().await;
    assert!(test.get(&known, "/games").await.is_ok());
    // One call may run, and none is queued.
    let limits = LoadLimits { calls: 1, queued: 0, ..LIMITS };
    let router = router(&test.app, limits);
    let call = |key: &TestKey| {
        let request = key.get("/games").body(Body::empty()).unwrap();
        let router = router.clone();
        async move { send(&router, request).await }
    };
    let keys = lock(&test.pool, "gateway.key").await;
    // The lock makes all lookups wait.
    let mut waiting: Vec<_> = (0..34).map(|_| Box::pin(call(&test.guess()))).collect();
    for guess in &mut waiting {
        assert!(futures::poll!(guess).is_pending());
    }
    let read = call(&known).await;
    assert!(read.is_ok(), "{}", read.text);
    drop(keys);
    for guess in waiting {
        assert_eq!(guess.await.error(), WRONG);
    }
}

/// A guess could otherwise bring a call past admission: one that finds a key waits for a permit again.
#[testing::database_test(gateway::MIGRATOR)]
async fn a_call_holds_a_permit_whether_or_not_its_key_was_looked_up(pool: PgPool) {
    let mut test = Test::new(pool).await;
    let account = test.account("free").await;
    let (known, other) = (test.key(&account, "live").await, test.live_key().await);
    test.catch_up().await;
    for key in [&known, &other] {
        assert!(test.get(key, "/me").await.is_ok());
    }
    let new = test.live_key().await;
    test.set_plan(&account, "build").await;
    test.catch_up().await;
    // One call may run, and none is queued.
    let limits = LoadLimits { calls: 1, queued: 0, ..LIMITS };
    let router = router(&test.app, limits);
    let call = |key: &TestKey, path: &str| {
        let request = key.get(path).body(Body::empty()).unwrap();
        let router = router.clone();
        async move { send(&router, request).await }
    };
    let shed = (503, "unavailable");

    // A known key keeps its permit while it is looked up.
    let watching = another(&test.pool).await;
    let keys = lock(&test.pool, "gateway.key").await;
    let see = async {
        while look_ups(&watching).await < 1 {
            tokio::task::yield_now().await;
        }
        let second = call(&other, "/me").await;
        drop(keys);
        second
    };
    let (first, second) = tokio::join!(call(&known, "/me"), see);
    assert!(first.is_ok(), "{}", first.text);
    assert_eq!(second.error(), shed);

    // A key that may be a guess has none meanwhile, and one when it works.
    test.catalogue.script(Script::Hang);
    let others = async {
        while test.catalogue.calls() < 1 {
            tokio::task::yield_now().await;
        }
        let second = call(&other, "/me").await;
        test.catalogue.script(Script::Answer);
        second
    };
    let (first, second) = tokio::join!(call(&new, "/games"), others);
    assert!(first.is_ok(), "{}", first.text);
    assert_eq!(second.error(), shed);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_known_key_does_not_wait_behind_guesses_for_its_lookup(pool: PgPool) {
    let mut test = Test::new(another(&pool).await).await;
    let account = test.account("free").await;
    let known = test.key(&account, "live").await;
    test.catch_up().await;
    assert!(test.get(&known, "/me").await.is_ok());
    test.set_plan(&account, "build").await;
    test.catch_up().await;
    let watching = another(&test.pool).await;
    let keys = lock(&test.pool, "gateway.key").await;
    let guesses = (0..20).map(|_| test.guess()).collect::<Vec<_>>();
    let guesses = join_all(guesses.iter().map(|guess| test.get(guess, "/me")));
    let see = async {
        while look_ups(&watching).await < 4 {
            tokio::task::yield_now().await;
        }
        let release = async {
            while look_ups(&watching).await < 5 {
                tokio::task::yield_now().await;
            }
            drop(keys);
        };
        tokio::join!(test.get(&known, "/me"), release).0
    };
    let (guesses, used) = tokio::join!(guesses, see);
    assert_eq!(used.plan(), "build");
    assert!(guesses.iter().all(|guess| guess.error() == WRONG));
}

/// The changes since are not known one by one: the numbers of a restored database go back.
#[testing::database_test(gateway::MIGRATOR)]
async fn a_restore_outdates_all_keys_and_makes_none_a_guess(pool: PgPool) {
    let mut test = Test::with(pool, three()).await;
    let account = test.account("free").await;
    let seen = test.key(&account, "live").await;
    test.catch_up().await;
    assert!(test.call(seen.get_from(HERE)).await.is_ok());
    use_up(&test, HERE).await;
    let restored = "update gateway.account set plan = 'build'; update gateway.feed_head set epoch = gen_random_uuid(), seq = 0";
    #[expect(clippy::disallowed_methods, reason = "several statements")]
    let restoring = sqlx::raw_sql(restored).execute(&test.pool);
    restoring.await.unwrap();
    test.catch_up().await;
    let response = test.call(seen.get_from(HERE)).await;
    let policy = response.header("ratelimit-policy");
    assert!(policy.contains("q=300;"), "{}", response.text);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_burst_of_calls_with_a_new_key_waits_for_its_lookup(pool: PgPool) {
    let test = Test::new(pool.clone()).await;
    let new = test.live_key().await;
    let watching = another(&pool).await;
    let keys = lock(&test.pool, "gateway.key").await;
    let calls = join_all((0..50).map(|_| test.get(&new, "/me")));
    let see = async {
        while look_ups(&watching).await < 1 {
            tokio::task::yield_now().await;
        }
        drop(keys);
    };
    for response in tokio::join!(calls, see).0 {
        assert!(response.is_ok(), "{}", response.text);
    }
}
