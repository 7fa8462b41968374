//! The body of a write: a JSON object, whatever its Content-Type says (§4).

use std::borrow::Cow;
use std::collections::HashMap;
use std::error::Error;
use std::time::Duration;

use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use http_body_util::LengthLimitError;
use kit::{Code, Fault};
use serde::de::IgnoredAny;
use tokio::time::timeout;

use crate::app::App;
use crate::bounds;
use crate::errors::Refusal;

/// A JSON object as it was sent. The service it is for reads its fields.
#[derive(Debug)]
pub struct JsonBody(pub Bytes);

impl FromRequest<App> for JsonBody {
    type Rejection = Refusal;

    async fn from_request(request: Request, app: &App) -> Result<Self, Refusal> {
        let most = usize::try_from(bounds::BODY).unwrap_or(usize::MAX);
        let body = timeout(app.body_timeout, to_bytes(request.into_body(), most)).await;
        let body = body.map_err(|_elapsed| too_slow(app.body_timeout))?;
        let body = body.map_err(|error| unread(&error))?;
        if serde_json::from_slice::<HashMap<String, IgnoredAny>>(&body).is_err() {
            return Err(bad_json(
                "the body is not a JSON object in UTF-8; send one, such as {\"title\": \"Bao\"}",
            ));
        }
        Ok(Self(body))
    }
}

/// The contract has no code of its own for it.
fn too_slow(timeout: Duration) -> Refusal {
    bad_json(format!(
        "the body came too slowly, and its JSON was not read: all of it must be here within {timeout:?}; send it faster, or send less"
    ))
}

/// Why a body could not be read to its end.
fn unread(error: &axum::Error) -> Refusal {
    let is_too_long = error
        .source()
        .is_some_and(<dyn Error>::is::<LengthLimitError>);
    if is_too_long {
        return bounds::too_large().into();
    }
    bad_json("the body broke off; send all of it")
}

fn bad_json(message: impl Into<Cow<'static, str>>) -> Refusal {
    Fault::new(Code::BadJson, message).into()
}
