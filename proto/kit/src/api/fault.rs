//! The errors of all services.
//!
//! A [`Fault`] is an error of a call. A gRPC status carries it in its details (`google.rpc.Status`, which any client can read), and the gateway
//! maps it to the error table of the contract (§7). Only this module creates a [`Status`].

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use tonic::Status;
use tonic::metadata::AsciiMetadataValue;
use tonic_types::{ErrorDetails, FieldViolation, StatusExt as _};

use super::text::clip;
use crate::Code;

/// The `domain` of our `ErrorInfo`.
const DOMAIN: &str = "mchezo";

/// The most bytes that a status adds to the head of a response, as HTTP/2 counts them (RFC 9113, 6.5.2). Callers put names and values into
/// errors. A head beyond the limit of its client ends the call without its error, and a much larger one the connection of all callers.
const MAX_STATUS: usize = 8 << 10;
/// The part of [`MAX_STATUS`] for everything but the message and the fields: names of headers, code, type URLs, `ErrorInfo`, `RetryInfo`.
const STATUS_FRAME: usize = 512;
/// The most fields of a status.
const MAX_FIELDS: usize = 50;
/// The most bytes of a message, of a field's name and of its reason.
const MAX_MESSAGE: usize = 1_000;
const MAX_NAME: usize = 200;
const MAX_REASON: usize = 1_000;
/// The bytes that a field costs besides its name and its reason: tags and lengths.
const FIELD_FRAME: usize = 16;
/// How many fields the message of an `invalid` fault names.
const MAX_NAMED: usize = 5;

/// The error of a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", .code.as_str())]
pub struct Fault {
    /// The code, on which callers branch.
    pub code: Code,
    /// A sentence for people that says what to do.
    pub message: Cow<'static, str>,
    /// With [`Code::Invalid`]: reasons by field name or path.
    pub fields: BTreeMap<String, String>,
    /// The number of seconds after which a retry may succeed.
    pub retry_after: Option<u32>,
}

impl Fault {
    /// A fault with a message that says what to do.
    pub fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), fields: BTreeMap::new(), retry_after: None }
    }

    /// The same fault, with the number of seconds after which a retry may succeed.
    #[must_use]
    pub fn with_retry_after(self, seconds: u32) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    /// The same fault, with the time after which a retry may succeed. It is rounded up to whole seconds.
    #[must_use]
    pub fn retry_in(self, wait: time::Duration) -> Self {
        let seconds = wait.whole_seconds() + i64::from(wait.subsec_nanoseconds() > 0);
        Self { retry_after: u32::try_from(seconds).ok(), ..self }
    }

    /// Invalid fields, all at once.
    pub fn invalid(fields: BTreeMap<String, String>) -> Self {
        let names: Vec<_> =
            fields.keys().take(MAX_NAMED).map(|name| clip(name, MAX_NAME)).collect();
        let names = names.join(", ");
        let message = match fields.len().saturating_sub(MAX_NAMED) {
            0 => format!("Not acceptable: {names}. `fields` says why."),
            more => format!("Not acceptable: {names} and {more} more. `fields` says why."),
        };
        Self { fields, ..Self::new(Code::Invalid, message) }
    }

    /// One invalid field.
    pub fn invalid_field(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::invalid(BTreeMap::from([(name.into(), reason.into())]))
    }

    /// There is no such resource.
    pub fn not_found(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::NotFound, message)
    }

    /// A part of the fleet is unavailable. `what` names it in the log only; the caller may retry.
    pub fn unavailable(what: &str) -> Self {
        tracing::warn!(what, "unavailable");
        let message = "A part of the service is unavailable. Try again in a moment.";
        Self::new(Code::Unavailable, message).with_retry_after(1)
    }

    /// A write whose outcome is unknown; `why` is for the log. It has no `retry_after`: clients that retry automatically could make the write
    /// twice.
    pub fn outcome_unknown(why: &str) -> Self {
        tracing::warn!(why, "the outcome of a write is unknown");
        Self::new(
            Code::OutcomeUnknown,
            "The write was not answered in time and may or may not have taken effect. Send it again only with the same Idempotency-Key; \
             without one, check in GET /me/listings first whether it took effect.",
        )
    }

    /// An internal error. It is logged here, once, and not shown to the caller.
    pub fn internal(error: &(dyn std::error::Error + 'static)) -> Self {
        tracing::error!(
            error,
            message = %error,
            "internal error"
        );
        Self::new(
            Code::Internal,
            "Something broke on our side. It has been logged under this request id.",
        )
    }
}

