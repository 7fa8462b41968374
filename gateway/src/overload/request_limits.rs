//! Limits on the size of a request, and the check of its host. They lie below the limits of the HTTP library, so that the error
//! response has the envelope (§7.2).

use http::header::CONTENT_LENGTH;
use http::{HeaderMap, Request};
use kit::http_server::host;
use kit::{Code, Fault};

const MAX_URI: usize = 16 * 1024;
const MAX_HEADER_BYTES: usize = 32 * 1024;
const MAX_HEADER_FIELDS: usize = 100;
/// The largest body, in bytes.
pub const MAX_BODY: u64 = 64 * 1024;

/// Rejects a request without a single valid host, whose path and query are too long (414), or whose headers are (431).
pub fn head<B>(request: &Request<B>) -> Result<(), Fault> {
    if !host::is_valid(request) {
        return Err(Fault::invalid_field(
            "host",
            "Send one host: a name or an address, with or without a port.",
        ));
    }
    let uri = request.uri().path_and_query().map_or(0, |uri| uri.as_str().len());
    if uri > MAX_URI {
        return Err(Fault::new(
            Code::UriTooLong,
            "Path and query are longer than 16 KiB. Shorten them.",
        ));
    }
    let headers = request.headers();
    let length: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if headers.len() > MAX_HEADER_FIELDS || length > MAX_HEADER_BYTES {
        return Err(Fault::new(
            Code::HeadersTooLarge,
            "The headers are larger than 32 KiB or more than 100. Send fewer or shorter ones.",
        ));
    }
    Ok(())
}

/// Rejects a request whose `Content-Length` is too large (413), before reading any of the body.
pub fn body(headers: &HeaderMap) -> Result<(), Fault> {
    let length = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: u64| length > MAX_BODY) {
        return Err(too_large());
    }
    Ok(())
}

pub fn too_large() -> Fault {
    Fault::new(Code::TooLarge, "The body is larger than 64 KiB. Send a smaller one.")
}

#[cfg(test)]
mod tests {
    use http::Version;

    use super::*;

    fn code(request: http::request::Builder) -> Option<Code> {
        // HTTP/2 does not need the `host` header.
        let request = request.version(Version::HTTP_2).body(()).unwrap();
        let refused = head(&request).and_then(|()| body(request.headers()));
        refused.err().map(|fault| fault.code)
    }

    #[test]
    fn each_limit_is_the_largest_accepted_size() {
        let uri = |length: usize| Request::get(format!("/{}?q=x", "a".repeat(length - 5)));
        assert_eq!(code(uri(MAX_URI)), None);
        assert_eq!(code(uri(MAX_URI + 1)), Some(Code::UriTooLong));

        let header = |length: usize| Request::get("/").header("x", "a".repeat(length - 1));
        assert_eq!(code(header(MAX_HEADER_BYTES)), None);
        assert_eq!(code(header(MAX_HEADER_BYTES + 1)), Some(Code::HeadersTooLarge));

        let fields =
            |count| (0..count).fold(Request::get("/"), |r, n| r.header(format!("x-{n}"), ""));
        assert_eq!(code(fields(MAX_HEADER_FIELDS)), None);
        assert_eq!(code(fields(MAX_HEADER_FIELDS + 1)), Some(Code::HeadersTooLarge));

        let body = |length: u64| Request::post("/").header(CONTENT_LENGTH, length);
        assert_eq!(code(body(MAX_BODY)), None);
        assert_eq!(code(body(MAX_BODY + 1)), Some(Code::TooLarge));
    }
}
