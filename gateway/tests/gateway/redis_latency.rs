//! A Redis that is sometimes slow: a read waits for it once, no call waits longer than `redis_patience`, and every call is counted
//! once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use sqlx::PgPool;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::OwnedWriteHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep_until, timeout};

use crate::support::{LONG, Test, TestConfig, TestKey, plans, redis_url};

/// How long the gateway waits for Redis: longer than a slow machine takes for a reply that is not delayed.
const PATIENCE: Duration = Duration::from_secs(1);
const CALLS: usize = 8;

/// A proxy of Redis that delays replies.
struct DelayedRedis {
    address: String,
    by: Arc<AtomicU64>,
    /// Connections that were opened.
    connections: Arc<AtomicUsize>,
    /// Whether commands are held until those for the quota and for the position have both come.
    holds: Arc<AtomicBool>,
}

impl DelayedRedis {
    async fn redis() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let url: redis::ConnectionInfo = redis_url().parse().unwrap();
        let to = url.addr().to_string();
        // A user or a database in the address is kept.
        let address = redis_url().replacen(&to, &format!("127.0.0.1:{port}"), 1);
        let by = Arc::new(AtomicU64::new(0));
        let lateness = Arc::clone(&by);
        let holds = Arc::new(AtomicBool::new(false));
        let holding = Arc::clone(&holds);
        let connections = Arc::new(AtomicUsize::new(0));
        let opened = Arc::clone(&connections);
        let relaying = async move {
            while let Ok((caller, _)) = listener.accept().await {
                opened.fetch_add(1, Ordering::SeqCst);
                let redis = TcpStream::connect(&to).await.unwrap();
                let (asked, responses) = caller.into_split();
                let (answered, asks) = redis.into_split();
                spawn(forward(asked, asks, Arc::clone(&holding)));
                spawn(relay(answered, responses, Arc::clone(&lateness)));
            }
        };
        spawn(relaying);
        Self {
            address,
            by,
            connections,
            holds,
        }
    }

    fn by(&self, lateness: Duration) {
        let milliseconds = lateness.as_millis().try_into().unwrap();
        self.by.store(milliseconds, Ordering::SeqCst);
    }
}

#[expect(clippy::disallowed_methods, reason = "it ends with the test's runtime")]
fn spawn(task: impl Future<Output = ()> + Send + 'static) {
    drop(tokio::spawn(task));
}

/// Forwards commands, and holds them while `holds` is set until those for the quota and for the position have both come.
async fn forward(mut from: impl AsyncRead + Unpin, mut to: OwnedWriteHalf, holds: Arc<AtomicBool>) {
    let (mut came, mut held) = (vec![0; 1 << 16], Vec::new());
    while let Ok(length) = from.read(&mut came).await
        && length > 0
    {
        held.extend_from_slice(&came[..length]);
        let has = |text: &[u8]| held.windows(text.len()).any(|part| part == text);
        if holds.load(Ordering::SeqCst) && !(has(b"EVALSHA") && has(b"feed:")) {
            continue;
        }
        if to.write_all(&held).await.is_err() {
            return;
        }
        held.clear();
    }
}

/// Forwards bytes with a delay.
async fn relay(mut from: impl AsyncRead + Unpin, mut to: OwnedWriteHalf, late: Arc<AtomicU64>) {
    let mut came = vec![0; 1 << 16];
    while let Ok(length) = from.read(&mut came).await
        && length > 0
    {
        let late = Duration::from_millis(late.load(Ordering::SeqCst));
        sleep_until(Instant::now() + late).await;
        if to.write_all(&came[..length]).await.is_err() {
            return;
        }
    }
}

/// Makes concurrent calls. Returns how many got the month, which only Redis knows.
async fn call(test: &Test, key: &TestKey) -> usize {
    let responses = join_all((0..CALLS).map(|_| test.get(key, "/games"))).await;
    for response in &responses {
        assert!(response.is_ok(), "{}", response.text);
    }
    let with_month = responses
        .iter()
        .filter(|response| response.header("ratelimit").contains("month"));
    with_month.count()
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_read_takes_one_round_trip_to_redis(pool: PgPool) {
    let redis = DelayedRedis::redis().await;
    let with = TestConfig {
        redis: redis.address.clone(),
        plans: plans("calls_per_month = 1000000"),
        ..TestConfig::default()
    };
    let test = Test::with(pool, with).await;
    let key = test.live_key().await;
    assert_eq!(call(&test, &key).await, CALLS);
    // If one command waited for the reply to the other, Redis would get neither, and the month would be unknown.
    redis.holds.store(true, Ordering::SeqCst);
    assert_eq!(call(&test, &key).await, CALLS);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_connection_is_open_before_the_first_call(pool: PgPool) {
    let redis = DelayedRedis::redis().await;
    let with = TestConfig {
        redis: redis.address.clone(),
        plans: plans("calls_per_month = 1000000"),
        ..TestConfig::default()
    };
    let test = Test::with(pool, with).await;
    let key = test.live_key().await;
    test.app.quota.warm_up().await;
    let opened = redis.connections.load(Ordering::SeqCst);
    assert!(opened > 0);
    // The task that reads months from PostgreSQL has a connection of its own.
    assert_eq!(call(&test, &key).await, CALLS);
    assert!(redis.connections.load(Ordering::SeqCst) <= opened + 1);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_slow_redis_loses_no_count(pool: PgPool) {
    let redis = DelayedRedis::redis().await;
    let with = TestConfig {
        redis: redis.address.clone(),
        patience: PATIENCE,
        plans: plans("calls_per_month = 1000000"),
        ..TestConfig::default()
    };
    let test = Test::with(pool, with).await;
    let account = test.account("free").await;
    let (key, looker) = (
        test.key(&account, "live").await,
        test.key(&account, "test").await,
    );
    let used = async || {
        let me = test.get(&looker, "/me").await;
        me.json["data"]["month"]["used"].as_u64()
    };
    let mut calls = 0;
    for part in [0, 1, 8, 40, 0, 8] {
        // In tenths of the gateway's timeout.
        let lateness = PATIENCE * part / 10;
        redis.by(lateness);
        let mut with_month = 0;
        for _ in 0..3 {
            with_month += call(&test, &key).await;
            calls += CALLS;
        }
        match part {
            // In time.
            0 | 1 | 8 => {}
            _ => assert_eq!(with_month, 0, "{part}"),
        }
        redis.by(Duration::ZERO);
        // Afterwards Redis gets the calls that it has missed.
        let wanted = Some(calls.try_into().unwrap());
        let caught_up = timeout(LONG, async { while used().await != wanted {} });
        let caught_up = caught_up.await.is_ok();
        assert!(
            caught_up,
            "{part}: {:?} of {calls} are counted",
            used().await
        );
        // Every call gets the month again.
        loop {
            calls += CALLS;
            if call(&test, &key).await == CALLS {
                break;
            }
        }
    }
}
