//! Adds the fields of a form to its error page, which can then send them again.
//!
//! An inner layer captures the fields, and an outer one renders the page: also that of a request that takes too long.

use std::sync::{Arc, OnceLock};

use axum::body::{Body, HttpBody as _};
use axum::extract::Request;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use http_body_util::BodyExt as _;
use pages::frame::TypedForm;
use url::form_urlencoded;

use super::log::RoutePattern;
use crate::form_body;

/// Fields that are left out, because they are secret.
const SECRETS: [&str; 3] = ["password", "current", "code"];

/// The forms of signed-in people into which they type text that is not secret. A button that changes something has none, also if its form has
/// hidden or chosen values.
const WITH_TEXT: [&str; 12] = [
    "/accounts",
    "/accounts/{account}/claims",
    "/accounts/{account}/economy/{game}/currency",
    "/accounts/{account}/keys",
    "/accounts/{account}/listings/new/{kind}",
    "/accounts/{account}/listings/{kind}/{name}/edit",
    "/accounts/{account}/listings/{kind}/{name}/pictures/arrange",
    "/accounts/{account}/settings",
    "/accounts/{account}/team/invite",
    "/accounts/{account}/webhooks",
    "/accounts/{account}/webhooks/{endpoint}/change",
    "/you/email",
];

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
    Some(TypedForm { action, fields: fields.collect(), lacks_secrets })
}

/// Whether the body is a form without files whose length is known, as browsers send it.
fn is_form(request: &Request) -> bool {
    let media_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let length = request.body().size_hint().upper();
    media_type.is_some_and(|it| it.starts_with("application/x-www-form-urlencoded"))
        && length.is_some_and(|length| length <= form_body::MAX_LIMIT as u64)
}

impl CapturedForm {
    /// The value of a field, if the form has it.
    pub fn value(&self, field: &str) -> Option<&str> {
        let (_, value) = self.0.get()?.fields.iter().find(|(name, _)| name == field)?;
        Some(value)
    }

    /// The form for the error page with this status, if another try can succeed: after a 401, a 429, a 500, a 503 or a 504.
    ///
    /// After a 401 somebody signs in first, who may be another person. Therefore a form without typed text, such as a button that removes
    /// something, is not offered again.
    pub fn to_send_again(&self, status: StatusCode, route: &RoutePattern) -> Option<TypedForm> {
        let form = self.0.get()?;
        let is_offered = match status {
            StatusCode::TOO_MANY_REQUESTS
            | StatusCode::INTERNAL_SERVER_ERROR
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT => true,
            StatusCode::UNAUTHORIZED => route.get().is_some_and(|it| WITH_TEXT.contains(&it)),
            _ => false,
        };
        is_offered.then(|| form.clone())
    }
}
