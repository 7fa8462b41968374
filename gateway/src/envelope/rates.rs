//! Exchange rates. The number of rows grows with the square of the number of currencies. A list that is not too large is read and
//! compressed once per version; a larger one is streamed (§10.7, §10.8).

use std::io;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use contracts::economy::v1::{ListRatesRequest, RatesHead};
use futures::{StreamExt as _, stream};
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderValue, VARY};
use kit::Fault;

use super::etag::ETag;
use super::negotiation::Negotiation;
use super::{ApiResponse, Content, body, build_response, not_modified};
use crate::app::Gateway;
use crate::coding::{Coding, EncodedPrefix};
use crate::context::Context;
use crate::upstream::Rates;

/// Larger lists are streamed, in bytes.
const MAX_CACHED: u64 = 32 * 1024 * 1024;
/// Cached bytes are written to the connection in parts of this size, so that they are not counted as unsent once per client.
const PART: usize = 256 * 1024;

impl ApiResponse {
    /// The rates with this head. Their rows are requested only when the response is written.
    pub fn rates(head: RatesHead, request: ListRatesRequest) -> Self {
        Self::new(Content::Rates(Arc::new((head, request))))
    }
}

/// Writes the rates in the form that the client negotiated.
pub(super) async fn write(
    (head, request): &(RatesHead, ListRatesRequest),
    headers: HeaderMap,
    context: &Context,
    negotiation: &Negotiation,
    app: &Gateway,
) -> Response {
    let response = RatesResponse {
        headers: headers.clone(),
        context,
        negotiation,
    };
    if negotiation.if_none_match(&ETag::of_version(&head.version)) {
        return not_modified(response.headers(head));
    }
    // The length is not known yet, but rates never fit into one packet.
    let coding = negotiation.coding(usize::MAX);
    if let Some(prefix) = app.encoded_prefixes.get_version(coding, &head.version) {
        return response.cached(head, coding, &prefix);
    }
    match rows(request, &response, app).await {
        Ok(response) => response,
        Err(fault) => {
            let error = ApiResponse::from(fault);
            let body = match &error.content {
                Content::Error(error) => body::error(error, context, &app.docs_url),
                _ => Vec::new(),
            };
            build_response(error.status(), headers, body, negotiation.is_head())
        }
    }
}

/// Requests the rows. They may be of a newer version than the head.
async fn rows(
    request: &ListRatesRequest,
    response: &RatesResponse<'_>,
    app: &Gateway,
) -> Result<Response, Fault> {
    let rates = app.economy.list_rates(request.clone()).await?;
    let head = rates.head.clone();
    if head.length > MAX_CACHED {
        return Ok(response.streamed(rates));
    }
    let coding = response.negotiation.coding(usize::MAX);
    let prefix = app
        .encoded_prefixes
        .get_or_encode_version(coding, &head.version, read_rows(rates))
        .await
        .map_err(|error| {
            tracing::warn!(%error, "the stream of rates broke off");
            Fault::unavailable("economy-svc broke off")
        })?;
    Ok(response.cached(&head, coding, &prefix))
}

/// Reads all rows into memory, after the prefix of the envelope.
async fn read_rows(mut rates: Rates) -> io::Result<Vec<u8>> {
    let length = usize::try_from(rates.head.length).map_err(io::Error::other)?;
    let most = body::PREFIX.len() + length;
    let mut whole = Vec::with_capacity(most);
    whole.extend_from_slice(body::PREFIX);
    while let Some(piece) = rates.next().await.map_err(io::Error::other)? {
        if whole.len() + piece.len() > most {
            return Err(io::Error::other("more rows came than were announced"));
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole)
}

/// What all forms of one response share.
struct RatesResponse<'a> {
    headers: HeaderMap,
    context: &'a Context,
    negotiation: &'a Negotiation,
}

impl RatesResponse<'_> {
    fn headers(&self, head: &RatesHead) -> HeaderMap {
        let mut headers = self.headers.clone();
        let tag = ETag::of_version(&head.version);
        headers.extend(tag.into_value().map(|tag| (ETAG, tag)));
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        headers
    }

    fn cached(&self, head: &RatesHead, coding: Option<Coding>, prefix: &EncodedPrefix) -> Response {
        let mut headers = self.headers(head);
        let coding = coding.map(|coding| HeaderValue::from_static(coding.token()));
        headers.extend(coding.map(|coding| (CONTENT_ENCODING, coding)));
        let [mut prefix, end] = prefix.segments(&body::suffix(self.context, head.page.as_ref()));
        let length = prefix.len() + end.len();
        let parts = std::iter::from_fn(move || {
            let part = prefix.split_to(prefix.len().min(PART));
            (!part.is_empty()).then_some(part)
        });
        let parts = parts.chain([end]).map(Ok::<_, io::Error>);
        self.build(headers, length, Body::from_stream(stream::iter(parts)))
    }

    fn streamed(&self, rates: Rates) -> Response {
        let headers = self.headers(&rates.head);
        let after = Bytes::from(body::suffix(self.context, rates.head.page.as_ref()));
        let rows = usize::try_from(rates.head.length).unwrap_or(usize::MAX);
        let length = body::PREFIX.len() + rows + after.len();
        let pieces = stream::try_unfold(rates, |mut rates| async {
            let piece = rates.next().await?;
            Ok::<_, Fault>(piece.map(|piece| (piece, rates)))
        });
        let part = |bytes: Bytes| stream::once(async { Ok(bytes) });
        let before = part(Bytes::from_static(body::PREFIX));
        let parts = before.chain(pieces).chain(part(after));
        self.build(headers, length, Body::from_stream(parts))
    }

    fn build(&self, mut headers: HeaderMap, length: usize, body: Body) -> Response {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_LENGTH, length.into());
        let mut written = Response::new(Body::empty());
        *written.headers_mut() = headers;
        if !self.negotiation.is_head() {
            *written.body_mut() = body;
        }
        written
    }
}
