//! The body of a write: a JSON object, whatever its Content-Type is (§4).

use std::borrow::Cow;
use std::error::Error;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use futures::poll;
use http::HeaderMap;
use http::request::Parts;
use http_body_util::LengthLimitError;
use kit::http_server::content_coding;
use kit::{Code, Fault};
use serde_json::value::RawValue;
use tokio::time::timeout;

use super::caller::unchecked_route;
use crate::admission_permit::HeldPermit;
use crate::app::App;
use crate::client_ip;
use crate::domain::key::Caller;
use crate::errors::ApiError;
use crate::request_limits;

/// Some editors write it before a text in UTF-8. A parser of JSON may ignore it (RFC 8259, 8.1).
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The bytes of a JSON object, as they were sent. The service reads its fields.
#[derive(Debug)]
pub struct JsonBody(pub Bytes);

impl FromRequest<App> for JsonBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        let (head, body) = request.into_parts();
        unencoded(&head.headers)?;
        let most = usize::try_from(request_limits::MAX_BODY).unwrap_or(usize::MAX);
        let mut body = pin!(to_bytes(body, most));
        let body = match poll!(&mut body) {
            Poll::Ready(body) => body,
            Poll::Pending => arrival(app, &head, body).await?,
        };
        let body = body.map_err(|error| unread(&error))?;
        let body = if body.starts_with(BYTE_ORDER_MARK) {
            body.slice(BYTE_ORDER_MARK.len()..)
        } else {
            body
        };
        object(&body)?;
        Ok(Self(body))
    }
}

/// Waits for the rest of a body. The client decides how long that takes, so the request holds no admission permit meanwhile.
async fn arrival<T>(app: &App, head: &Parts, body: impl Future<Output = T>) -> Result<T, ApiError> {
    let caller = head.extensions.get::<Arc<Caller>>();
    let key = &caller.ok_or_else(unchecked_route)?.key;
    let from = client_ip::network(app, head);
    let _counted = app.arriving_bodies.count(key, from)?;
    let body = timeout(app.body_timeout, body);
    let body = match head.extensions.get::<HeldPermit>() {
        Some(permit) => permit.yield_to(body).await?,
        None => body.await,
    };
    body.map_err(|_elapsed| too_slow(app.body_timeout))
}

/// Rejects a body with a content coding: nothing is decompressed.
fn unencoded(headers: &HeaderMap) -> Result<(), ApiError> {
    let Some(coding) = content_coding(headers) else {
        return Ok(());
    };
    let message = format!(
        "The body has the Content-Encoding `{coding}`, and bodies are read as they are. Send it uncompressed, without the header."
    );
    Err(Fault::new(Code::UnsupportedEncoding, message).into())
}

/// Rejects everything but a JSON object. The service checks the fields.
fn object(body: &[u8]) -> Result<(), ApiError> {
    let Ok(text) = str::from_utf8(body) else {
        return Err(bad_json("The body is not UTF-8. Send JSON in UTF-8."));
    };
    if text.trim().is_empty() {
        return Err(bad_json("The body is empty. Send a JSON object."));
    }
    match serde_json::from_str::<&RawValue>(text) {
        Ok(value) if value.get().starts_with('{') => Ok(()),
        Ok(_) => Err(bad_json(
            "The body is JSON, but not a JSON object. Send the fields in one object, in braces.",
        )),
        Err(error) => Err(bad_json(format!(
            "The body is not valid JSON: {error}. Send one JSON object."
        ))),
    }
}

/// A slow body is `bad_json`, since the contract has no other code for it.
fn too_slow(timeout: Duration) -> ApiError {
    bad_json(format!(
        "The body came too slowly: all of it must arrive within {timeout:?}. Send it faster, or send less."
    ))
}

/// The error of a body that could not be read to its end.
fn unread(error: &axum::Error) -> ApiError {
    let is_too_long = error
        .source()
        .is_some_and(<dyn Error>::is::<LengthLimitError>);
    if is_too_long {
        return request_limits::too_large().into();
    }
    bad_json("The body ended too early. Send all of it.")
}

fn bad_json(message: impl Into<Cow<'static, str>>) -> ApiError {
    Fault::new(Code::BadJson, message).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_invalid_body_gets_its_own_message() {
        for (body, cause) in [
            (&b"{\"title\": \"Bao\"}"[..], None),
            (b" {} ", None),
            (b"{\"title\": \"caf\xE9\"}", Some("is not UTF-8")),
            (b"\xFF\xFE{\x00}\x00", Some("is not UTF-8")),
            (b"", Some("is empty")),
            (b" \n", Some("is empty")),
            (b"[1]", Some("not a JSON object")),
            (b"null", Some("not a JSON object")),
            (b"{\"title\": ", Some("line 1 column 10")),
            (b"{} {}", Some("line 1 column 4")),
        ] {
            let error = object(body).err().map(|error| error.fault);
            let message = error.as_ref().map(|fault| {
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
