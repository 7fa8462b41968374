//! One replica of a service, as its callers know it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::Uri;
use tokio::time::Instant;

use super::connection::{Coming, Way, connect};
use super::health::{Health, Use};
use super::lost::Lost;

#[derive(Debug)]
pub(super) struct Replica {
    pub(super) uri: Uri,
    pub(super) health: Health,
    in_flight: AtomicUsize,
    link: Mutex<Link>,
}

/// The connection, if there is one, and its number.
#[derive(Default)]
struct Link {
    number: u64,
    way: Option<Coming>,
}

/// A call that a replica has; over when this is dropped.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) replica: Arc<Replica>,
    trial: bool,
}

impl Replica {
    pub(super) fn new(uri: Uri) -> Arc<Self> {
        Arc::new(Self {
            uri,
            health: Health::default(),
            in_flight: AtomicUsize::new(0),
            link: Mutex::default(),
        })
    }

    /// Calls that it has.
    pub(super) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// Takes a call.
    pub(super) fn hold(self: &Arc<Self>, usable: Use) -> Held {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        let trial = usable == Use::Trial;
        if trial {
            self.health.begin_trial();
        }
        Held {
            replica: Arc::clone(self),
            trial,
        }
    }

    /// A connection to it: the one there is, or a new one, which all wait for who need it.
    pub(super) async fn way(self: &Arc<Self>) -> Result<Way, Lost> {
        let (number, coming) = self.coming();
        let way = coming.await;
        if way.is_err() {
            self.forget(number);
        }
        way
    }

    fn coming(self: &Arc<Self>) -> (u64, Coming) {
        let mut link = self.link();
        if let Some(coming) = &link.way {
            return (link.number, coming.clone());
        }
        let number = link.number + 1;
        let replica = Arc::downgrade(self);
        let coming = connect(self.uri.clone(), move || {
            if let Some(replica) = replica.upgrade() {
                replica.forget(number);
            }
        });
        *link = Link {
            number,
            way: Some(coming.clone()),
        };
        (number, coming)
    }

    /// Lets the connection go, unless it is already another one.
    fn forget(&self, number: u64) {
        let mut link = self.link();
        if link.number == number {
            link.way = None;
        }
    }

    /// Lets the connection go: it takes no calls any more, though those under way may still end well.
    pub(super) fn reconnect(&self) {
        self.link().way = None;
    }

    fn link(&self) -> MutexGuard<'_, Link> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// The replica has answered, whatever it said.
    pub(super) fn answered(&self) {
        self.replica.health.answered();
    }

    /// The call was lost.
    pub(super) fn lost(&self, lost: &Lost) {
        if matches!(lost, Lost::Unsent(_)) {
            self.replica.reconnect();
        }
        if self.replica.health.failed(Instant::now()) {
            metrics::counter!("rpc_client_put_aside_total").increment(1);
            tracing::warn!(replica = %self.replica.uri, ?lost, "a replica does not answer and is put aside");
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.replica.in_flight.fetch_sub(1, Ordering::Relaxed);
        if self.trial {
            self.replica.health.end_trial();
        }
    }
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link")
            .field("number", &self.number)
            .field("open", &self.way.is_some())
            .finish()
    }
}
