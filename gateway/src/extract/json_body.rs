//! The body of a write: a JSON object, whatever its Content-Type says (§4).

use std::borrow::Cow;
use std::error::Error;
use std::time::Duration;

use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use http_body_util::LengthLimitError;
use kit::{Code, Fault};
use serde_json::value::RawValue;
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
        object(&body)?;
        Ok(Self(body))
    }
}

/// Refuses what is not a JSON object. Its fields are for the service.
fn object(body: &[u8]) -> Result<(), Refusal> {
    let Ok(text) = str::from_utf8(body) else {
        return Err(bad_json("the body is not UTF-8; send JSON in UTF-8"));
    };
    match serde_json::from_str::<&RawValue>(text) {
        Ok(value) if value.get().starts_with('{') => Ok(()),
        _ => Err(bad_json(
            "the body is not a JSON object; send one, such as {\"title\": \"Bao\"}",
        )),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_json_object_in_utf_8_is_refused_for_its_true_cause() {
        for (body, cause) in [
            (&b"{\"title\": \"Bao\"}"[..], None),
            (b" {} ", None),
            (b"{\"title\": \"caf\xE9\"}", Some("is not UTF-8")),
            (b"\xFF\xFE{\x00}\x00", Some("is not UTF-8")),
            (b"", Some("is not a JSON object")),
            (b"[1]", Some("is not a JSON object")),
            (b"{\"title\": ", Some("is not a JSON object")),
            (b"{} {}", Some("is not a JSON object")),
        ] {
            let refused = object(body).err().map(|refusal| refusal.fault);
            let message = refused.as_ref().map(|fault| {
                assert_eq!(fault.code, Code::BadJson);
                &*fault.message
            });
            match (message, cause) {
                (None, None) => {}
                (Some(message), Some(cause)) => assert!(message.contains(cause), "{message}"),
                _ => panic!("{body:?}: {message:?}"),
            }
        }
    }
}