/// The most bytes of a message in its header. gRPC percent-encodes spaces, control characters, some signs and everything but ASCII.
fn percent_encoded_len(message: &str) -> usize {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".,;:-_/'()".contains(&byte);
    let bytes = message.bytes();
    bytes.map(|byte| if plain(byte) { 1 } else { 3 }).sum()
}

/// A status has at most [`MAX_STATUS`] bytes: texts are cut, and fields beyond the limit are left out.
impl From<Fault> for Status {
    fn from(fault: Fault) -> Self {
        let mut details =
            ErrorDetails::with_error_info(fault.code.as_str(), DOMAIN, HashMap::new());
        let message = clip(&fault.message, MAX_MESSAGE);
        // The details are in base64, and have the message as well.
        let encoded = MAX_STATUS - STATUS_FRAME - percent_encoded_len(&message);
        let mut left = encoded / 4 * 3 - message.len();
        let violations: Vec<_> = fault
            .fields
            .iter()
            .take(MAX_FIELDS)
            .map_while(|(field, reason)| {
                let (field, reason) = (clip(field, MAX_NAME), clip(reason, MAX_REASON));
                left = left.checked_sub(field.len() + reason.len() + FIELD_FRAME)?;
                Some(FieldViolation::new(field, reason))
            })
            .collect();
        if !violations.is_empty() {
            details.set_bad_request(violations);
        }
        if let Some(seconds) = fault.retry_after {
            details.set_retry_info(Some(Duration::from_secs(seconds.into())));
        }
        Status::with_error_details(fault.code.grpc(), message, details)
    }
}

impl From<Status> for Fault {
    /// A status without a fault does not come from a handler: the service is unavailable, or an internal error.
    fn from(status: Status) -> Self {
        // Only our services use this domain. Other details do not contain our codes.
        if let Ok(details) = status.check_error_details()
            && let Some(info) = details.error_info().filter(|info| info.domain == DOMAIN)
            && let Some(code) = Code::parse(&info.reason)
        {
            let violations = details.bad_request().map(|bad| &bad.field_violations);
            let fields = violations.into_iter().flatten();
            let delay = details.retry_info().and_then(|retry| retry.retry_delay);
            return Self {
                code,
                message: status.message().to_owned().into(),
                fields: fields
                    .map(|field| (field.field.clone(), field.description.clone()))
                    .collect(),
                retry_after: delay.map(|delay| u32::try_from(delay.as_secs()).unwrap_or(u32::MAX)),
            };
        }
        match status.code() {
            tonic::Code::Unavailable | tonic::Code::DeadlineExceeded | tonic::Code::Cancelled => {
                Self::unavailable(status.message())
            }
            _ => Self::internal(&status),
        }
    }
}

/// The header of a status that says when to call again (gRPC proposal A6). Only a replica that
/// works and refuses a call sends it.
pub(crate) const PUSHBACK: &str = "grpc-retry-pushback-ms";

/// The status of a replica that cannot respond now, although another one may. `why` is for the log of the caller.
///
/// It has no details, but the header that says to call again: [`crate::rpc::client`] retries the
/// call on another replica, and then reports [`Code::Unavailable`]. A replica that could answer
/// somehow looks at [`crate::rpc::retry::is_current_call`] first.
pub fn replica_unavailable(why: &'static str) -> Status {
    let mut status = Status::new(tonic::Code::Unavailable, why);
    status.metadata_mut().insert(PUSHBACK, AsciiMetadataValue::from_static("0"));
    status
}

/// The status for a caller without a valid token on the internal port.
pub(crate) fn unauthenticated(message: impl Into<String>) -> Status {
    Status::new(tonic::Code::Unauthenticated, message)
}

#[cfg(test)]
mod tests {
    use prost::Message as _;
    use tonic_types::pb;

    use super::*;

    #[test]
    fn a_fault_survives_a_round_trip() {
        let fault = Fault {
            retry_after: Some(7),
            ..Fault::invalid_field("links.play", "not an https address")
        };
        assert_eq!(Fault::from(Status::from(fault.clone())), fault);
    }

