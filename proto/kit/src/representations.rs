//! A body that many requests get, in each content coding. It is compressed once, so that no request
//! compresses it.

use std::convert::Infallible;

use axum::body::{Body, to_bytes};
use axum::response::Response;
use bytes::Bytes;
use futures::FutureExt as _;
use http::Request;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderMap, HeaderValue, VARY};
use tower::{ServiceExt as _, service_fn};
use tower_http::compression::Compression;
use tower_http::compression::predicate::SizeAbove;

/// The coding of a body that is not compressed. `Content-Encoding` never names it.
const IDENTITY: &str = "identity";
/// From the least to the most preferred one.
const CODINGS: [&str; 3] = ["gzip", "br", "zstd"];

/// The body by coding, from the least to the most preferred one.
#[derive(Debug)]
pub struct Representations(Vec<(&'static str, Bytes)>);

impl Representations {
    /// Compresses the body, except with a coding that saves less than a tenth, as with most pictures.
    /// A body of 500 KB takes about 0.1 s of CPU, so a large one is work for a blocking thread.
    pub fn new(body: &Bytes) -> Self {
        let smaller = CODINGS.into_iter().filter_map(|coding| {
            let compressed = compress(coding, body)?;
            (compressed.len() < body.len() - body.len() / 10).then_some((coding, compressed))
        });
        let mut bodies: Vec<_> = smaller.collect();
        bodies.insert(0, (IDENTITY, body.clone()));
        Self(bodies)
    }

    /// The value of `Content-Encoding`, if the body is compressed, and the body. `headers` are those of
    /// the request: the coding that it accepts with the highest weight is chosen.
    ///
    /// These are the rules of tower-http, which compresses the other responses and does not export
    /// its parser: malformed and unknown members of the header are ignored, and so is `*`.
    pub fn negotiate(&self, headers: &HeaderMap) -> (Option<HeaderValue>, Bytes) {
        let lines = headers.get_all(ACCEPT_ENCODING).into_iter();
        let members = lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(','));
        let accepted = members.filter_map(|member| {
            let (coding, weight) = parse(member)?;
            let mut bodies = self.0.iter().enumerate();
            let found = bodies.find(|(_, (name, _))| name.eq_ignore_ascii_case(coding))?;
            (weight > 0.0).then_some((weight, found))
        });
        let best = accepted.max_by(|(a, (i, _)), (b, (j, _))| a.total_cmp(b).then(i.cmp(j)));
        let (coding, body) = best.map_or(&self.0[0], |(_, (_, found))| found);
        let coding = (*coding != IDENTITY).then(|| HeaderValue::from_static(coding));
        (coding, body.clone())
    }

    /// A response with the body that [`negotiate`](Self::negotiate) chooses, and with `Vary`.
    pub fn respond(&self, headers: &HeaderMap) -> Response {
        let (coding, body) = self.negotiate(headers);
        let mut response = Response::new(Body::from(body));
        response.headers_mut().extend(coding.map(|coding| (CONTENT_ENCODING, coding)));
        response.headers_mut().insert(VARY, HeaderValue::from_static("accept-encoding"));
        response
    }
}

/// The coding and the weight of a member of `Accept-Encoding`.
fn parse(member: &str) -> Option<(&str, f32)> {
    let (coding, weight) = member.split_once(';').unwrap_or((member, "q=1"));
    let (name, weight) = weight.trim().split_once('=')?;
    let weight = weight.parse().ok()?;
    let is_weight = name.eq_ignore_ascii_case("q") && (0.0..=1.0).contains(&weight);
    let coding = coding.trim();
    let coding = if coding.eq_ignore_ascii_case("x-gzip") { "gzip" } else { coding };
    is_weight.then_some((coding, weight))
}

/// The body in a coding, by tower-http.
fn compress(coding: &'static str, body: &Bytes) -> Option<Bytes> {
    let body = service_fn(async |_| Ok::<_, Infallible>(Response::new(Body::from(body.clone()))));
    let mut request = Request::new(());
    request.headers_mut().insert(ACCEPT_ENCODING, HeaderValue::from_static(coding));
    let compression = Compression::new(body).compress_when(SizeAbove::new(0));
    let compressed = async {
        let Ok(response) = compression.oneshot(request).await;
        to_bytes(Body::new(response.into_body()), usize::MAX).await.ok()
    };
    // It waits for nothing, because the body is in memory.
    compressed.now_or_never()?
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The response of tower-http to a request with this `Accept-Encoding`.
    async fn of_tower_http(body: &Bytes, headers: &HeaderMap) -> (Option<HeaderValue>, Bytes) {
        let inner =
            service_fn(async |_| Ok::<_, Infallible>(Response::new(Body::from(body.clone()))));
        let mut request = Request::new(());
        *request.headers_mut() = headers.clone();
        let Ok(response) = Compression::new(inner).oneshot(request).await;
        let coding = response.headers().get(CONTENT_ENCODING).cloned();
        (coding, to_bytes(Body::new(response.into_body()), usize::MAX).await.unwrap())
    }

    #[tokio::test]
    async fn tower_http_would_send_the_same() {
        let body = Bytes::from("baobab ".repeat(100));
        let representations = Representations::new(&body);
        let headers = |lines: &[&str]| {
            let lines = lines.iter().map(|line| HeaderValue::from_str(line).unwrap());
            lines.map(|line| (ACCEPT_ENCODING, line)).collect::<HeaderMap>()
        };
        assert_eq!(representations.negotiate(&headers(&[])), (None, body.clone()));
        let mut chosen = Vec::new();
        for lines in [
            &[""][..],
            &["gzip, deflate, br, zstd"],
            &["gzip, deflate, br"],
            &["gzip;q=0.5", "br;q=0.4, zstd;q=0"],
            &["x-gzip"],
            &["X-GZIP;q=0.3, identity;q=0.2"],
            &["identity, gzip;q=0.5"],
            &["identity, gzip"],
            &["GZIP;Q=1.0 , br;q=0.999"],
            &["gzip;q=1.1, br;level=1, zstd;q="],
            &["zstd;q=0, *;q=1, br;q=0.1"],
            &["*"],
            &["deflate"],
            &["gzip ; q=0.5,br; q=0.6"],
        ] {
            let headers = headers(lines);
            let negotiated = representations.negotiate(&headers);
            assert_eq!(negotiated, of_tower_http(&body, &headers).await, "{lines:?}");
            chosen.extend(negotiated.0);
        }
        for coding in CODINGS {
            assert!(chosen.iter().any(|it| it == coding), "{coding}");
        }
    }

    #[test]
    fn a_body_that_does_not_become_smaller_is_sent_as_it_is() {
        let picture: Vec<u8> = (0..10_000).map(|_| rand::random()).collect();
        for body in [Bytes::new(), Bytes::from(picture)] {
            let representations = Representations::new(&body);
            let browser = HeaderValue::from_static("gzip, deflate, br, zstd");
            let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, browser)]);
            assert_eq!(representations.negotiate(&headers), (None, body));
            let response = representations.respond(&headers);
            assert_eq!(response.headers()[VARY], "accept-encoding");
            assert!(!response.headers().contains_key(CONTENT_ENCODING));
        }
    }
}
