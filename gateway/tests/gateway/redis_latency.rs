//! The latency of a read in Redis: one round trip, over an open connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use futures::future::join_all;
use sqlx::PgPool;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::OwnedWriteHalf;
use tokio::net::{TcpListener, TcpStream};

use crate::support::{Test, TestConfig, TestKey, plans, redis_url};

const CALLS: usize = 8;

/// A TCP proxy in front of Redis.
struct RedisProxy {
    address: String,
    /// The number of connections opened.
    connections: Arc<AtomicUsize>,
    /// Whether commands are held until both the one for the quota and the one for the position have arrived.
    holds: Arc<AtomicBool>,
    /// The number of commands that read a position.
    reads: Arc<AtomicUsize>,
}

impl RedisProxy {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let url: redis::ConnectionInfo = redis_url().parse().unwrap();
        let to = url.addr().to_string();
        // Keep the user and the database of the URL.
        let address = redis_url().replacen(&to, &format!("127.0.0.1:{port}"), 1);
        let holds = Arc::new(AtomicBool::new(false));
        let connections = Arc::new(AtomicUsize::new(0));
        let reads = Arc::new(AtomicUsize::new(0));
        let (holding, opened) = (Arc::clone(&holds), Arc::clone(&connections));
        let read = Arc::clone(&reads);
        spawn(async move {
            while let Ok((caller, _)) = listener.accept().await {
                opened.fetch_add(1, Ordering::SeqCst);
                let redis = TcpStream::connect(&to).await.unwrap();
                let (asked, mut responses) = caller.into_split();
                let (mut answered, asks) = redis.into_split();
                spawn(forward(asked, asks, Arc::clone(&holding), Arc::clone(&read)));
                spawn(async move {
                    drop(tokio::io::copy(&mut answered, &mut responses).await);
                });
            }
        });
        Self { address, connections, holds, reads }
    }
}

#[expect(clippy::disallowed_methods, reason = "it ends with the test's runtime")]
fn spawn(task: impl Future<Output = ()> + Send + 'static) {
    drop(tokio::spawn(task));
}

/// Forwards commands. While `holds` is set, holds them until both the one for the quota and the one for the position have arrived.
async fn forward(
    mut from: impl AsyncRead + Unpin,
    mut to: OwnedWriteHalf,
    holds: Arc<AtomicBool>,
    reads: Arc<AtomicUsize>,
) {
    let (mut came, mut held) = (vec![0; 1 << 16], Vec::new());
    while let Ok(length) = from.read(&mut came).await
        && length > 0
    {
        held.extend_from_slice(&came[..length]);
        let has = |text: &[u8]| held.windows(text.len()).any(|part| part == text);
        if holds.load(Ordering::SeqCst) && !(has(b"EVALSHA") && has(b"feed:")) {
            continue;
        }
        let positions = held.windows(b"feed:".len()).filter(|part| part == b"feed:").count();
        reads.fetch_add(positions, Ordering::SeqCst);
        if to.write_all(&held).await.is_err() {
            return;
        }
        held.clear();
    }
}

/// Makes `calls` concurrent calls; returns how many responses have the monthly count, which only Redis knows.
async fn call(test: &Test, key: &TestKey, calls: usize) -> usize {
    let responses = join_all((0..calls).map(|_| test.get(key, "/games"))).await;
    for response in &responses {
        assert!(response.is_ok(), "{}", response.text);
    }
    let with_month =
        responses.iter().filter(|response| response.header("ratelimit").contains("month"));
    with_month.count()
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_read_takes_one_round_trip_to_redis(pool: PgPool) {
    let redis = RedisProxy::start().await;
    let with = TestConfig {
        redis: redis.address.clone(),
        plans: plans("calls_per_month = 1000000"),
        ..TestConfig::default()
    };
    let test = Test::with(pool, with).await;
    let key = test.live_key().await;
    assert_eq!(call(&test, &key, CALLS).await, CALLS);
    let before = redis.reads.load(Ordering::SeqCst);
    assert_eq!(call(&test, &key, CALLS).await, CALLS);
    let reads = redis.reads.load(Ordering::SeqCst) - before;
    assert!((1..CALLS).contains(&reads), "{reads} reads of the position for {CALLS} calls");
    // If one command waited for the other's reply, Redis would get neither, and the monthly count would be unknown.
    redis.holds.store(true, Ordering::SeqCst);
    assert_eq!(call(&test, &key, 1).await, 1);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_connection_is_open_before_the_first_call(pool: PgPool) {
    let redis = RedisProxy::start().await;
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
    assert_eq!(call(&test, &key, CALLS).await, CALLS);
    assert_eq!(redis.connections.load(Ordering::SeqCst), opened);
}
