//! Why an attempt failed, as a message for the owner of the endpoint.

use std::error::Error;
use std::io;
use std::time::Duration;

use http::{HeaderMap, StatusCode, header};
use rustls::{AlertDescription, CertificateError, InvalidMessage, PeerIncompatible};

use super::public_resolver::HostError;

const CLOSED: &str = "closed the connection before it answered";
const TOO_SLOW_TO_CONNECT: &str = "did not accept a connection in time";
const NO_TLS: &str = "does not speak TLS at this port; it may be a port for plain HTTP";
const OLD_TLS: &str = "does not speak TLS 1.2 or 1.3";
/// Maximum characters of a redirect's `Location` in a message.
const MAX_LOCATION: usize = 200;

/// Why a request ended that took `limit`.
pub(super) fn no_answer(limit: Duration) -> String {
    format!("did not answer within {} seconds", limit.as_secs_f64())
}

/// Why this status is a failure.
pub(super) fn for_status(status: StatusCode, headers: &HeaderMap) -> String {
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

/// Why there is no response to a request.
pub(super) fn for_error(error: reqwest_rustls::Error) -> String {
    // The path of the URL may contain a secret.
    let error = error.without_url();
    let reason = causes(&error).find_map(describe).unwrap_or_else(|| {
        if error.is_timeout() {
            return "did not open a connection (TCP, then TLS) in time".to_owned();
        }
        let innermost = causes(&error).last().unwrap_or(&error);
        format!("could not be called: {innermost}")
    });
    // PostgreSQL texts cannot contain NUL.
    reason.replace('\0', "\u{FFFD}")
}

/// An error and its causes, the innermost last.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| {
        let error: &'a (dyn Error + 'static) = *error;
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        // `source` of an I/O error skips the error that it wraps.
        inner.map_or_else(|| error.source(), |inner| Some(inner))
    })
}

fn describe(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(error) = error.downcast_ref::<HostError>() {
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
    let error = error.downcast_ref::<io::Error>()?;
    match error.kind() {
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::UnexpectedEof => Some(CLOSED.to_owned()),
        io::ErrorKind::ConnectionRefused => Some("refused the connection".to_owned()),
        io::ErrorKind::TimedOut => Some(TOO_SLOW_TO_CONNECT.to_owned()),
        _ => error.raw_os_error().map(|_| format!("could not be reached: {error}")),
    }
}

fn tls(error: &rustls::Error) -> String {
    let problem = match error {
        rustls::Error::InvalidCertificate(problem) => problem,
        rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
            return NO_TLS.to_owned();
        }
        rustls::Error::AlertReceived(AlertDescription::ProtocolVersion)
        | rustls::Error::PeerIncompatible(
            PeerIncompatible::ServerDoesNotSupportTls12Or13
            | PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig,
        ) => return OLD_TLS.to_owned(),
        error => return format!("TLS failed: {error}"),
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
        // rustls takes no shorter keys, and says no more of a signature by one.
        CertificateError::BadSignature => {
            "a signature is wrong: its authority has not signed it, or an RSA key has less than 2,048 bits".to_owned()
        }
        CertificateError::Revoked => "it was revoked".to_owned(),
        other => other.to_string(),
    };
    format!("TLS certificate is not valid: {problem}")
}
