//! What a request must not be: too long, or without a host. The bounds lie below the library's, so that the answer comes in the
//! envelope (§7.2).

use http::header::{CONTENT_LENGTH, HOST, HeaderValue};
use http::uri::Authority;
use http::{Request, Version};
use kit::{Code, Fault};

const URI: usize = 16 * 1024;
const HEADERS: usize = 32 * 1024;
const FIELDS: usize = 100;
/// Bytes of a body.
pub const BODY: u64 = 256 * 1024;

/// Why a request is refused whatever it asks; an extension of it, so that the refusal is in the envelope and in the log.
#[derive(Debug, Clone)]
pub struct Objection(pub Fault);

/// Refuses a request over HTTP/1.1 that names no host, and any that names two or something that is none: where two readers could
/// differ over whom it is for, they could differ over where it ends.
pub fn host<B>(request: &Request<B>) -> Result<(), Fault> {
    let hosts: Vec<&HeaderValue> = request.headers().get_all(HOST).iter().collect();
    let good = match hosts.as_slice() {
        [] => request.version() != Version::HTTP_11,
        [host] => host.is_empty() || is_host(host.as_bytes()),
        _ => false,
    };
    if good {
        return Ok(());
    }
    Err(Fault::invalid_field(
        "host",
        "Name it once, as a name or an address, with a port or without.",
    ))
}

fn is_host(text: &[u8]) -> bool {
    Authority::try_from(text).is_ok_and(|host| !host.as_str().contains('@'))
}

/// Refuses what is too long to be looked at: 414 and 431.
pub fn head<B>(request: &Request<B>) -> Result<(), Fault> {
    let uri = request
        .uri()
        .path_and_query()
        .map_or(0, |uri| uri.as_str().len());
    if uri > URI {
        return Err(Fault::new(
            Code::UriTooLong,
            "path and query are over 16 KiB; ask for less at once",
        ));
    }
    let headers = request.headers();
    let length: usize = headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len())
        .sum();
    if headers.len() > FIELDS || length > HEADERS {
        return Err(Fault::new(
            Code::HeadersTooLarge,
            "the headers are over 32 KiB or more than 100 fields; send fewer",
        ));
    }
    Ok(())
}

/// Refuses a body that says it is too long: 413. Nothing of it is read.
pub fn body<B>(request: &Request<B>) -> Result<(), Fault> {
    let length = request
        .headers()
        .get(CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: u64| length > BODY) {
        return Err(too_large());
    }
    Ok(())
}

/// A body is too long.
pub fn too_large() -> Fault {
    Fault::new(Code::TooLarge, "the body is over 256 KiB; send less")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(request: http::request::Builder) -> Option<Code> {
        let request = request.body(()).unwrap();
        let refused = head(&request).and_then(|()| body(&request));
        refused.err().map(|fault| fault.code)
    }

    #[test]
    fn a_host_is_named_once() {
        let named = |version, hosts: &[&str]| {
            let request = Request::get("/").version(version);
            let request = hosts.iter().fold(request, |r, host| r.header(HOST, *host));
            host(&request.body(()).unwrap()).is_ok()
        };
        for good in [
            "api.example",
            "api.example:8080",
            "127.0.0.1",
            "[::1]:80",
            "",
        ] {
            assert!(named(Version::HTTP_11, &[good]), "{good}");
        }
        for bad in ["a b", "a/b", "user@a", "a:b:c"] {
            assert!(!named(Version::HTTP_11, &[bad]), "{bad}");
        }
        for version in [Version::HTTP_10, Version::HTTP_11, Version::HTTP_2] {
            assert!(!named(version, &["a", "a"]), "{version:?}");
            assert_eq!(named(version, &[]), version != Version::HTTP_11);
        }
    }

    #[test]
    fn each_bound_is_the_last_that_passes() {
        let uri = |length: usize| Request::get(format!("/{}?q=x", "a".repeat(length - 5)));
        assert_eq!(code(uri(URI)), None);
        assert_eq!(code(uri(URI + 1)), Some(Code::UriTooLong));

        let header = |length: usize| Request::get("/").header("x", "a".repeat(length - 1));
        assert_eq!(code(header(HEADERS)), None);
        assert_eq!(code(header(HEADERS + 1)), Some(Code::HeadersTooLarge));

        let fields =
            |count| (0..count).fold(Request::get("/"), |r, n| r.header(format!("x-{n}"), ""));
        assert_eq!(code(fields(FIELDS)), None);
        assert_eq!(code(fields(FIELDS + 1)), Some(Code::HeadersTooLarge));

        let body = |length: u64| Request::post("/").header(CONTENT_LENGTH, length);
        assert_eq!(code(body(BODY)), None);
        assert_eq!(code(body(BODY + 1)), Some(Code::TooLarge));
    }
}
