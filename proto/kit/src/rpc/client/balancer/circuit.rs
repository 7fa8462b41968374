//! The circuit breaker of a replica: after several failures in a row the replica is ejected for some time, then probed by one call. Otherwise
//! a replica that hangs would keep its share of the calls waiting.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// Failures in a row that open the circuit.
const FAILURES: u32 = 3;
/// The duration of the first ejection. It doubles with each further ejection in a row, up to the maximum.
const BASE_EJECTION: Duration = Duration::from_secs(1);
const MAX_EJECTION: Duration = Duration::from_secs(30);

#[derive(Debug, Default)]
pub(super) struct Circuit {
    consecutive_failures: AtomicU32,
    /// Whether the last call that failed did not reach the replica.
    was_unreachable: AtomicBool,
    ejection: Mutex<Ejection>,
}

#[derive(Debug, Default)]
struct Ejection {
    /// `None` before the first ejection.
    until: Option<Instant>,
    /// Ejections in a row.
    count: u32,
    /// Whether a probe is in flight.
    probing: bool,
}

/// The calls that a replica may get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CircuitState {
    /// Any call.
    Closed,
    /// One call, the probe.
    HalfOpen,
    /// No call before this time, unless fewer than half of the replicas that can be reached have a closed circuit.
    Open(Instant),
}

impl Circuit {
    pub(super) fn state(&self, now: Instant) -> CircuitState {
        if self.consecutive_failures.load(Ordering::Relaxed) < FAILURES {
            return CircuitState::Closed;
        }
        let ejection = self.ejection.lock();
        match ejection.until {
            None => CircuitState::Closed,
            Some(until) if until <= now && !ejection.probing => CircuitState::HalfOpen,
            Some(until) => CircuitState::Open(until),
        }
    }

    /// Whether calls reach the replica. They reach one with a closed circuit, and one that is ejected because it answers too late or wrongly.
    pub(super) fn is_reachable(&self, now: Instant) -> bool {
        !self.was_unreachable.load(Ordering::Relaxed) || self.state(now) == CircuitState::Closed
    }

    /// Allows no other probe until this one has ended.
    pub(super) fn begin_probe(&self) {
        self.ejection.lock().probing = true;
    }

    /// The probe has ended, with or without a result.
    pub(super) fn end_probe(&self) {
        self.ejection.lock().probing = false;
    }

    pub(super) fn record_success(&self) {
        if self.consecutive_failures.load(Ordering::Relaxed) > 0 {
            self.consecutive_failures.store(0, Ordering::Relaxed);
            *self.ejection.lock() = Ejection::default();
        }
    }

    /// Records whether the call that failed did not reach the replica.
    pub(super) fn set_unreachable(&self, was_unreachable: bool) {
        self.was_unreachable
            .store(was_unreachable, Ordering::Relaxed);
    }

    /// Returns whether this failure ejects the replica.
    pub(super) fn record_failure(&self, now: Instant) -> bool {
        if self.consecutive_failures.fetch_add(1, Ordering::Relaxed) + 1 < FAILURES {
            return false;
        }
        let mut ejection = self.ejection.lock();
        // Calls that were in flight when the replica was ejected say nothing new.
        if ejection.until.is_some_and(|until| until > now) {
            return false;
        }
        let time = BASE_EJECTION.saturating_mul(1 << ejection.count.min(5));
        *ejection = Ejection {
            until: Some(now + time.min(MAX_EJECTION)),
            count: ejection.count + 1,
            probing: false,
        };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eject(circuit: &Circuit, now: Instant) {
        while !circuit.record_failure(now) {}
    }

    #[test]
    fn failures_in_a_row_open_the_circuit_and_a_success_resets_it() {
        let (circuit, now) = (Circuit::default(), Instant::now());
        for _ in 0..10 {
            assert!(!circuit.record_failure(now) && !circuit.record_failure(now));
            circuit.record_success();
        }
        assert_eq!(circuit.state(now), CircuitState::Closed);
        eject(&circuit, now);
        assert_eq!(circuit.state(now), CircuitState::Open(now + BASE_EJECTION));
    }

    #[test]
    fn one_probe_at_a_time_closes_the_circuit() {
        let (circuit, now) = (Circuit::default(), Instant::now());
        eject(&circuit, now);
        let later = now + BASE_EJECTION;
        assert_eq!(circuit.state(later), CircuitState::HalfOpen);
        circuit.begin_probe();
        assert!(matches!(circuit.state(later), CircuitState::Open(_)));
        circuit.end_probe();
        assert_eq!(circuit.state(later), CircuitState::HalfOpen);
        circuit.begin_probe();
        circuit.record_success();
        assert_eq!(circuit.state(later), CircuitState::Closed);
    }

    #[test]
    fn each_ejection_in_a_row_lasts_longer() {
        let (circuit, mut now) = (Circuit::default(), Instant::now());
        eject(&circuit, now);
        for seconds in [1, 2, 4, 8, 16, 30, 30] {
            let until = now + Duration::from_secs(seconds);
            assert_eq!(circuit.state(now), CircuitState::Open(until));
            // A call that was in flight fails late and changes nothing.
            assert!(!circuit.record_failure(now));
            now = until;
            assert!(circuit.record_failure(now));
        }
    }
}
