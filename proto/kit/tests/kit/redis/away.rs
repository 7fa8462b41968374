//! A Redis that is slow, lost or back, as the kit's connection meets it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use kit::Lifecycle;
use kit::config::Secret;
use kit::redis::{Away, PATIENCE, Redis};
use redis::Cmd;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

/// Plays Redis as far as these tests go, answers or is silent as they like, and counts what it hears.
struct Stand {
    url: Secret,
    heard: Arc<Heard>,
    lifecycle: Lifecycle,
    /// Cancelled: the connections of now are lost.
    lost: std::sync::Mutex<CancellationToken>,
}

#[derive(Default)]
struct Heard {
    silent: AtomicBool,
    connections: AtomicUsize,
    gets: AtomicUsize,
}

impl Stand {
    async fn start() -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (lifecycle, _) = Lifecycle::new();
        let stand = Arc::new(Self {
            url: format!("redis://{}", listener.local_addr().unwrap()).into(),
            heard: Arc::default(),
            lifecycle: lifecycle.clone(),
            lost: std::sync::Mutex::default(),
        });
        let here = Arc::clone(&stand);
        lifecycle.detached(async move {
            while let Ok((caller, _)) = listener.accept().await {
                let (heard, lost) = (Arc::clone(&here.heard), here.lost.lock().unwrap().clone());
                here.lifecycle.detached(async move {
                    lost.run_until_cancelled(heard.serve(caller)).await;
                });
            }
        });
        stand
    }

    fn redis(&self, patience: Duration) -> Redis {
        Redis::lazy(&self.url, patience, "a test goes on").unwrap()
    }

    fn be_silent(&self, silent: bool) {
        self.heard.silent.store(silent, Ordering::SeqCst);
    }

    fn lose_connections(&self) {
        std::mem::take(&mut *self.lost.lock().unwrap()).cancel();
    }

    fn gets(&self) -> usize {
        self.heard.gets.load(Ordering::SeqCst)
    }

    fn connections(&self) -> usize {
        self.heard.connections.load(Ordering::SeqCst)
    }
}

impl Heard {
    async fn serve(&self, mut caller: TcpStream) {
        self.connections.fetch_add(1, Ordering::SeqCst);
        let mut bytes = [0; 4096];
        while let Ok(read @ 1..) = caller.read(&mut bytes).await {
            let text = String::from_utf8_lossy(&bytes[..read]).into_owned();
            let mut answer = String::new();
            // Every command begins with the number of its words.
            for command in text.split('*').filter(|command| !command.is_empty()) {
                answer += if command.contains("INFO\r\n$6\r\nserver") {
                    "$0\r\n\r\n"
                } else if command.contains("GET") {
                    self.gets.fetch_add(1, Ordering::SeqCst);
                    "$2\r\nhi\r\n"
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

fn get() -> Cmd {
    let mut command = redis::cmd("GET");
    command.arg("greeting");
    command
}

async fn ask(redis: &Redis) -> Result<String, Away> {
    redis.query("test", &get()).await
}

/// Asks until it is answered.
async fn until_answered(redis: &Redis) {
    let asking = async {
        while ask(redis).await.is_err() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), asking)
        .await
        .unwrap();
}

#[tokio::test]
async fn three_failures_in_a_row_open_the_breaker_and_calls_are_not_sent() {
    let stand = Stand::start().await;
    let redis = stand.redis(PATIENCE);
    until_answered(&redis).await;
    let before = stand.gets();
    stand.be_silent(true);
    for _ in 0..3 {
        assert_eq!(ask(&redis).await, Err(Away::Unknown));
    }
    for _ in 0..100 {
        assert_eq!(ask(&redis).await, Err(Away::Undone));
    }
    assert_eq!(stand.gets(), before + 3);
    stand.be_silent(false);
    until_answered(&redis).await;
    assert_eq!(stand.gets(), before + 4);
}

#[tokio::test]
async fn many_calls_make_one_connection_and_one_search() {
    let stand = Stand::start().await;
    let redis = stand.redis(Duration::from_secs(10));
    let answers = futures::future::join_all((0..50).map(|_| ask(&redis))).await;
    assert!(answers.into_iter().all(|answer| answer.is_ok()));
    assert_eq!(stand.connections(), 1);

    let hurried = stand.redis(PATIENCE);
    until_answered(&hurried).await;
    let before = stand.connections();
    stand.be_silent(true);
    let answers = futures::future::join_all((0..50).map(|_| ask(&hurried))).await;
    assert!(
        answers
            .into_iter()
            .all(|answer| answer == Err(Away::Unknown))
    );
    // One look at a time, each with a connection, which is silent for as long as it may be.
    stand.be_silent(false);
    until_answered(&hurried).await;
    assert!(stand.connections() <= before + 2, "{}", stand.connections());
}

#[tokio::test]
async fn a_lost_connection_is_made_again_by_the_next_call() {
    let stand = Stand::start().await;
    let redis = stand.redis(Duration::from_secs(10));
    assert!(ask(&redis).await.is_ok());
    stand.lose_connections();
    // The loss shows at the first call after it, at most.
    let first = ask(&redis).await;
    assert!(matches!(first, Ok(_) | Err(Away::Unknown)));
    assert!(ask(&redis).await.is_ok());
    assert_eq!(stand.connections(), 2);
}

#[tokio::test]
async fn each_connection_has_a_breaker_of_its_own_and_clones_share_one() {
    let stand = Stand::start().await;
    let redis = stand.redis(PATIENCE);
    let (another, clone) = (redis.another(), redis.clone());
    until_answered(&redis).await;
    stand.be_silent(true);
    for _ in 0..3 {
        assert_eq!(ask(&redis).await, Err(Away::Unknown));
    }
    let before = stand.gets();
    assert_eq!(ask(&clone).await, Err(Away::Undone));
    stand.be_silent(false);
    until_answered(&another).await;
    assert!(stand.gets() > before);
}

#[tokio::test]
async fn a_refusal_opens_no_breaker() {
    let stand = Stand::start().await;
    let redis = stand.redis(Duration::from_secs(10));
    for _ in 0..10 {
        let refused = redis.query::<()>("test", &redis::cmd("BROKEN")).await;
        assert_eq!(refused, Err(Away::Undone));
    }
    assert!(ask(&redis).await.is_ok());
}

#[tokio::test]
async fn nobody_there_is_known_to_have_done_nothing() {
    let nowhere = Secret::from("redis://127.0.0.1:1".to_owned());
    let redis = Redis::lazy(&nowhere, Duration::from_secs(10), "a test goes on").unwrap();
    for _ in 0..10 {
        assert_eq!(ask(&redis).await, Err(Away::Undone));
    }
}
