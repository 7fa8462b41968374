//! The caller and its rate limit status. The checks of the route put them into the request, so no handler runs unchecked.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use http::request::Parts;

use crate::domain::key::Caller;
use crate::domain::quota::RateLimitStatus;
use crate::envelope;
use crate::errors::ApiError;

/// Extracts the caller whose key the checks of the route have looked up.
#[derive(Debug)]
#[expect(
    clippy::module_name_repetitions,
    reason = "`Caller` is what it extracts"
)]
pub struct AuthenticatedCaller(pub Arc<Caller>);

impl<S: Sync> FromRequestParts<S> for AuthenticatedCaller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let caller = parts.extensions.get::<Arc<Caller>>();
        caller.map(Arc::clone).map(Self).ok_or_else(unchecked_route)
    }
}

impl<S: Sync> FromRequestParts<S> for RateLimitStatus {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let status = parts.extensions.get::<RateLimitStatus>();
        status.copied().ok_or_else(unchecked_route)
    }
}

pub(super) fn unchecked_route() -> ApiError {
    tracing::error!("a handler ran without the checks of its route");
    envelope::internal().into()
}
