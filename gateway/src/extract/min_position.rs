//! The position in the feed of listings-svc that the response to a read must have reached (§1). The checks of the route put it into
//! the request.

use axum::extract::FromRequestParts;
use contracts::common::v1::Position;
use http::request::Parts;

use super::caller::unchecked_route;
use crate::errors::ApiError;

/// The field `at_least` of a request to catalogue-svc; `None` if no position is known.
#[derive(Debug, Clone)]
pub struct MinPosition(pub Option<Position>);

impl<S: Sync> FromRequestParts<S> for MinPosition {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let min_position = parts.extensions.remove::<Self>();
        min_position.ok_or_else(unchecked_route)
    }
}
