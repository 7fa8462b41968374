//! A body that never changes, in each content coding (§10.8). It is compressed once, so that no
//! request compresses it.

use std::convert::Infallible;

use axum::body::{Body, to_bytes};
use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue};
use http::{Request, Response};
use tower::{ServiceExt as _, service_fn};
use tower_http::compression::Compression;
use tower_http::compression::predicate::SizeAbove;

use crate::etag::ETag;

/// The coding of a body that is not compressed. `Content-Encoding` never names it.
pub const IDENTITY: &str = "identity";

/// The body by coding, from the least to the most preferred one.
#[derive(Debug)]
pub struct Representations {
    /// Weak, because it names the body in every coding.
    pub tag: ETag,
    bodies: [(&'static str, Bytes); 4],
}

impl Representations {
    /// # Errors
    /// A compression failed.
    pub async fn new(body: Bytes) -> Result<Self, axum::Error> {
        let compressed =
            async |coding| Ok::<_, axum::Error>((coding, compress(coding, &body).await?));
        Ok(Self {
            tag: ETag::for_data(&body, None, None),
            bodies: [
                (IDENTITY, body.clone()),
                compressed("gzip").await?,
                compressed("br").await?,
                compressed("zstd").await?,
            ],
        })
    }

    /// The coding that the client accepts with the highest weight, and the body in it.
    ///
    /// These are the rules of tower-http, which compresses the other responses and does not export
    /// its parser: malformed and unknown members of the header are ignored, and so is `*`.
    pub fn negotiate(&self, headers: &HeaderMap) -> (&'static str, Bytes) {
        let lines = headers.get_all(ACCEPT_ENCODING).into_iter();
        let members = lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(','));
        let accepted = members.filter_map(|member| {
            let (coding, weight) = parse(member)?;
            let mut bodies = self.bodies.iter().enumerate();
            let found = bodies.find(|(_, (name, _))| name.eq_ignore_ascii_case(coding))?;
            (weight > 0.0).then_some((weight, found))
        });
        let best = accepted.max_by(|(a, (i, _)), (b, (j, _))| a.total_cmp(b).then(i.cmp(j)));
        best.map_or(&self.bodies[0], |(_, (_, body))| body).clone()
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

async fn compress(coding: &'static str, body: &Bytes) -> Result<Bytes, axum::Error> {
    let body = service_fn(async |_| Ok::<_, Infallible>(Response::new(Body::from(body.clone()))));
    let mut request = Request::new(());
    request.headers_mut().insert(ACCEPT_ENCODING, HeaderValue::from_static(coding));
    let compression = Compression::new(body).compress_when(SizeAbove::new(0));
    let Ok(response) = compression.oneshot(request).await;
    to_bytes(Body::new(response.into_body()), usize::MAX).await
}
