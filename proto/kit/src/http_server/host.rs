//! The host of a request.

use http::header::{HOST, HeaderValue};
use http::uri::Authority;
use http::{Request, Version};

/// Whether a request has one valid host; over HTTP/1.0 and HTTP/2 it may have no header for it.
///
/// If two readers could disagree about the host, they could disagree about where the request ends (request smuggling). The connection
/// of a request without a valid host is therefore closed after its response.
pub fn is_valid<B>(request: &Request<B>) -> bool {
    let hosts: Vec<&HeaderValue> = request.headers().get_all(HOST).iter().collect();
    match hosts.as_slice() {
        [] => request.version() != Version::HTTP_11,
        [host] => host.is_empty() || is_host(host.as_bytes()),
        _ => false,
    }
}

fn is_host(text: &[u8]) -> bool {
    Authority::try_from(text).is_ok_and(|host| !host.as_str().contains('@'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_one_valid_host() {
        let named = |version, hosts: &[&str]| {
            let request = Request::get("/").version(version);
            let request = hosts.iter().fold(request, |r, host| r.header(HOST, *host));
            is_valid(&request.body(()).unwrap())
        };
        for good in ["api.example", "api.example:8080", "127.0.0.1", "[::1]:80", ""] {
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
}
