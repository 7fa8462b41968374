//! The headers of every call: token, request id, trace and deadline.

use std::time::Duration;

use anyhow::Context as _;
use http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

use crate::request_id::{REQUEST_ID, REQUEST_ID_HEADER};
use crate::secret::Secret;
use crate::telemetry;

/// The default deadline. It applies to the head of the response, not to a stream of messages.
const DEFAULT_DEADLINE: Duration = Duration::from_secs(5);

/// The deadline header of the gRPC protocol.
const TIMEOUT: HeaderName = HeaderName::from_static("grpc-timeout");

#[derive(Clone)]
pub(super) struct RequestHeaders {
    authorization: HeaderValue,
    /// The deadline of a call that has none of its own.
    pub(super) default_deadline: Duration,
}

impl RequestHeaders {
    pub(super) fn new(token: &Secret) -> anyhow::Result<Self> {
        let mut authorization: HeaderValue = format!("Bearer {}", token.expose())
            .parse()
            .ok()
            .context("the token has characters that a header cannot carry")?;
        authorization.set_sensitive(true);
        Ok(Self { authorization, default_deadline: DEFAULT_DEADLINE })
    }

    /// The headers of a unary call, without its deadline.
    pub(super) fn unary(&self) -> HeaderMap {
        let mut headers = HeaderMap::with_capacity(8);
        self.identify(&mut headers);
        headers
    }

    /// Adds the headers to the call of a generated client; returns how long it may take.
    pub(super) fn add_to(&self, headers: &mut HeaderMap) -> Duration {
        self.identify(headers);
        if let Some(deadline) = headers.get(&TIMEOUT).and_then(parse) {
            return deadline;
        }
        set_deadline(headers, self.default_deadline);
        self.default_deadline
    }

    fn identify(&self, headers: &mut HeaderMap) {
        headers.insert(AUTHORIZATION, self.authorization.clone());
        let id = REQUEST_ID.try_with(|id| HeaderValue::try_from(id.as_str()).ok());
        if let Ok(Some(mut id)) = id {
            // Not a secret, but unique: a sensitive header is not added to the HPACK tables (RFC 7541, 6.2.3).
            id.set_sensitive(true);
            headers.insert(HeaderName::from_static(REQUEST_ID_HEADER), id);
        }
        telemetry::inject(headers);
    }
}

/// Sets the deadline, rounded up to 100 ms: a value that repeats costs one byte (RFC 7541, 2.3.2).
pub(super) fn set_deadline(headers: &mut HeaderMap, left: Duration) {
    // gRPC allows at most eight digits.
    let left = left.as_millis().next_multiple_of(100).min(99_999_999);
    if let Ok(value) = HeaderValue::try_from(format!("{left}m")) {
        headers.insert(TIMEOUT, value);
    }
}

fn parse(value: &HeaderValue) -> Option<Duration> {
    let text = value.to_str().ok()?;
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let number: u64 = number.parse().ok()?;
    match unit {
        "n" => Some(Duration::from_nanos(number)),
        "u" => Some(Duration::from_micros(number)),
        "m" => Some(Duration::from_millis(number)),
        "S" => Some(Duration::from_secs(number)),
        "M" => Some(Duration::from_mins(number)),
        "H" => Some(Duration::from_hours(number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_is_rounded_up() {
        for deadline in [Duration::ZERO, Duration::from_micros(1_999_985), Duration::from_hours(1)]
        {
            let mut headers = HeaderMap::new();
            set_deadline(&mut headers, deadline);
            let left = parse(&headers[&TIMEOUT]).unwrap();
            let more = left.checked_sub(deadline).unwrap();
            assert!(more < Duration::from_millis(100));
        }
        for nonsense in ["", "u", "5", "5x", "-1u"] {
            assert_eq!(parse(&HeaderValue::from_static(nonsense)), None, "{nonsense}");
        }
    }

    #[test]
    fn a_call_without_a_deadline_gets_the_default() {
        let token = Secret::from("fleet-token".to_owned());
        let request_headers = RequestHeaders::new(&token).unwrap();
        let mut headers = HeaderMap::new();
        assert_eq!(request_headers.add_to(&mut headers), DEFAULT_DEADLINE);
        assert_eq!(headers[&TIMEOUT], "5000m");
        set_deadline(&mut headers, Duration::from_millis(300));
        assert_eq!(request_headers.add_to(&mut headers), Duration::from_millis(300));
        assert!(headers[AUTHORIZATION].is_sensitive());
    }
}
