//! Forms that take effect once: the second time, the answer leads to the page that shows the effect.

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use kit::ids;
use serde::de::DeserializeOwned;
use url::form_urlencoded;
use uuid::Uuid;

use crate::form_body::{FormBody, unreadable};
use crate::page_error::PageError;
use crate::render::see_other;

/// A form without fields but its id.
#[derive(Debug, serde::Deserialize)]
pub struct NoFields {}

/// An id for a form.
pub fn new_id() -> String {
    ids::row_id().to_string()
}

/// The fields of a form that takes effect once, and its id, which is in the field `form`.
pub struct OnceForm<T>(pub T, pub Uuid);

impl<T, S> FromRequest<S> for OnceForm<T>
where
    T: DeserializeOwned,
    S: Send + Sync,
{
    type Rejection = PageError;

    async fn from_request(request: Request, state: &S) -> Result<Self, PageError> {
        let (parts, body) = request.into_parts();
        let whole = Request::from_parts(parts.clone(), body);
        let body = Bytes::from_request(whole, state).await;
        let body = body.map_err(|rejection| unreadable(rejection.into_response().status()))?;
        let id = form_urlencoded::parse(&body).find(|(name, _)| name == "form");
        let id = id.and_then(|(_, id)| id.parse().ok());
        let id = id.ok_or_else(|| unreadable(StatusCode::BAD_REQUEST))?;
        let request = Request::from_parts(parts, Body::from(body));
        let FormBody(fields) = FormBody::from_request(request, state).await?;
        Ok(Self(fields, id))
    }
}

/// The answer to a form that was sent before: the page that shows the effect, with a notice.
pub fn sent_before(path: &str) -> Response {
    see_other(&format!("{path}?done=form-sent"))
}
