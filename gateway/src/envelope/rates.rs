//! Exchange rates. The number of rows grows with the square of the number of currencies. A list that is not too large is read and
//! compressed once per version; a larger one is streamed (§10.7, §10.8).

use std::io;
use std::sync::Arc;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use contracts::economy::v1::{ListRatesRequest, RatesHead};
use futures::{StreamExt as _, stream};
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderValue, VARY};
use kit::Fault;
use tokio::time::timeout;

use super::etag::ETag;
use super::negotiation::Negotiation;
use super::{ApiResponse, Content, body, not_modified};
use crate::app::Gateway;
use crate::coding::{Coding, EncodedPrefix};
use crate::context::Context;
use crate::upstream::Rates;

/// Larger lists are streamed, in bytes. A slow client holds the whole list of its version, also after the cache has dropped it.
const MAX_CACHED: u64 = 8 * 1024 * 1024;
/// A list of so many rows may be so small that it is not compressed: a row has 128 bytes or more.
const MAX_SMALL_ROWS: u64 = 8;
/// Cached bytes are written to the connection in parts of this size, so that they are not counted as unsent once per client.
const PART: usize = 256 * 1024;

/// Where the rows are.
#[derive(Debug, Clone)]
pub(super) enum Rows {
    /// The client has them.
    NotModified,
    Cached(Option<Coding>, Arc<EncodedPrefix>),
    /// The rest of the stream is the body of the HTTP response.
    Streamed,
}

/// Rates that are not cached.
enum Uncached {
    /// A stream of rows.
    Streamed(Box<Rates>),
    Failed(Fault),
}

/// The rates with this head, in the form that the client negotiated. Their rows are requested only if neither the client nor the
/// cache has them.
///
/// # Errors
/// economy-svc failed before the first byte of the response was sent.
pub async fn rates(
    head: RatesHead,
    request: ListRatesRequest,
    negotiation: &Negotiation,
    app: &Gateway,
) -> Result<Response, Fault> {
    let response = |head, rows| ApiResponse::new(Content::Rates(Arc::new((head, rows))));
    if negotiation.if_none_match(&ETag::of_version(&head.version)) {
        return Ok(response(head, Rows::NotModified).into_response());
    }
    // The whole list is read within the deadline of a slow read. Calls that wait for the same version read one after the other if the
    // service fails, and none of them waits longer.
    let cached = timeout(
        app.economy.write_deadline,
        cached_rows(&head, request, negotiation, app),
    );
    let cached = cached.await.unwrap_or_else(|_elapsed| {
        let fault = Fault::unavailable("economy-svc has not sent the rates in time");
        Err(Uncached::Failed(fault))
    });
    match cached {
        Ok((coding, prefix)) => Ok(response(head, Rows::Cached(coding, prefix)).into_response()),
        Err(Uncached::Failed(fault)) => Err(fault),
        Err(Uncached::Streamed(rates)) => {
            let mut response = response(rates.head.clone(), Rows::Streamed).into_response();
            let pieces = stream::try_unfold(rates, |mut rates| async {
                let piece = rates.next().await?;
                Ok::<_, Fault>(piece.map(|piece| (piece, rates)))
            });
            *response.body_mut() = Body::from_stream(pieces);
            Ok(response)
        }
    }
}

/// The rows from the cache, where they are read into if it lacks them, and their coding.
async fn cached_rows(
    head: &RatesHead,
    request: ListRatesRequest,
    negotiation: &Negotiation,
    app: &Gateway,
) -> Result<(Option<Coding>, Arc<EncodedPrefix>), Uncached> {
    let (cache, version) = (&app.encoded_prefixes, head.version.as_str());
    let rows = head.page.as_ref().map_or(u64::MAX, |page| page.total);
    // More rows never fit into one packet. The length of fewer ones is known once they are read.
    let coding = if rows > MAX_SMALL_ROWS {
        negotiation.coding(usize::MAX)
    } else {
        let read = read(request.clone(), version, app);
        let plain = cache.get_or_encode_version(None, version, read).await?;
        negotiation.coding(plain.length() - body::PREFIX.len())
    };
    let read = read(request, version, app);
    let prefix = cache.get_or_encode_version(coding, version, read).await?;
    Ok((coding, prefix))
}

/// Reads all rows into memory, after the prefix of the envelope.
async fn read(
    request: ListRatesRequest,
    version: &str,
    app: &Gateway,
) -> Result<Vec<u8>, Uncached> {
    let mut rates = Rates::request(&app.economy, request).await?;
    // The rows may be of a newer version than the head that was read before.
    if rates.head.length > MAX_CACHED || rates.head.version != version {
        return Err(Uncached::Streamed(Box::new(rates)));
    }
    let length = usize::try_from(rates.head.length).unwrap_or_default();
    let mut whole = Vec::with_capacity(body::PREFIX.len() + length);
    whole.extend_from_slice(body::PREFIX);
    while let Some(piece) = rates.next().await? {
        whole.extend_from_slice(&piece);
    }
    Ok(whole)
}

impl From<Fault> for Uncached {
    fn from(fault: Fault) -> Self {
        Self::Failed(fault)
    }
}

impl From<io::Error> for Uncached {
    fn from(error: io::Error) -> Self {
        Self::Failed(Fault::internal(&error))
    }
}

/// Writes the rates. `streamed` are the rows that are neither at the client nor in the cache.
pub(super) fn write(
    head: &RatesHead,
    rows: &Rows,
    mut headers: HeaderMap,
    streamed: Body,
    context: &Context,
    negotiation: &Negotiation,
) -> Response {
    let tag = ETag::of_version(&head.version);
    headers.extend(tag.into_value().map(|tag| (ETAG, tag)));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    let suffix = body::suffix(context, head.page.as_ref());
    let (length, body) = match rows {
        Rows::NotModified => return not_modified(headers),
        Rows::Cached(coding, prefix) => {
            let coding = coding.map(|coding| HeaderValue::from_static(coding.token()));
            headers.extend(coding.map(|coding| (CONTENT_ENCODING, coding)));
            cached(prefix, &suffix)
        }
        Rows::Streamed => {
            let rows = usize::try_from(head.length).unwrap_or(usize::MAX);
            let length = body::PREFIX.len() + rows + suffix.len();
            let part = |bytes: Bytes| stream::once(async { Ok(bytes) });
            let before = part(Bytes::from_static(body::PREFIX));
            let rows = before.chain(streamed.into_data_stream());
            (length, Body::from_stream(rows.chain(part(suffix.into()))))
        }
    };
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CONTENT_LENGTH, length.into());
    let mut written = Response::new(Body::empty());
    *written.headers_mut() = headers;
    if !negotiation.is_head() {
        *written.body_mut() = body;
    }
    written
}

/// The length and the body of a cached list.
fn cached(prefix: &EncodedPrefix, suffix: &[u8]) -> (usize, Body) {
    let [mut prefix, end] = prefix.segments(suffix);
    let length = prefix.len() + end.len();
    let parts = std::iter::from_fn(move || {
        let part = prefix.split_to(prefix.len().min(PART));
        (!part.is_empty()).then_some(part)
    });
    let parts = parts.chain([end]).map(Ok::<_, io::Error>);
    (length, Body::from_stream(stream::iter(parts)))
}
