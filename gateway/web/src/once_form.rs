//! Forms that take effect once, however often they are sent: the second time, the answer leads to the page that shows the effect.

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use kit::{Fault, ids};
use serde::de::DeserializeOwned;
use url::form_urlencoded;
use uuid::Uuid;

use crate::form_body::{FormBody, unreadable};
use crate::page_error::PageError;
use crate::render::see_other;
use crate::request::PersonRequest;
use crate::store::sent_forms;

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

/// The answer to a form that took effect before: the page that shows the effect, with a notice.
pub fn sent_before(path: &str) -> Response {
    see_other(&format!("{path}?done=form-sent"))
}

impl PersonRequest {
    /// Does the work of a form in another service; `None` if the form took effect before.
    ///
    /// The form is recorded before the work and committed after it. A second click therefore waits for the first one, and a form whose work
    /// failed can be sent again. If the process dies between the work and the commit, the form is forgotten: sent again, it takes effect a
    /// second time, for example with a second key in the list.
    pub async fn once<T>(
        &self,
        form: Uuid,
        work: impl Future<Output = Result<T, Fault>>,
    ) -> Result<Option<T>, Fault> {
        let (app, person) = (&self.app, self.person().id);
        let mut transaction = kit::pg::begin(&app.pool).await?;
        if !sent_forms::insert(&mut *transaction, person, form, app.clock.now()).await? {
            return Ok(None);
        }
        let done = work.await?;
        // The work is done, and a new secret must be shown.
        if let Err(error) = transaction.commit().await {
            tracing::warn!(%error, "if this form is sent again, it takes effect again");
        }
        Ok(Some(done))
    }
}
