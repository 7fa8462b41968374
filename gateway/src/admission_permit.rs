//! The admission permit of a request, which it may give back before its response is ready.

use std::sync::{Arc, Mutex, PoisonError};

use kit::overload::Permit;

/// The permit of a request, as a request extension. The admission layer acquires it.
#[derive(Debug, Clone)]
pub struct HeldPermit(Arc<Mutex<Option<Permit>>>);

impl HeldPermit {
    pub fn new(permit: Permit) -> Self {
        Self(Arc::new(Mutex::new(Some(permit))))
    }

    /// Lets another request be admitted, before this one is answered.
    pub fn release(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
