//! Forms that make something, and take effect once: their id is stored with what they make, in the same transaction. If a form is sent again,
//! the answer shows what it has made.

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::response::IntoResponse as _;
use http::StatusCode;
use kit::ids;
use serde::de::DeserializeOwned;
use url::form_urlencoded;
use uuid::Uuid;

use crate::form_body::{FormBody, unreadable};
use crate::page_error::PageError;

/// An id for a form.
pub fn new_id() -> String {
    ids::row_id().to_string()
}

/// The id of what a form makes in an account, or for a person. It is derived, so that nobody can type the id of what others have made.
pub fn id_in(scope: Uuid, form: Uuid) -> Uuid {
    Uuid::new_v5(&scope, form.as_bytes())
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
        let body = Bytes::from_request(whole, state)
            .await
            .map_err(|rejection| unreadable(rejection.into_response().status()))?;
        let id = form_urlencoded::parse(&body).find(|(name, _)| name == "form");
        let id = id
            .and_then(|(_, id)| id.parse().ok())
            .ok_or_else(|| unreadable(StatusCode::BAD_REQUEST))?;
        let request = Request::from_parts(parts, Body::from(body));
        let FormBody(fields) = FormBody::from_request(request, state).await?;
        Ok(Self(fields, id))
    }
}
