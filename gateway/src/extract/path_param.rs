//! The one name in a path: a slug, a handle or a code.

use axum::extract::{FromRequestParts, Path};
use http::request::Parts;
use kit::Fault;

use crate::errors::Refusal;

/// The name, decoded. What does not decode names nothing, and is not found.
#[derive(Debug)]
pub struct PathParam(pub String);

impl<S: Send + Sync> FromRequestParts<S> for PathParam {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        match Path::from_request_parts(parts, state).await {
            Ok(Path(name)) => Ok(Self(name)),
            Err(_) => Err(Fault::not_found("the last part of the path is not UTF-8").into()),
        }
    }
}
