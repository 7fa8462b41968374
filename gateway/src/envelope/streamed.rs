//! Answers whose rows are passed on as they come from their service, so that the gateway never holds all of them (§10.7, §10.8).

use std::io;

use axum::body::{Body, to_bytes};
use axum::response::Response;
use bytes::Bytes;
use contracts::economy::v1::RatesHead;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderValue, VARY};

use super::asked::Asked;
use super::tag::Tag;
use super::{Answer, Content, body, finished, not_modified};
use crate::app::Gateway;
use crate::context::Context;
use crate::upstream::Rates;

/// Up to so many bytes of rows are compressed, once for each version; what is larger goes out as it is.
const COMPRESSED: u64 = 32 * 1024 * 1024;

impl Answer {
    /// The rows of a list, as they come.
    pub fn streamed(rates: Rates) -> Response {
        let head = Box::new(rates.head.clone());
        let mut response =
            axum::response::IntoResponse::into_response(Self::new(Content::Streamed(head)));
        let pieces = stream::try_unfold(rates, |mut rates| async {
            let piece = rates.next().await?;
            Ok::<_, kit::Fault>(piece.map(|piece| (piece, rates)))
        });
        *response.body_mut() = Body::from_stream(pieces);
        response
    }
}

/// Writes the answer with these rows, in the form that was `asked` for.
pub(super) async fn write(
    head: &RatesHead,
    rows: Body,
    mut headers: HeaderMap,
    context: &Context,
    asked: &Asked,
    app: &Gateway,
) -> Response {
    let tag = Tag::of_version(&head.version);
    let is_known = asked.has(&tag);
    headers.extend(tag.into_value().map(|tag| (ETAG, tag)));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if is_known {
        return not_modified(headers);
    }
    let after = body::after(context, head.page.as_ref());
    let status = http::StatusCode::OK;
    let length = usize::try_from(head.length).unwrap_or(usize::MAX);
    if let Some(coding) = asked.coding(length).filter(|_| head.length <= COMPRESSED) {
        // What was compressed before is given again, and the rows are not even read.
        let rows = async { to_bytes(rows, length).await.map_err(io::Error::other) };
        let opening = app
            .openings
            .open_version(coding, body::BEFORE, &head.version, rows);
        return match opening.await {
            Ok(opening) => {
                let token = HeaderValue::from_static(coding.token());
                headers.insert(CONTENT_ENCODING, token);
                finished(
                    status,
                    headers,
                    opening.close(&after),
                    asked.wants_no_body(),
                )
            }
            Err(error) => {
                tracing::warn!(%error, "rows broke off");
                let broken = Answer::from(kit::Fault::unavailable("economy-svc broke off"));
                let refusal = match &broken.content {
                    Content::Refused(refusal) => body::refusal(refusal, context, &app.docs_url),
                    _ => Vec::new(),
                };
                finished(broken.status(), broken.headers(context), refusal, false)
            }
        };
    }
    let whole = body::BEFORE.len() + length + after.len();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CONTENT_LENGTH, whole.into());
    let mut written = Response::new(Body::empty());
    *written.headers_mut() = headers;
    if !asked.wants_no_body() {
        let piece = |bytes: Bytes| stream::once(async { Ok(bytes) });
        let before = piece(Bytes::from_static(body::BEFORE));
        let rows = rows.into_data_stream().map_err(io::Error::other);
        let whole = before.chain(rows).chain(piece(after.into()));
        *written.body_mut() = Body::from_stream(whole);
    }
    written
}
