//! The HTTP request of an attempt: headers of the service and of Standard Webhooks (§6).

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue, USER_AGENT};
use http::{Request, Uri};
use http_body_util::Full;

use super::AttemptRequest;

pub(super) const AGENT: &str = "Mchezo-Webhooks/1";

pub(super) fn signed(attempt: &AttemptRequest<'_>) -> http::Result<Request<Full<Bytes>>> {
    let AttemptRequest {
        address,
        event,
        id,
        at,
        body,
        secret,
        next_secret,
        endpoint: _,
    } = attempt;
    let seconds = at.unix_timestamp();
    let timestamp = HeaderValue::from(seconds);
    let id_value = HeaderValue::try_from(id.to_string())?;
    let mut standard = secret.sign_standard(*id, seconds, body);
    if let Some(next) = next_secret {
        standard.push(' ');
        standard.push_str(&next.sign_standard(*id, seconds, body));
    }
    let mut request = Request::post(Uri::try_from(address.as_str())?)
        .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
        .header(USER_AGENT, HeaderValue::from_static(AGENT))
        .header("x-service-event", *event)
        .header("x-service-delivery", id_value.clone())
        .header("x-service-timestamp", timestamp.clone())
        .header("x-service-signature", secret.sign(seconds, body))
        .header("webhook-id", id_value)
        .header("webhook-timestamp", timestamp)
        .header("webhook-signature", standard);
    if let Some(next) = next_secret {
        request = request.header("x-service-signature-next", next.sign(seconds, body));
    }
    request.body(Full::new(body.clone()))
}
