//! The body of a write: a JSON object, whatever its Content-Type says (§4).

use std::collections::HashMap;
use std::error::Error;

use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use kit::{Code, Fault};
use serde::de::IgnoredAny;

use crate::errors::Refusal;
use crate::layers::bounds;
use crate::serve::Cut;

/// A JSON object as it was sent. The service it is for reads its fields.
#[derive(Debug)]
pub struct Object(pub Bytes);

impl<S: Sync> FromRequest<S> for Object {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &S) -> Result<Self, Refusal> {
        let most = usize::try_from(bounds::BODY).unwrap_or(usize::MAX);
        let body = to_bytes(request.into_body(), most).await;
        let body = body.map_err(|error| unread(&error))?;
        if serde_json::from_slice::<HashMap<String, IgnoredAny>>(&body).is_err() {
            return Err(bad_json(
                "the body is not a JSON object in UTF-8; send one, such as {\"title\": \"Bao\"}",
            ));
        }
        Ok(Self(body))
    }
}

/// Why a body could not be read to its end.
fn unread(error: &axum::Error) -> Refusal {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    let mut cut = None;
    while let Some(error) = cause {
        cut = cut.or_else(|| error.downcast_ref::<Cut>());
        cause = error.source();
    }
    match cut {
        Some(Cut::TooLong) => bounds::too_large().into(),
        Some(Cut::TooSlow) => bad_json("the body did not come in time; send it faster, or less"),
        None => bad_json("the body broke off; send all of it"),
    }
}

fn bad_json(message: &'static str) -> Refusal {
    Fault::new(Code::BadJson, message).into()
}
