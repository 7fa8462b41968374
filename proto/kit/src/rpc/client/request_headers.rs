//! The headers of every call: identity, request id, trace and deadline.

use std::time::Duration;

use anyhow::Context as _;
use http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

use crate::config::Secret;
use crate::request_id::{REQUEST_ID, REQUEST_ID_HEADER};
use crate::telemetry;

/// How long a call may take that names no deadline. It bounds the wait for the head of the response; streams go on.
const DEADLINE: Duration = Duration::from_secs(5);

/// The header of a deadline (the gRPC protocol over HTTP/2).
const TIMEOUT: HeaderName = HeaderName::from_static("grpc-timeout");

#[derive(Clone)]
pub(super) struct RequestHeaders {
    authorization: HeaderValue,
}

impl RequestHeaders {
    pub(super) fn new(token: &Secret) -> anyhow::Result<Self> {
        let mut authorization: HeaderValue = format!("Bearer {}", token.expose())
            .parse()
            .ok()
            .context("the token has characters that a header cannot carry")?;
        authorization.set_sensitive(true);
        Ok(Self { authorization })
    }

    /// Adds them to those of a call; returns how long the call may take.
    pub(super) fn add_to(&self, headers: &mut HeaderMap) -> Duration {
        headers.insert(AUTHORIZATION, self.authorization.clone());
        let id = REQUEST_ID.try_with(|id| HeaderValue::try_from(id.as_str()).ok());
        if let Ok(Some(mut id)) = id {
            // Not a secret, but never the same again: as sensitive it is not added to the HPACK tables (RFC 7541, 6.2.3).
            id.set_sensitive(true);
            headers.insert(HeaderName::from_static(REQUEST_ID_HEADER), id);
        }
        telemetry::inject(headers);
        if let Some(deadline) = headers.get(&TIMEOUT).and_then(read) {
            return deadline;
        }
        set_deadline(headers, DEADLINE);
        DEADLINE
    }
}

/// Sets the deadline, rounded up: a value that repeats costs one byte (RFC 7541, 2.3.2).
pub(super) fn set_deadline(headers: &mut HeaderMap, left: Duration) {
    // At most eight digits are allowed.
    let left = left.as_millis().next_multiple_of(100).min(99_999_999);
    if let Ok(value) = HeaderValue::try_from(format!("{left}m")) {
        headers.insert(TIMEOUT, value);
    }
}

fn read(value: &HeaderValue) -> Option<Duration> {
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
    fn a_deadline_is_not_shorter_than_it_was() {
        for deadline in [
            Duration::ZERO,
            Duration::from_micros(1_999_985),
            Duration::from_hours(1),
        ] {
            let mut headers = HeaderMap::new();
            set_deadline(&mut headers, deadline);
            let left = read(&headers[&TIMEOUT]).unwrap();
            let more = left.checked_sub(deadline).unwrap();
            assert!(more < Duration::from_millis(100));
        }
        for nonsense in ["", "u", "5", "5x", "-1u"] {
            assert_eq!(
                read(&HeaderValue::from_static(nonsense)),
                None,
                "{nonsense}"
            );
        }
    }

    #[test]
    fn a_call_without_a_deadline_gets_one() {
        let token = Secret::from("fleet-token".to_owned());
        let request_headers = RequestHeaders::new(&token).unwrap();
        let mut headers = HeaderMap::new();
        assert_eq!(request_headers.add_to(&mut headers), DEADLINE);
        assert_eq!(headers[&TIMEOUT], "5000m");
        set_deadline(&mut headers, Duration::from_millis(300));
        assert_eq!(
            request_headers.add_to(&mut headers),
            Duration::from_millis(300)
        );
        assert!(headers[AUTHORIZATION].is_sensitive());
    }
}
