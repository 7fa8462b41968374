//! Keys during a PostgreSQL outage, and at a replica that is cut off from PostgreSQL.

use std::time::Duration;

use axum::body::Body;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_server::StaffService as _;
use gateway::lookup::Options;
use kit::{Code, Fault};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use testing::silent_proxy::SilentProxy;
use time::Duration as Span;

use crate::support::{
    LONG, NO_REDIS, Test, TestConfig, another, by_operator, eventually, lock, send,
};

const AWAY: (u16, &str) = (503, "unavailable");

#[testing::database_test(gateway::MIGRATOR)]
async fn without_postgresql_only_cached_keys_work(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let used = test.key(&account, "live").await;
    let fresh = test.key(&account, "live").await;
    let guess = test.guess();
    assert!(test.get(&used, "/games").await.is_ok());
    test.pool.close().await;
    assert!(test.get(&used, "/games").await.is_ok());
    for key in [&fresh, &guess] {
        let response = test.get(key, "/games").await;
        assert_eq!(response.error(), AWAY);
        assert_eq!(response.header("retry-after"), "1");
        let message = response.json["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("Your key cannot be checked"), "{message}");
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_replica_without_postgresql_accepts_a_key_for_an_hour(pool: PgPool) {
    let with = TestConfig {
        // This replica does not see the Redis with the tombstone.
        redis: NO_REDIS.to_owned(),
        ..TestConfig::default()
    };
    let mut cut_off = Test::with(another(&pool).await, with).await;
    let here = Test::new(pool).await;
    let (revoked, good) = (here.live_key().await, here.live_key().await);
    cut_off.catch_up().await;
    for key in [&revoked, &good] {
        assert!(cut_off.get(key, "/games").await.is_ok());
    }
    cut_off.clock.advance(Span::HOUR);
    cut_off.catch_up().await;
    cut_off.pool.close().await;
    here.revoke(&revoked).await;

    cut_off.clock.advance(Span::HOUR);
    assert!(cut_off.try_catch_up().await.is_err());
    for key in [&revoked, &good] {
        assert!(cut_off.get(key, "/games").await.is_ok());
    }
    cut_off.clock.advance(Span::MILLISECOND);
    for key in [&revoked, &good] {
        assert_eq!(cut_off.get(key, "/games").await.error(), AWAY);
    }
}

/// PostgreSQL is down when the keys of an account must be read again.
#[testing::database_test(gateway::MIGRATOR)]
async fn a_change_just_before_an_outage_stops_no_key(pool: PgPool) {
    let mut test = Test::new(pool).await;
    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    test.catch_up().await;
    assert!(test.get(&key, "/games").await.is_ok());
    test.clock.advance(Span::HOUR);
    test.catch_up().await;
    test.set_plan(&account, "build").await;
    test.catch_up().await;
    test.pool.close().await;
    assert!(test.try_catch_up().await.is_err());
    test.clock.advance(Span::HOUR);
    assert!(test.get(&key, "/games").await.is_ok());
    test.clock.advance(Span::MILLISECOND);
    assert_eq!(test.get(&key, "/games").await.error(), AWAY);
}

/// The lookup of a key would wait, and its call does not.
#[testing::database_test(gateway::MIGRATOR)]
async fn while_changes_cannot_be_read_no_call_waits_for_a_key_that_was_known(pool: PgPool) {
    let through = PgPoolOptions::new()
        .acquire_timeout(Duration::from_secs(1))
        .connect_lazy_with((*pool.connect_options()).clone());
    let mut test = Test::new(through).await;
    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    test.catch_up().await;
    assert!(test.get(&key, "/games").await.is_ok());
    test.set_plan(&account, "build").await;
    test.catch_up().await;
    let (feed, keys) = (lock(&pool, "gateway.feed_head").await, lock(&pool, "gateway.key").await);
    assert!(test.try_catch_up().await.is_err());
    // Until the deadline of a lookup, which is longer.
    let calls = futures::future::join_all((0..20).map(|_| test.get(&key, "/me")));
    for response in tokio::time::timeout(LONG / 2, calls).await.unwrap() {
        assert_eq!(response.plan(), "free");
    }
    drop((feed, keys));
    test.catch_up().await;
    let response = test.get(&key, "/me").await;
    assert_eq!(response.plan(), "build");
}

/// A former owner could otherwise go on with the key. There are more keys to look up than
/// connections.
#[testing::database_test(gateway::MIGRATOR)]
async fn no_key_is_accepted_as_last_known_while_changes_can_be_read(pool: PgPool) {
    let few = PgPoolOptions::new()
        .max_connections(5)
        .connect_lazy_with((*pool.connect_options()).clone());
    let with = TestConfig { lookup: deadline(Duration::from_secs(1)), ..TestConfig::default() };
    let mut test = Test::with(few, with).await;
    let (mut accounts, mut keys) = (Vec::new(), Vec::new());
    for _ in 0..4 {
        let account = test.account("free").await;
        for _ in 0..5 {
            keys.push(test.key(&account, "live").await);
        }
        accounts.push(account);
    }
    test.catch_up().await;
    for key in &keys {
        let found = async || test.get(key, "/games").await.is_ok();
        eventually("the key is found in time", found).await;
    }
    for account in &accounts {
        test.set_plan(account, "build").await;
    }
    test.catch_up().await;
    let locked = lock(&pool, "gateway.key").await;
    let router = test.router.clone();
    let calls = keys.iter().map(|key| {
        let call = key.get("/games").body(Body::empty()).unwrap();
        send(&router, call)
    });
    let reading = async {
        loop {
            test.catch_up().await;
        }
    };
    tokio::select! {
        responses = futures::future::join_all(calls) => {
            for response in responses {
                assert_eq!(response.error(), AWAY);
            }
        }
        () = reading => {}
    }
    drop(locked);
}

/// A lookup fails before the gateway has noticed that changes cannot be read.
#[testing::database_test(gateway::MIGRATOR)]
async fn a_lookup_that_fails_waits_until_it_is_known_whether_changes_can_be_read(pool: PgPool) {
    let mut test = Test::new(pool).await;
    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    test.catch_up().await;
    assert!(test.get(&key, "/games").await.is_ok());
    test.set_plan(&account, "build").await;
    test.catch_up().await;
    test.pool.close().await;
    let router = test.router.clone();
    let mut call = std::pin::pin!(send(&router, key.get("/me").body(Body::empty()).unwrap()));
    for _ in 0..100 {
        assert!(futures::poll!(call.as_mut()).is_pending());
        tokio::task::yield_now().await;
    }
    assert!(test.try_catch_up().await.is_err());
    assert_eq!(call.await.plan(), "free");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_key_is_accepted_again_once_changes_can_be_read(pool: PgPool) {
    let with = TestConfig { lookup: deadline(Duration::from_millis(200)), ..TestConfig::default() };
    let mut test = Test::with(pool, with).await;
    let key = test.live_key().await;
    test.catch_up().await;
    let found = async || test.get(&key, "/games").await.is_ok();
    eventually("the key is found in time", found).await;
    let keys = lock(&test.pool, "gateway.key").await;
    test.clock.advance(Span::HOUR * 2);
    assert_eq!(test.get(&key, "/games").await.error(), AWAY);
    // Polling the feed does not read the table of keys, and there are no changes.
    test.catch_up().await;
    assert!(test.get(&key, "/games").await.is_ok());
    drop(keys);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_lookup_that_misses_its_deadline_is_unavailable(pool: PgPool) {
    let with = TestConfig { lookup: deadline(Duration::from_millis(200)), ..TestConfig::default() };
    let test = Test::with(pool, with).await;
    let account = test.account("free").await;
    let used = test.key(&account, "live").await;
    let fresh = test.key(&account, "live").await;
    let found = async |key| test.get(key, "/games").await.is_ok();
    eventually("the key is found in time", async || found(&used).await).await;
    let keys = lock(&test.pool, "gateway.key").await;
    // More requests than the pool has connections: a timed-out lookup must not leak its connection.
    let calls = (0..20).map(|_| test.get(&fresh, "/games"));
    for response in futures::future::join_all(calls).await {
        assert_eq!(response.error(), AWAY);
    }
    assert!(found(&used).await);
    drop(keys);
    eventually("the other key is found", async || found(&fresh).await).await;
    let guess = test.guess();
    eventually("the guess is not found", async || {
        test.get(&guess, "/games").await.error().0 == 401
    })
    .await;
}

/// A gateway whose connections to PostgreSQL go through a proxy, with a commit timeout of seconds.
async fn behind_a_proxy(pool: &PgPool) -> (SilentProxy, Test) {
    let proxy = SilentProxy::start(pool).await.unwrap();
    let through = PgPoolOptions::new()
        .acquire_timeout(Duration::from_secs(4))
        .connect_lazy_with(proxy.options(pool));
    let gateway = Test::new(through).await;
    (proxy, gateway)
}

/// The error of a revocation whose commit never reaches PostgreSQL. The query for its outcome gets no response either.
async fn lost_at_commit<T>(
    mut proxy: SilentProxy,
    revocation: impl Future<Output = Result<T, Fault>>,
) -> Code {
    proxy.fall_silent_at("commit and chain");
    let fall_silent = async {
        let dropped = tokio::time::timeout(LONG, proxy.dropped.changed());
        dropped.await.expect("the commit is sent").unwrap();
        proxy.fall_silent();
    };
    let (revoked, ()) = tokio::join!(revocation, fall_silent);
    revoked.err().unwrap().code
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_key_whose_revocation_has_an_unknown_outcome_is_refused(pool: PgPool) {
    let here = Test::new(pool.clone()).await;
    let (proxy, cut_off) = behind_a_proxy(&pool).await;
    let key = here.live_key().await;
    assert!(here.get(&key, "/games").await.is_ok());
    let revocation = async {
        let request = proto::RevokeKeyRequest { id: key.id.clone() };
        let revoked = cut_off.staff.revoke_key(by_operator(request)).await;
        revoked.map_err(Fault::from)
    };
    assert_eq!(lost_at_commit(proxy, revocation).await, Code::OutcomeUnknown);
    // The feed has no revocation: the tombstone rejects the key.
    assert_eq!(here.get(&key, "/games").await.error(), (401, "invalid_key"));
}

/// The default options with another deadline.
fn deadline(deadline: Duration) -> Options {
    Options { deadline, ..TestConfig::default().lookup }
}
