//! Clients of the services behind the gateway. Each has deadlines and a limit of concurrent calls.

mod limit;
mod rates;

use std::time::Duration;

use contracts::Unary;
use kit::Fault;
use kit::rpc::client::{Client, is_unanswered};

use limit::CallLimit;
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

/// The client of a service. Its calls share one limit.
pub struct Upstream {
    client: Client,
    limit: CallLimit,
    deadline: Duration,
    write_deadline: Duration,
}

impl Upstream {
    /// `name` appears in logs and metrics.
    pub fn new(name: &'static str, client: Client, limits: CallLimits) -> Self {
        Self {
            client,
            limit: CallLimit::new(name, limits),
            deadline: limits.deadline,
            write_deadline: limits.write_deadline,
        }
    }

    /// Makes a call without effects. It may be retried at another replica until the deadline.
    ///
    /// # Errors
    /// The service rejects the request or does not respond, or too many calls are running.
    pub async fn read<Q: Unary>(&self, request: &Q) -> Result<Q::Response, Fault> {
        let _permit = self.limit.acquire().await?;
        let response = self.client.idempotent(request, self.deadline).await;
        self.limit.record(&response);
        Ok(response?)
    }

    /// Makes a call with effects. It is not retried once it was sent: without a response, its outcome is unknown.
    ///
    /// # Errors
    /// The service rejects the request or does not respond, or too many calls are running.
    pub async fn write<Q: Unary>(&self, request: &Q) -> Result<Q::Response, Fault> {
        let _permit = self.limit.acquire().await?;
        let response = self.client.once(request, self.write_deadline).await;
        self.limit.record(&response);
        response.map_err(|status| {
            if is_unanswered(&status) {
                Fault::outcome_unknown(status.message())
            } else {
                status.into()
            }
        })
    }
}
