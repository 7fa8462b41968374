//! One replica of a service: its connection, its circuit breaker and its calls in flight.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::Uri;
use tokio::time::Instant;

use super::super::connection::{ConnectFuture, SendRequest, connect};
use super::super::transport_error::TransportError;
use super::circuit::{Circuit, CircuitState};

#[derive(Debug)]
pub(in super::super) struct Replica {
    pub(in super::super) uri: Uri,
    pub(super) circuit: Circuit,
    in_flight: AtomicUsize,
    connection: Mutex<Connection>,
}

/// The current connection, if any. The number distinguishes it from later connections.
#[derive(Default)]
struct Connection {
    number: u64,
    connecting: Option<ConnectFuture>,
}

/// A call in flight; it counts for its replica until this is dropped.
#[derive(Debug)]
pub(in super::super) struct InFlightGuard {
    pub(in super::super) replica: Arc<Replica>,
    is_probe: bool,
}

impl Replica {
    pub(in super::super) fn new(uri: Uri) -> Arc<Self> {
        Arc::new(Self {
            uri,
            circuit: Circuit::default(),
            in_flight: AtomicUsize::new(0),
            connection: Mutex::default(),
        })
    }

    /// Calls in flight.
    pub(super) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// Counts a call that is not a probe.
    pub(in super::super) fn acquire(self: &Arc<Self>) -> InFlightGuard {
        self.acquire_as(CircuitState::Closed)
    }

    /// Counts a call; with a half-open circuit the call is the probe.
    pub(super) fn acquire_as(self: &Arc<Self>, state: CircuitState) -> InFlightGuard {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        let is_probe = state == CircuitState::HalfOpen;
        if is_probe {
            self.circuit.begin_probe();
        }
        InFlightGuard {
            replica: Arc::clone(self),
            is_probe,
        }
    }

    /// The open connection, or a new one. Concurrent callers share one attempt to connect.
    pub(in super::super) async fn connection(
        self: &Arc<Self>,
    ) -> Result<SendRequest, TransportError> {
        let (number, connecting) = self.connecting();
        let connected = connecting.await;
        if connected.is_err() {
            self.forget(number);
        }
        connected
    }

    fn connecting(self: &Arc<Self>) -> (u64, ConnectFuture) {
        let mut connection = self.lock();
        if let Some(connecting) = &connection.connecting {
            return (connection.number, connecting.clone());
        }
        let number = connection.number + 1;
        let replica = Arc::downgrade(self);
        let connecting = connect(self.uri.clone(), move || {
            if let Some(replica) = replica.upgrade() {
                replica.forget(number);
            }
        });
        *connection = Connection {
            number,
            connecting: Some(connecting.clone()),
        };
        (number, connecting)
    }

    /// Drops the connection with this number, but not a later one.
    fn forget(&self, number: u64) {
        let mut connection = self.lock();
        if connection.number == number {
            connection.connecting = None;
        }
    }

    /// Makes the next call open a new connection. Calls in flight may still succeed on the old one.
    fn reconnect(&self) {
        self.lock().connecting = None;
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl InFlightGuard {
    /// The replica has answered, with any status.
    pub(in super::super) fn record_success(&self) {
        self.replica.circuit.record_success();
    }

    pub(in super::super) fn record_failure(&self, error: &TransportError) {
        if matches!(error, TransportError::NotSent(_)) {
            self.replica.reconnect();
        }
        if self.replica.circuit.record_failure(Instant::now()) {
            metrics::counter!("rpc_client_ejections_total").increment(1);
            tracing::warn!(replica = %self.replica.uri, ?error, "ejected a replica that does not answer");
        }
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.replica.in_flight.fetch_sub(1, Ordering::Relaxed);
        if self.is_probe {
            self.replica.circuit.end_probe();
        }
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection")
            .field("number", &self.number)
            .field("is_open", &self.connecting.is_some())
            .finish()
    }
}
