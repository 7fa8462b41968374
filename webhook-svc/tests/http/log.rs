//! The log has what the owner of an endpoint does not learn.

use std::cell::RefCell;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::Once;

use webhook::http::Sender;
use webhook::http::resolver::ResolveError;

use super::receiver::{Authority, Scripted, ping};

thread_local! {
    /// What the test of this thread logs: its runtime has no other thread.
    static LOG: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

struct ThreadLog;

impl Write for ThreadLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LOG.with_borrow_mut(|log| log.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn the_log_has_the_address_and_the_words_of_the_name_servers() {
    // For all threads: a subscriber of a single thread misses lines that another thread has met first.
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let subscriber = tracing_subscriber::fmt().with_ansi(false);
        subscriber.with_writer(|| ThreadLog).init();
    });
    let authority = Authority::new();
    let refused = ResolveError::Unanswered("10.0.0.53 refused".to_owned());
    let address = SocketAddr::from(([10, 0, 0, 1], 443));
    let private = ["ip=10.0.0.1", "what=\"a private address\""];
    for (answer, expected) in
        [(Ok(vec![address]), private.as_slice()), (Err(refused), &["why=10.0.0.53 refused"])]
    {
        LOG.take();
        let resolver = Scripted::answering([answer]);
        let sender = Sender::with_resolver(&authority.settings(&[]), resolver).unwrap();
        // Customers choose the names: the second attempt of a minute logs nothing.
        for _ in 0..2 {
            let reason = ping(&sender).await.reason.unwrap();
            assert!(!reason.contains("10.0.0"), "{reason}");
        }
        let log = String::from_utf8(LOG.take()).unwrap();
        let lines: Vec<&str> = log.lines().filter(|line| line.contains("WARN")).collect();
        let [line] = lines[..] else {
            panic!("{log}");
        };
        assert!(line.contains("host=\"hooks.example\""), "{line}");
        for part in expected {
            assert!(line.contains(part), "{line}");
        }
    }
}
