//! Who calls, and where the caller stands: put there by the gate, so that no handler runs without its checks.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use http::request::Parts;

use crate::domain::key;
use crate::domain::quota;
use crate::envelope;
use crate::errors::Refusal;

/// Who calls.
#[derive(Debug)]
pub struct Caller(pub Arc<key::Caller>);

/// Where the caller stands after this call was counted; only for paths that are counted first.
#[derive(Debug)]
pub struct Standing(pub quota::Standing);

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        let caller = parts.extensions.get::<Arc<key::Caller>>();
        caller.map(Arc::clone).map(Self).ok_or_else(no_gate)
    }
}

impl<S: Sync> FromRequestParts<S> for Standing {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        let standing = parts.extensions.get::<quota::Standing>();
        standing.copied().map(Self).ok_or_else(no_gate)
    }
}

pub(super) fn no_gate() -> Refusal {
    tracing::error!("a handler was reached past its gate");
    envelope::internal().into()
}
