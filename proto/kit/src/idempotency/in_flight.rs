//! Calls with an `Idempotency-Key` that have not ended yet (§10.4).

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Name;
use crate::fault::{Code, Fault};

/// Those of this process. At another replica the second call waits for the account's row, and then finds the answer of the first.
#[derive(Debug, Clone, Default)]
pub struct Calls(Arc<Mutex<HashSet<Name>>>);

/// A call that runs; it has ended when this is dropped.
#[derive(Debug)]
pub struct InFlight {
    calls: Calls,
    name: Name,
}

impl Calls {
    fn calls(&self) -> MutexGuard<'_, HashSet<Name>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a call.
    ///
    /// # Errors
    /// The same one is under way.
    pub fn begin(&self, name: Name) -> Result<InFlight, Fault> {
        if self.calls().insert(name.clone()) {
            let calls = self.clone();
            return Ok(InFlight { calls, name });
        }
        Err(Fault {
            retry_after: Some(1),
            ..Fault::new(
                Code::IdempotencyInFlight,
                "the first call with this Idempotency-Key is not through yet; send it again in a moment for its answer",
            )
        })
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.calls.calls().remove(&self.name);
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_call_is_under_way_once_until_it_is_through() {
        let calls = Calls::default();
        let name = |key: &str| Name {
            account: Uuid::nil(),
            route: "POST /games".into(),
            key: key.to_owned(),
        };
        let first = calls.begin(name("a")).unwrap();
        assert_eq!(
            calls.begin(name("a")).unwrap_err().code,
            Code::IdempotencyInFlight
        );
        assert!(calls.begin(name("b")).is_ok());
        drop(first);
        assert!(calls.begin(name("a")).is_ok());
    }
}
