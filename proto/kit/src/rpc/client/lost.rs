//! Calls that did not reach their service, or whose answer did not come back.

use std::sync::Arc;

use tonic::{Code, Status};

/// How a call was lost on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lost {
    /// The service has not seen it: whatever it is, it may be made again.
    Unsent(Arc<str>),
    /// The service may have done it.
    Broken(Arc<str>),
    /// The service may still be doing it.
    Late,
}

impl Lost {
    /// Whether to make the call again can do harm: not if it changes nothing, or was not seen.
    pub(super) fn may_repeat(&self, idempotent: bool) -> bool {
        idempotent || matches!(self, Self::Unsent(_))
    }
}

impl From<Lost> for Status {
    fn from(lost: Lost) -> Self {
        match lost {
            Lost::Unsent(reason) | Lost::Broken(reason) => Status::new(Code::Unavailable, &*reason),
            Lost::Late => Status::new(Code::DeadlineExceeded, "a service did not answer in time"),
        }
    }
}
