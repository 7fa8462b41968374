//! Errors of calls that did not reach their service or got no response.

use std::sync::Arc;

use tonic::{Code, Status};

/// The source of the status of a call that was not sent.
#[derive(Debug, thiserror::Error)]
#[error("the call was not sent")]
struct NotSent;

/// Whether the call that ended with `status` was sent and its outcome is unknown. An error that the service itself returned has details.
pub fn is_unanswered(status: &Status) -> bool {
    let is_lost = matches!(
        status.code(),
        Code::Unavailable
            | Code::DeadlineExceeded
            | Code::Cancelled
            | Code::Unknown
            | Code::Internal
    );
    let source = std::error::Error::source(status).and_then(<dyn std::error::Error>::downcast_ref);
    is_lost && status.details().is_empty() && !matches!(source, Some(NotSent))
}

/// The failure of a replica that answered `status`, if another replica may answer better: a proxy, a server that is shutting down or a replica
/// that lags ([`replica_unavailable`](crate::api::fault::replica_unavailable)) has answered. Faults of handlers have details.
pub(super) fn unavailable(status: &Status) -> Option<TransportError> {
    let is_unavailable = matches!(status.code(), Code::Cancelled | Code::Unavailable);
    (is_unavailable && status.details().is_empty()).then(|| {
        TransportError::Broken(format!("the replica is unavailable: {}", status.message()).into())
    })
}

/// Why a call has no response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TransportError {
    /// The service has not received the call: any call may be retried.
    NotSent(Arc<str>),
    /// The service may have processed the call.
    Broken(Arc<str>),
    /// As `Broken`, but the connection still works: one side has reset the stream of this call only, which says nothing about the replica.
    Reset(Arc<str>),
    /// The service may still be processing the call.
    TimedOut,
}

impl TransportError {
    /// Whether a retry is safe.
    pub(super) fn may_retry(&self, idempotent: bool) -> bool {
        idempotent || matches!(self, Self::NotSent(_))
    }
}

impl From<TransportError> for Status {
    fn from(error: TransportError) -> Self {
        match error {
            TransportError::NotSent(reason) => {
                let mut status = Self::new(Code::Unavailable, &*reason);
                status.set_source(Arc::new(NotSent));
                status
            }
            TransportError::Broken(reason) | TransportError::Reset(reason) => {
                Self::new(Code::Unavailable, &*reason)
            }
            TransportError::TimedOut => Self::new(Code::DeadlineExceeded, "the call timed out"),
        }
    }
}
