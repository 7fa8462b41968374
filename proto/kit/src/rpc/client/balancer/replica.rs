//! One replica of a service: its connection, its circuit breaker and its calls in flight.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::Uri;
use tokio::time::Instant;

use super::super::connection::{self, HttpClient};
use super::super::transport::Transport;
use super::super::transport_error::TransportError;
use super::circuit::{Circuit, CircuitState};

#[derive(Debug)]
pub(in super::super) struct Replica {
    pub(in super::super) uri: Uri,
    pub(super) circuit: Circuit,
    in_flight: AtomicUsize,
    /// Its connection.
    pub(in super::super) http: HttpClient,
}

/// A call in flight; it counts for its replica until this is dropped.
#[derive(Debug)]
pub(in super::super) struct InFlightGuard {
    pub(in super::super) replica: Arc<Replica>,
    is_probe: bool,
}

impl Replica {
    pub(in super::super) fn new(uri: Uri, transport: &Transport) -> Arc<Self> {
        Arc::new(Self {
            uri,
            circuit: Circuit::default(),
            in_flight: AtomicUsize::new(0),
            http: connection::client(transport),
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
}

impl InFlightGuard {
    /// The replica has answered, with any status.
    pub(in super::super) fn record_success(&self) {
        self.replica.circuit.record_success();
    }

    pub(in super::super) fn record_failure(&self, error: &TransportError) {
        let circuit = &self.replica.circuit;
        circuit.set_unreachable(matches!(error, TransportError::NotSent(_)));
        if circuit.record_failure(Instant::now()) {
            metrics::counter!("rpc_client_ejections_total").increment(1);
            tracing::warn!(replica = %self.replica.uri, ?error, "ejected a replica whose calls fail");
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
