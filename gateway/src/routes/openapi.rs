//! `GET /openapi.json` (§10.16): the description of the API, for everybody, without a key and without the envelope.

use http::Method;
use http::request::Parts;

use crate::app::Gateway;
use crate::envelope::ApiResponse;
use crate::errors::ApiError;

pub const PATTERN: &str = "/v1/openapi.json";

pub fn get(app: &Gateway, head: &Parts) -> Result<ApiResponse, ApiError> {
    if !matches!(head.method, Method::GET | Method::HEAD) {
        return Err(ApiError::method_not_allowed("GET, HEAD".to_owned()));
    }
    Ok(ApiResponse::document(&app.openapi, app.openapi_tag.clone(), &head.headers))
}
