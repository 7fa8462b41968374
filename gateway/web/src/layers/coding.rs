//! Rejects a form whose body has a content coding, such as gzip: nothing is decompressed.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::Method;
use kit::http_server::content_coding;

use crate::page_error::PageError;

pub async fn check(request: Request, next: Next) -> Response {
    // The body of a GET is not read.
    let is_form = *request.method() == Method::POST;
    match content_coding(request.headers()).filter(|_| is_form) {
        Some(coding) => PageError::coded(coding).into_response(),
        None => next.run(request).await,
    }
}
