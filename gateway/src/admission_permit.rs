//! The admission permit of a request: a request gives it back while its body arrives, and when its response is ready.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kit::Fault;
use kit::overload::{ConcurrencyLimit, Permit};

/// The permit of a request, as a request extension. The admission layer acquires it.
#[derive(Debug, Clone)]
pub struct HeldPermit {
    permit: Arc<Mutex<Option<Permit>>>,
    limits: Arc<AdmissionLimits>,
}

/// The limits of a port.
#[derive(Debug)]
pub struct AdmissionLimits {
    /// Requests that run.
    pub calls: ConcurrencyLimit,
    /// Requests without a permit whose bodies arrive: twice as many as may run.
    pub bodies: ConcurrencyLimit,
    pub queue_timeout: Duration,
}

impl HeldPermit {
    pub fn new(permit: Permit, limits: &Arc<AdmissionLimits>) -> Self {
        Self {
            permit: Arc::new(Mutex::new(Some(permit))),
            limits: Arc::clone(limits),
        }
    }

    /// Lets another request be admitted, before this one is answered.
    pub fn release(&self) {
        self.set(None);
    }

    /// Waits for `body`, which the client sends, without a permit. Then queues for a permit like a new request.
    ///
    /// # Errors
    /// Too many bodies arrive, or no permit became free in time.
    pub async fn yield_to<T>(&self, body: impl Future<Output = T>) -> Result<T, Fault> {
        let _arrives = self.limits.bodies.try_acquire()?;
        self.release();
        let body = body.await;
        let permit = self.limits.calls.acquire(self.limits.queue_timeout).await?;
        self.set(Some(permit));
        Ok(body)
    }

    fn set(&self, permit: Option<Permit>) {
        *self.permit.lock().unwrap_or_else(PoisonError::into_inner) = permit;
    }
}