    /// The size of the headers of a response without a message, as HTTP/2 counts it (RFC 9113, 6.5.2).
    fn size(status: Status) -> usize {
        let (head, ()) = status.into_http::<()>().into_parts();
        let headers = head.headers.iter();
        headers.map(|(name, value)| name.as_str().len() + value.len() + 32).sum()
    }

    #[test]
    fn the_status_of_any_error_is_small() {
        // Encoded, a byte of the message takes up to three bytes, and a byte of a field 4/3.
        for letter in ["a", " ", "%", "ኢ", "🎮"] {
            for (count, length) in [(1, 1 << 20), (45, 40), (50, 29), (23_000, 29), (60, 2_000)] {
                let text = |n: usize| format!("{n:05}{}", letter.repeat(length));
                let fields = (0..count).map(|n| (text(n), text(n))).collect();
                let fault = Fault { retry_after: Some(u32::MAX), ..Fault::invalid(fields) };
                let status = Status::from(fault.clone());
                let read = Fault::from(status.clone());
                let what = format!("{count} of {length} times {letter:?}");
                assert!(size(status) <= MAX_STATUS, "{what}");
                assert_eq!((read.code, read.retry_after), (Code::Invalid, Some(u32::MAX)));
                let shown = read.fields.len();
                assert!((1..=MAX_FIELDS).contains(&shown), "{what}: {shown}");
                let first =
                    |fault: &Fault| fault.fields.keys().next().map(|name| name[..5].to_owned());
                assert_eq!(first(&read), first(&fault), "{what}");

                let long = Fault::new(Code::BadRequest, text(0)).with_retry_after(u32::MAX);
                let status = Status::from(Fault { fields: fault.fields, ..long });
                assert!(size(status) <= MAX_STATUS, "{what}");
            }
        }
    }

    /// AIP-193: clients in any language can read these details.
    #[test]
    fn the_details_are_a_google_rpc_status() {
        let fault = Fault {
            retry_after: Some(7),
            ..Fault::invalid_field("links.play", "not an https address")
        };
        let raw = Status::from(fault);
        let status = pb::Status::decode(raw.details()).unwrap();
        assert_eq!(status.code, i32::from(tonic::Code::InvalidArgument));
        assert_eq!(status.message, raw.message());
        let details: BTreeMap<&str, &[u8]> = status
            .details
            .iter()
            .map(|any| (any.type_url.as_str(), any.value.as_slice()))
            .collect();
        let named = |name: &str| details[format!("type.googleapis.com/google.rpc.{name}").as_str()];
        assert_eq!(details.len(), 3);
        let info = pb::ErrorInfo::decode(named("ErrorInfo")).unwrap();
        assert_eq!((&*info.reason, &*info.domain), ("invalid", "mchezo"));
        let bad = pb::BadRequest::decode(named("BadRequest")).unwrap();
        let [violation] = &bad.field_violations[..] else {
            panic!("{bad:?}");
        };
        assert_eq!(
            (&*violation.field, &*violation.description),
            ("links.play", "not an https address")
        );
        let retry = pb::RetryInfo::decode(named("RetryInfo")).unwrap();
        assert_eq!(retry.retry_delay.unwrap().seconds, 7);
    }

    #[test]
    fn details_of_other_domains_are_ignored() {
        let details = ErrorDetails::with_error_info("invalid", "example.com", HashMap::new());
        let status = Status::with_error_details(tonic::Code::Unknown, "no", details);
        assert_eq!(Fault::from(status).code, Code::Internal);
    }

    #[test]
    fn a_replica_that_is_unavailable_sends_no_details() {
        let status = replica_unavailable("it lags");
        assert!(status.details().is_empty());
        let fault = Fault::from(status);
        assert_eq!((fault.code, fault.retry_after), (Code::Unavailable, Some(1)));
    }

    #[test]
    fn a_status_without_details_shows_no_internals() {
        let status = Status::new(tonic::Code::Unavailable, "connect to 10.0.0.7 refused");
        assert_eq!(Fault::from(status).code, Code::Unavailable);
        let broken = Fault::from(Status::new(tonic::Code::Unknown, "secret text"));
        assert_eq!(broken.code, Code::Internal);
        assert!(!broken.message.contains("secret"));
    }
}
