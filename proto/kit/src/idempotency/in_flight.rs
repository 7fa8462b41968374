//! Calls with an `Idempotency-Key` that have not ended yet (§10.4).

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::Mutex;

use super::CallId;
use crate::code::Code;
use crate::fault::Fault;

/// The calls in flight in this process. At another replica the second call waits for the row lock of the account, and then replays the
/// response of the first.
#[derive(Debug, Clone, Default)]
pub struct InFlightCalls(Arc<Mutex<HashSet<CallId>>>);

/// A call in flight, until this is dropped.
#[derive(Debug)]
pub struct InFlightGuard {
    calls: InFlightCalls,
    id: CallId,
}

impl InFlightCalls {
    /// Begins a call.
    ///
    /// # Errors
    /// A call with the same id is in flight.
    pub fn begin(&self, id: CallId) -> Result<InFlightGuard, Fault> {
        if self.0.lock().insert(id.clone()) {
            let calls = self.clone();
            return Ok(InFlightGuard { calls, id });
        }
        let message = "The first call with this Idempotency-Key is still running. Send the call again in a moment to get its response.";
        Err(Fault::new(Code::IdempotencyInFlight, message).with_retry_after(1))
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.calls.0.lock().remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_call_is_in_flight_once() {
        let calls = InFlightCalls::default();
        let id = |key: &str| CallId {
            account: Uuid::nil(),
            route: "POST /games".into(),
            key: key.to_owned(),
        };
        let first = calls.begin(id("a")).unwrap();
        assert_eq!(
            calls.begin(id("a")).unwrap_err().code,
            Code::IdempotencyInFlight
        );
        assert!(calls.begin(id("b")).is_ok());
        drop(first);
        assert!(calls.begin(id("a")).is_ok());
    }
}
