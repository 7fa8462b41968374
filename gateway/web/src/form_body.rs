//! The body of a form.

use axum::extract::{Form, FromRequest, Request};
use http::StatusCode;
use serde::de::DeserializeOwned;

use crate::page_error::PageError;

/// The fields of a form. A field that is absent has its default, which the handler refuses beside the field.
pub struct FormBody<T>(pub T);

impl<T, S> FromRequest<S> for FormBody<T>
where
    T: DeserializeOwned,
    S: Send + Sync,
{
    type Rejection = PageError;

    async fn from_request(request: Request, state: &S) -> Result<Self, PageError> {
        match Form::<T>::from_request(request, state).await {
            Ok(Form(fields)) => Ok(Self(fields)),
            Err(rejection) => {
                let status = match rejection.status() {
                    StatusCode::PAYLOAD_TOO_LARGE => StatusCode::PAYLOAD_TOO_LARGE,
                    _ => StatusCode::BAD_REQUEST,
                };
                let text =
                    "The form could not be read. Open the page again, and send it from there.";
                Err(PageError::new(status, "Not a form of ours", text))
            }
        }
    }
}
