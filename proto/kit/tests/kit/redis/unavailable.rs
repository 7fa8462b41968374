//! Timeouts, lost connections, failovers and the circuit breaker of the Redis connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use kit::Lifecycle;
use kit::config::Secret;
use kit::redis::{Redis, Script, Unavailable, evaluate};
use redis::Cmd;
use testing::redis::Servers;
use tokio::io::copy_bidirectional;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// A fake Redis that can stop answering, and counts connections and commands.
struct FakeRedis {
    url: Secret,
    server: Arc<Server>,
    lifecycle: Lifecycle,
    /// Cancelled to close the current connections.
    close: std::sync::Mutex<CancellationToken>,
}

#[derive(Default)]
struct Server {
    silent: AtomicBool,
    connections: AtomicUsize,
    gets: AtomicUsize,
}

impl FakeRedis {
    async fn start() -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (lifecycle, _) = Lifecycle::new();
        let fake = Arc::new(Self {
            url: format!("redis://{}", listener.local_addr().unwrap()).into(),
            server: Arc::default(),
            lifecycle: lifecycle.clone(),
            close: std::sync::Mutex::default(),
        });
        let acceptor = Arc::clone(&fake);
        lifecycle.spawn(async move {
            while let Ok((caller, _)) = listener.accept().await {
                let server = Arc::clone(&acceptor.server);
                let close = acceptor.close.lock().unwrap().clone();
                acceptor.lifecycle.spawn(async move {
                    close.run_until_cancelled(server.serve(caller)).await;
                });
            }
        });
        fake
    }

    fn redis(&self, timeout: Duration) -> Redis {
        Redis::lazy(&self.url, timeout, "a test goes on").unwrap()
    }

    fn set_silent(&self, silent: bool) {
        self.server.silent.store(silent, Ordering::SeqCst);
    }

    fn close_connections(&self) {
        std::mem::take(&mut *self.close.lock().unwrap()).cancel();
    }

    fn gets(&self) -> usize {
        self.server.gets.load(Ordering::SeqCst)
    }

    fn connections(&self) -> usize {
        self.server.connections.load(Ordering::SeqCst)
    }
}

impl Server {
    async fn serve(&self, mut caller: TcpStream) {
        self.connections.fetch_add(1, Ordering::SeqCst);
        let mut bytes = [0; 4096];
        while let Ok(read @ 1..) = caller.read(&mut bytes).await {
            let text = String::from_utf8_lossy(&bytes[..read]).into_owned();
            let mut answer = String::new();
            // Each command begins with the number of its arguments.
            for command in text.split('*').filter(|command| !command.is_empty()) {
                answer += if command.contains("INFO") {
                    "$0\r\n\r\n"
                } else if command.contains("GET") {
                    self.gets.fetch_add(1, Ordering::SeqCst);
                    "$2\r\nhi\r\n"
                } else if command.contains("DEMOTED") {
                    "-ERR Error running script (call to f_0): @user_script:1: -READONLY You can't write against a read only replica.\r\n"
                } else if command.contains("BROKEN") {
                    "-ERR no such command\r\n"
                } else {
                    "+OK\r\n"
                };
            }
            if !self.silent.load(Ordering::SeqCst) {
                caller.write_all(answer.as_bytes()).await.unwrap();
            }
        }
    }
}

/// Timeout of calls that get no answer. Other calls take less, even on a slow machine.
const SHORT: Duration = Duration::from_secs(1);

fn get() -> Cmd {
    let mut command = redis::cmd("GET");
    command.arg("greeting");
    command
}

async fn ask(redis: &Redis) -> Result<Option<String>, Unavailable> {
    redis.query("test", &get()).await
}

async fn until_answered(redis: &Redis) {
    testing::wait_until("a call is answered", async || ask(redis).await.is_ok()).await;
}

#[tokio::test]
async fn three_failures_in_a_row_open_the_breaker_and_calls_are_not_sent() {
    let fake = FakeRedis::start().await;
    let redis = fake.redis(SHORT);
    until_answered(&redis).await;
    let before = fake.gets();
    fake.set_silent(true);
    for _ in 0..3 {
        assert_eq!(ask(&redis).await, Err(Unavailable::Unknown));
    }
    for _ in 0..100 {
        assert_eq!(ask(&redis).await, Err(Unavailable::NotApplied));
    }
    assert!(fake.gets() <= before + 3, "the others are not sent");
    fake.set_silent(false);
    until_answered(&redis).await;
}

#[tokio::test]
async fn calls_that_fail_together_are_one_failure() {
    let fake = FakeRedis::start().await;
    let redis = fake.redis(SHORT);
    until_answered(&redis).await;
    fake.set_silent(true);
    let burst = futures::future::join_all((0..50).map(|_| ask(&redis))).await;
    assert!(burst.iter().all(|it| *it == Err(Unavailable::Unknown)));
    // Two more failures open the breaker.
    for expected in [Unavailable::Unknown, Unavailable::Unknown, Unavailable::NotApplied] {
        assert_eq!(ask(&redis).await, Err(expected));
    }
}

