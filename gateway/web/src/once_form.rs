//! Runs the work of a form once, however often the form is sent, and shows its result to every request.

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::response::IntoResponse as _;
use http::StatusCode;
use kit::{Code, Fault};
use serde::Serialize;
use serde::de::DeserializeOwned;
use url::form_urlencoded;

use crate::app::Web;
use crate::form_body::{FormBody, unreadable};
use crate::page_error::PageError;
use crate::session::once::{Claim, SentForm};
use crate::viewer::Viewer;

/// A form without fields but its id.
#[derive(Debug, serde::Deserialize)]
pub struct NoFields {}

/// The fields of a form that takes effect once. The field `form` has its id.
pub struct OnceForm<T>(pub T, pub SentForm);

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
        let mut fields = form_urlencoded::parse(&body);
        let id = fields.find(|(name, _)| name == "form");
        let id = id.map_or_else(String::new, |(_, id)| id.into_owned());
        let sent = SentForm::new(id, parts.uri.path(), &body);
        let request = Request::from_parts(parts, Body::from(body));
        let FormBody(fields) = FormBody::from_request(request, state).await?;
        Ok(Self(fields, sent))
    }
}

/// The reason why a form has no result.
#[derive(Debug)]
pub enum OnceError {
    /// The form is shown again, with this reason.
    Refused(Fault),
    /// This page is shown.
    Page(PageError),
}

impl OnceError {
    /// Whether the work may be done.
    fn is_outcome_unknown(&self) -> bool {
        match self {
            Self::Refused(fault) => fault.code == Code::OutcomeUnknown,
            Self::Page(error) => error.status == StatusCode::GATEWAY_TIMEOUT,
        }
    }
}

impl From<Fault> for OnceError {
    fn from(fault: Fault) -> Self {
        Self::Refused(fault)
    }
}

impl From<sqlx::Error> for OnceError {
    fn from(error: sqlx::Error) -> Self {
        Self::Refused(error.into())
    }
}

impl From<PageError> for OnceError {
    fn from(error: PageError) -> Self {
        Self::Page(error)
    }
}

/// Does the work of a form, unless it was done before: then returns the result of that.
///
/// After a refusal the form may be sent again; if the outcome is unknown, it may not. `look_at` is the page that shows whether the form took
/// effect. The error is the refusal, with which the form is shown again.
pub async fn run<T: Serialize + DeserializeOwned>(
    app: &Web,
    viewer: &Viewer,
    form: &SentForm,
    look_at: &str,
    work: impl Future<Output = Result<T, OnceError>>,
) -> Result<Result<T, Fault>, PageError> {
    let (forms, session) = (&app.forms, &viewer.token);
    let unknown = || PageError::outcome_unknown(look_at);
    let id = match forms.claim(session, form).await {
        Ok(Claim::First(id)) => id,
        Ok(Claim::Done(result)) => {
            let result = serde_json::from_str(&result);
            return result.map(Ok).map_err(|_other_type| unknown());
        }
        Ok(Claim::OtherContent) => return Ok(Err(other_content())),
        Ok(Claim::Unknown) => return Err(unknown()),
        Err(fault) => return Ok(Err(fault)),
    };
    let done = work.await;
    // The work is done or refused, so failures of the next steps are only logged: a new secret must be shown.
    let kept = match &done {
        Ok(result) => match serde_json::to_string(result) {
            Ok(text) => forms.store(session, &id, &text).await,
            Err(error) => Err(Fault::internal(&error)),
        },
        Err(refusal) if refusal.is_outcome_unknown() => Ok(()),
        Err(_) => forms.release(&id).await,
    };
    if let Err(fault) = kept {
        tracing::warn!(%fault, "if this form is sent again, it will not show its result");
    }
    match done {
        Ok(result) => Ok(Ok(result)),
        Err(OnceError::Refused(fault)) => Ok(Err(fault)),
        Err(OnceError::Page(error)) => Err(error),
    }
}

fn other_content() -> Fault {
    let text = "This form was already sent with other values, and it takes effect once. If you mean the values that you see here as well, send it again.";
    Fault::new(Code::IdempotencyMismatch, text)
}
