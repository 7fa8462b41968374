//! Why an attempt failed, as a message for the owner of the endpoint.

use std::error::Error;
use std::io;
use std::time::Duration;

use http::{HeaderMap, StatusCode, header};
use rustls::CertificateError;

use super::connector::ConnectError;
use super::own_fault::OwnFault;

const CLOSED: &str = "closed the connection before it answered";
/// Maximum characters of a redirect's `Location` in a message.
const MAX_LOCATION: usize = 200;

pub(super) fn timed_out(limit: Duration) -> String {
    format!("did not answer within {} seconds", limit.as_secs_f64())
}

/// Why this status is a failure.
pub(super) fn of_status(status: StatusCode, headers: &HeaderMap) -> String {
    let location = headers.get(header::LOCATION);
    match location {
        Some(location) if status.is_redirection() => {
            let location = String::from_utf8_lossy(location.as_bytes());
            let shown: String = location.chars().take(MAX_LOCATION).collect();
            format!(
                "answered {}, which redirects to {}: redirects are not followed",
                status.as_u16(),
                shown.escape_debug()
            )
        }
        _ => format!("answered {}", status.as_u16()),
    }
}

/// Why there is no response.
pub(super) fn of_error(error: &(dyn Error + 'static)) -> String {
    let reason = causes(error).find_map(describe);
    reason.unwrap_or_else(|| {
        let innermost = causes(error).last().unwrap_or(error);
        format!("could not be called: {innermost}")
    })
}

/// Our fault, if it is one, that there is no response.
pub(super) fn own_fault(error: &(dyn Error + 'static)) -> Option<OwnFault> {
    causes(error).find_map(|error| error.downcast_ref::<ConnectError>()?.own_fault())
}

/// Whether the connection was closed before the answer's head was complete.
pub(super) fn is_closed(error: &(dyn Error + 'static)) -> bool {
    causes(error).find_map(describe).as_deref() == Some(CLOSED)
}

/// An error and its causes, the innermost last.
pub(super) fn causes<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| {
        let error: &'a (dyn Error + 'static) = *error;
        let inner = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        // `source` of an I/O error skips the error that it wraps.
        inner.map_or_else(|| error.source(), |inner| Some(inner))
    })
}

fn describe(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(error) = error.downcast_ref::<ConnectError>() {
        return Some(error.to_string());
    }
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        return Some(tls(error));
    }
    if let Some(error) = error.downcast_ref::<hyper::Error>() {
        if error.is_parse_too_large() {
            return Some("the head of its answer is too large".to_owned());
        }
        if error.is_parse() {
            return Some("its answer is not HTTP".to_owned());
        }
        if error.is_incomplete_message() || error.is_closed() {
            return Some(CLOSED.to_owned());
        }
        if error.is_canceled() {
            return Some("closed the connection before the request was sent".to_owned());
        }
    }
    if let Some(error) = error.downcast_ref::<h2::Error>() {
        return http2(error);
    }
    let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
    matches!(
        kind,
        Some(
            io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::BrokenPipe
                | io::ErrorKind::UnexpectedEof
        )
    )
    .then(|| CLOSED.to_owned())
}

fn http2(error: &h2::Error) -> Option<String> {
    let reason = error.reason()?;
    let what = match reason {
        _ if !error.is_remote() => "sent an answer that is not valid HTTP/2",
        _ if error.is_go_away() => "closed the connection without processing the request",
        h2::Reason::REFUSED_STREAM => "refused the request without processing it",
        _ => "ended the request without an answer",
    };
    Some(format!("{what} (HTTP/2 {reason:?})"))
}

fn tls(error: &rustls::Error) -> String {
    let rustls::Error::InvalidCertificate(problem) = error else {
        return format!("TLS failed: {error}");
    };
    let problem = match problem {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "it has expired".to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "it is not valid yet".to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "it is for another name".to_owned()
        }
        CertificateError::UnknownIssuer => {
            "it is self-signed, or a certificate between it and its authority is missing".to_owned()
        }
        CertificateError::BadSignature => "its authority has not signed it".to_owned(),
        CertificateError::Revoked => "it was revoked".to_owned(),
        other => other.to_string(),
    };
    format!("TLS certificate is not valid: {problem}")
}