#[tokio::test]
async fn concurrent_calls_share_one_connection_and_one_probe() {
    let fake = FakeRedis::start().await;
    let redis = fake.redis(testing::LONG);
    let answers = futures::future::join_all((0..50).map(|_| ask(&redis))).await;
    assert!(answers.into_iter().all(|answer| answer.is_ok()));
    assert_eq!(fake.connections(), 1);

    let impatient = fake.redis(SHORT);
    until_answered(&impatient).await;
    let before = fake.connections();
    fake.set_silent(true);
    let answers = futures::future::join_all((0..50).map(|_| ask(&impatient))).await;
    assert!(answers.into_iter().all(|answer| answer == Err(Unavailable::Unknown)));
    // Probes run one at a time. Each opens a connection and waits for its timeout.
    fake.set_silent(false);
    until_answered(&impatient).await;
    // A slow machine may let some probes time out. One probe per call would open fifty connections.
    assert!(fake.connections() < before + 25, "{}", fake.connections());
}

#[tokio::test]
async fn the_next_call_reopens_a_lost_connection() {
    let fake = FakeRedis::start().await;
    let redis = fake.redis(testing::LONG);
    assert!(ask(&redis).await.is_ok());
    fake.close_connections();
    // Only the first call may fail.
    let first = ask(&redis).await;
    assert!(matches!(first, Ok(_) | Err(Unavailable::Unknown)));
    assert!(ask(&redis).await.is_ok());
    assert_eq!(fake.connections(), 2);
}

#[tokio::test]
async fn each_connection_has_its_own_breaker_and_clones_share_it() {
    let fake = FakeRedis::start().await;
    let redis = fake.redis(SHORT);
    let (another, clone) = (redis.new_connection(), redis.clone());
    until_answered(&redis).await;
    fake.set_silent(true);
    for _ in 0..3 {
        assert_eq!(ask(&redis).await, Err(Unavailable::Unknown));
    }
    let before = fake.gets();
    assert_eq!(ask(&clone).await, Err(Unavailable::NotApplied));
    fake.set_silent(false);
    until_answered(&another).await;
    assert!(fake.gets() > before);
}

#[tokio::test]
async fn a_rejection_does_not_open_the_breaker() {
    let fake = FakeRedis::start().await;
    let redis = fake.redis(testing::LONG);
    for _ in 0..10 {
        let rejected = redis.query::<()>("test", &redis::cmd("BROKEN")).await;
        assert_eq!(rejected, Err(Unavailable::NotApplied));
    }
    assert!(ask(&redis).await.is_ok());
}

#[tokio::test]
async fn a_service_starts_without_redis() {
    let nowhere = Secret::from("redis://127.0.0.1:1".to_owned());
    let redis = Redis::connect(&nowhere, testing::LONG, "a test goes on").await;
    assert_eq!(ask(&redis.unwrap()).await, Err(Unavailable::NotApplied));
}

/// An address that forwards each new connection to the latest value of `place`. Open connections stay where they are.
async fn address_of(place: watch::Receiver<String>) -> Secret {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut caller, _)) = listener.accept().await {
            let place = place.borrow().clone();
            tokio::spawn(async move {
                let mut server = TcpStream::connect(place).await.unwrap();
                drop(copy_bidirectional(&mut caller, &mut server).await);
            });
        }
    });
    url.into()
}

#[tokio::test]
async fn a_demoted_redis_is_left_for_its_successor() {
    let servers = Servers::plain(2).unwrap();
    let (place, places) = watch::channel(servers.place(0));
    let address = address_of(places).await;
    let redis = Redis::lazy(&address, testing::LONG, "a test goes on").unwrap();
    let script = Script::new("return redis.call('incr', KEYS[1])");
    let count = async || {
        let mut command = evaluate(&script, 1);
        command.arg("key");
        redis.invoke::<u64>("test", &script, &command).await
    };
    assert_eq!(count().await, Ok(1));

    let (host, port) =
        servers.place(1).split_once(':').map(|(h, p)| (h.to_owned(), p.to_owned())).unwrap();
    servers.command(0, &["replicaof", &host, &port]).unwrap();
    assert_eq!(count().await, Err(Unavailable::NotApplied));
    let not_applied = redis.query::<()>("test", redis::cmd("SET").arg("a").arg("b")).await;
    assert_eq!(not_applied, Err(Unavailable::NotApplied), "no connection to a replica is kept");
    place.send_replace(servers.place(1));
    assert_eq!(count().await, Ok(1), "the next call finds the successor");

    // While the address keeps leading to a replica, the breaker probes.
    servers.command(1, &["replicaof", "127.0.0.1", "1"]).unwrap();
    for _ in 0..10 {
        assert_eq!(count().await, Err(Unavailable::NotApplied));
    }
    servers.command(1, &["replicaof", "no", "one"]).unwrap();
    until_answered(&redis).await;
    assert_eq!(count().await, Ok(2));
}

#[tokio::test]
async fn a_script_that_an_older_redis_refuses_as_a_replica_drops_the_connection() {
    let fake = FakeRedis::start().await;
    let redis = fake.redis(testing::LONG);
    let demoted = redis.query::<()>("test", &redis::cmd("DEMOTED")).await;
    assert_eq!(demoted, Err(Unavailable::NotApplied));
    assert!(ask(&redis).await.is_ok());
    assert_eq!(fake.connections(), 2);
}
