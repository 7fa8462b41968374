//! Adds the fields of a form to its error page, which can then send them again.
//!
//! An inner layer captures the fields, and the outermost one attaches them: it also answers a request that takes too long.

use std::sync::{Arc, OnceLock};

use axum::body::{Body, HttpBody as _};
use axum::extract::Request;
use axum::response::Response;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use http_body_util::BodyExt as _;
use pages::frame::TypedForm;
use url::form_urlencoded;

use crate::form_body;
use crate::page_error::PageError;

/// Fields that are left out, because they are secret.
const SECRETS: [&str; 3] = ["password", "current", "code"];

/// The form of a request, once [`capture`] has read it. An extension of the request.
#[derive(Debug, Clone, Default)]
pub struct CapturedForm(Arc<OnceLock<TypedForm>>);

/// Captures the fields of a form for its error page, and leaves the body for the handler.
pub async fn capture(request: &mut Request) {
    if let Some(form) = read(request).await
        && let Some(CapturedForm(captured)) = request.extensions().get::<CapturedForm>()
    {
        captured.get_or_init(|| form);
    }
}

/// Reads the fields of a form. `None` for uploads of files and for other bodies.
async fn read(request: &mut Request) -> Option<TypedForm> {
    if !is_form(request) {
        return None;
    }
    let body = std::mem::take(request.body_mut());
    let bytes = body.collect().await.ok()?.to_bytes();
    *request.body_mut() = Body::from(bytes.clone());
    let action = request.uri().path_and_query()?.as_str().to_owned();
    let all: Vec<(String, String)> = form_urlencoded::parse(&bytes).into_owned().collect();
    let is_secret = |name: &str| SECRETS.contains(&name);
    let lacks_secrets = all.iter().any(|(name, _)| is_secret(name));
    let fields = all.into_iter().filter(|(name, _)| !is_secret(name));
    Some(TypedForm {
        action,
        fields: fields.collect(),
        lacks_secrets,
    })
}

/// Whether the body is a form without files whose length is known, as browsers send it.
fn is_form(request: &Request) -> bool {
    let media_type = request.headers().get(CONTENT_TYPE);
    let media_type = media_type.and_then(|value| value.to_str().ok());
    let length = request.body().size_hint().upper();
    media_type.is_some_and(|it| it.starts_with("application/x-www-form-urlencoded"))
        && length.is_some_and(|length| length <= form_body::MAX_LIMIT as u64)
}

/// Adds the fields to the error page if another try can succeed: after a 401, a 429, a 500, a 503 or a 504.
///
/// After a 401 somebody signs in first, who may be another person. Therefore a form without typed text, such as a button that removes
/// something, is not offered again.
pub fn attach(response: &mut Response, CapturedForm(captured): &CapturedForm) {
    let Some(form) = captured.get() else { return };
    let is_kept = match response.status() {
        StatusCode::TOO_MANY_REQUESTS
        | StatusCode::INTERNAL_SERVER_ERROR
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::GATEWAY_TIMEOUT => true,
        StatusCode::UNAUTHORIZED => has_typed_text(form),
        _ => false,
    };
    if is_kept && let Some(error) = response.extensions_mut().get_mut::<PageError>() {
        error.form = Some(Box::new(form.clone()));
    }
}

/// Whether a field has a value, except the id of the form and the page that follows.
fn has_typed_text(form: &TypedForm) -> bool {
    let mut fields = form.fields.iter();
    fields.any(|(name, value)| !matches!(name.as_str(), "form" | "next") && !value.is_empty())
}
