//! The log has what the owner of an endpoint does not learn.

use std::cell::RefCell;
use std::fmt::{Debug, Write as _};
use std::net::SocketAddr;
use std::sync::Once;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use webhook::http::Sender;
use webhook::http::resolver::ResolveError;

use super::receiver::{Authority, Scripted, ping};

thread_local! {
    /// Events of the test of this thread, whose runtime has no other.
    static EVENTS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Records the events of connections.
struct Log;

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "webhook::http::public_resolver"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        EVENTS.with_borrow_mut(|events| events.push(line.0));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// An event as text: its level and its fields.
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

#[tokio::test]
async fn the_log_has_the_address_and_the_words_of_the_name_servers() {
    // For all threads: one of a single thread misses events that another thread has met first.
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| tracing::subscriber::set_global_default(Log).unwrap());
    let authority = Authority::new();
    let refused = ResolveError::Unanswered("10.0.0.53 refused".to_owned());
    let address = SocketAddr::from(([10, 0, 0, 1], 443));
    let private = [" ip=10.0.0.1", " what=\"a private address\""];
    for (answer, expected) in [
        (Ok(vec![address]), private.as_slice()),
        (Err(refused), &[" why=10.0.0.53 refused"]),
    ] {
        EVENTS.set(Vec::new());
        let resolver = Scripted::answering([answer]);
        let sender = Sender::with_resolver(&authority.settings(&[]), resolver).unwrap();
        let reason = ping(&sender).await.reason.unwrap();
        assert!(!reason.contains("10.0.0"), "{reason}");
        let events = EVENTS.take();
        let [event] = &events[..] else {
            panic!("{events:?}");
        };
        assert!(event.starts_with("WARN"), "{event}");
        assert!(event.contains(" host=\"hooks.example\""), "{event}");
        for part in expected {
            assert!(event.contains(part), "{event}");
        }
    }
}
