//! How far the answer to a read must reach: put there by the gate.

use axum::extract::FromRequestParts;
use http::request::Parts;

use super::caller::no_gate;
use crate::errors::Refusal;
use crate::upstream::min_position::{Extension, MinPosition};

impl<S: Sync> FromRequestParts<S> for MinPosition {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        let min = parts.extensions.remove::<Extension>();
        min.and_then(Extension::take).ok_or_else(no_gate)
    }
}
