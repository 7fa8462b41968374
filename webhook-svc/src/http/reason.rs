//! Why a try failed, in words for the owner of the endpoint.

use std::error::Error;
use std::io;
use std::time::Duration;

use http::{HeaderMap, StatusCode, header};
use rustls::CertificateError;

use super::connector::ConnectError;

/// Characters of a redirect's target that are shown.
const TARGET: usize = 200;

pub(super) fn too_late(limit: Duration) -> String {
    format!("did not answer within {} seconds", limit.as_secs_f64())
}

/// Why this status is a failure.
pub(super) fn of_status(status: StatusCode, headers: &HeaderMap) -> String {
    let target = headers.get(header::LOCATION);
    match target {
        Some(target) if status.is_redirection() => {
            let target = String::from_utf8_lossy(target.as_bytes());
            let shown: String = target.chars().take(TARGET).collect();
            format!(
                "answered {}, which redirects to {}: redirects are not followed",
                status.as_u16(),
                shown.escape_debug()
            )
        }
        _ => format!("answered {}", status.as_u16()),
    }
}

/// Why there is no answer.
pub(super) fn of(error: &(dyn Error + 'static)) -> String {
    let mut cause = Some(error);
    let mut innermost = error;
    while let Some(error) = cause {
        if let Some(reason) = known(error) {
            return reason;
        }
        innermost = error;
        cause = match error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref)
        {
            // An I/O error hides the error that it was made from behind its own source.
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    format!("could not be called: {innermost}")
}

fn known(error: &(dyn Error + 'static)) -> Option<String> {
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
            return Some(closed());
        }
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
    .then(closed)
}

fn closed() -> String {
    "closed the connection before it answered".to_owned()
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
