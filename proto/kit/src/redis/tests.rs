use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::Notify;

use super::*;

/// Accepts one connection, and answers its commands after `may_answer` is notified.
async fn answer(listener: TcpListener, may_answer: Arc<Notify>) {
    let (mut caller, _) = listener.accept().await.unwrap();
    may_answer.notified().await;
    let mut bytes = [0; 4096];
    while let Ok(read @ 1..) = caller.read(&mut bytes).await {
        let text = String::from_utf8_lossy(&bytes[..read]);
        let commands = text.split('*').filter(|command| !command.is_empty());
        let answers: String = commands
            .map(|command| if command.contains("INFO") { "$0\r\n\r\n" } else { "+OK\r\n" })
            .collect();
        caller.write_all(answers.as_bytes()).await.unwrap();
    }
}

/// Connecting over TLS or to a busy cluster takes longer than the timeout of a call.
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a test has no shutdown")]
async fn a_connection_outlives_the_call_that_opens_it() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    let may_answer = Arc::new(Notify::new());
    tokio::spawn(answer(listener, Arc::clone(&may_answer)));
    let redis = Redis::lazy(&url.into(), Duration::ZERO, "a test goes on").unwrap();
    let answered: Result<String, Unavailable> = redis.query("test", &redis::cmd("PING")).await;
    assert_eq!(answered, Err(Unavailable::NotApplied));
    may_answer.notify_one();
    let is_open = async || redis.0.connection.load().is_some();
    testing::wait_until("the connection is open", is_open).await;
}
