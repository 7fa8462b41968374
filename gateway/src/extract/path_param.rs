//! The names in a path: a slug, a handle or a code, or the kind and the name of a board.

use axum::extract::{FromRequestParts, Path};
use http::request::Parts;
use kit::Fault;
use serde::de::DeserializeOwned;

use crate::errors::Refusal;

/// The name, or the names, decoded. What does not decode names nothing, and is not found.
#[derive(Debug)]
pub struct PathParam<T = String>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for PathParam<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        match Path::from_request_parts(parts, state).await {
            Ok(Path(name)) => Ok(Self(name)),
            Err(_) => Err(Fault::not_found("a part of the path is not UTF-8").into()),
        }
    }
}
