//! The position that the response to a read must have reached. The checks of the route put it into the request.

use axum::extract::FromRequestParts;
use http::request::Parts;

use super::caller::unchecked_route;
use crate::errors::ApiError;
use crate::upstream::min_position::{Extension, MinPosition};

impl<S: Sync> FromRequestParts<S> for MinPosition {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let min = parts.extensions.remove::<Extension>();
        min.and_then(Extension::take).ok_or_else(unchecked_route)
    }
}
