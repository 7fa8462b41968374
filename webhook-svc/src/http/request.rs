//! The HTTP request of an attempt.

use bytes::Bytes;
use http::{Request, Uri};
use http_body_util::Full;

use super::PostRequest;

pub(super) fn build(post: &PostRequest<'_>) -> http::Result<Request<Full<Bytes>>> {
    let mut request = Request::post(Uri::try_from(post.address.as_str())?);
    for (name, value) in post.headers {
        request = request.header(*name, value.as_bytes());
    }
    request.body(Full::new(post.body.clone()))
}
