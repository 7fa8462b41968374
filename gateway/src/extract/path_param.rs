//! Path parameters: a slug, a handle, a code, or the kind and the name of a board.

use axum::extract::{FromRequestParts, Path};
use http::request::Parts;
use kit::Fault;
use serde::de::DeserializeOwned;

use crate::errors::ApiError;

/// The decoded parameters. A parameter that is not UTF-8 is answered 404, since nothing has such a name.
#[derive(Debug)]
pub struct PathParam<T = String>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for PathParam<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Path::from_request_parts(parts, state).await {
            Ok(Path(name)) => Ok(Self(name)),
            Err(_) => Err(Fault::not_found("A path parameter is not UTF-8, so nothing has this name. Percent-encode it as UTF-8.").into()),
        }
    }
}
