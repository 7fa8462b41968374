//! The caller and its rate limit status. The gate puts them into the request, so no handler runs without its checks.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use http::request::Parts;

use crate::domain::key;
use crate::domain::quota::RateLimitStatus;
use crate::envelope;
use crate::errors::ApiError;

#[derive(Debug)]
pub struct Caller(pub Arc<key::Caller>);

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let caller = parts.extensions.get::<Arc<key::Caller>>();
        caller.map(Arc::clone).map(Self).ok_or_else(missing_gate)
    }
}

impl<S: Sync> FromRequestParts<S> for RateLimitStatus {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let status = parts.extensions.get::<RateLimitStatus>();
        status.copied().ok_or_else(missing_gate)
    }
}

pub(super) fn missing_gate() -> ApiError {
    tracing::error!("a handler ran without the gate of its route");
    envelope::internal().into()
}
