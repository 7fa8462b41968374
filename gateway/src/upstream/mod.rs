//! Clients of the services behind the gateway. Each has a deadline and a limit of concurrent calls.

mod client;
mod limit;
mod rates;

use std::time::Duration;

pub use client::{GrpcClient, Upstream};
pub use rates::RatesCache;

/// Limits of calls to a service.
#[derive(Debug, Clone, Copy)]
pub struct CallLimits {
    /// The deadline of a read.
    pub deadline: Duration,
    /// The deadline of a write. It is longer, since the outcome of a write that misses it is unknown.
    pub write_deadline: Duration,
    /// Concurrent calls.
    pub calls: usize,
    /// How long a further call waits for a permit.
    pub queue_timeout: Duration,
}
