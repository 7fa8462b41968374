//! Exchange rates, whose rows are as many as currencies squared: a list that is not too large is read once for each version, and one
//! that is passes through as it comes (§10.7, §10.8).

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

use super::asked::Asked;
use super::tag::Tag;
use super::{Answer, Content, body, finished, not_modified};
use crate::app::Gateway;
use crate::coding::{Coding, Opening};
use crate::context::Context;
use crate::upstream::Rates;

/// Rows of up to so many bytes are kept; those of a longer list pass through.
const KEPT: u64 = 32 * 1024 * 1024;
/// Bytes that are handed to the connection at once, so that what is kept is not counted as waiting for each of its callers.
const PART: usize = 256 * 1024;

impl Answer {
    /// The rates with this head; `request` asks for their rows.
    pub fn rates(head: RatesHead, request: ListRatesRequest) -> Self {
        Self::new(Content::Rates(Arc::new((head, request))))
    }
}

/// Writes the answer in the form that was `asked` for.
pub(super) async fn write(
    (head, request): &(RatesHead, ListRatesRequest),
    headers: HeaderMap,
    context: &Context,
    asked: &Asked,
    app: &Gateway,
) -> Response {
    let writing = Writing {
        headers: headers.clone(),
        context,
        asked,
    };
    if asked.has(&Tag::of_version(&head.version)) {
        return not_modified(writing.headers(head));
    }
    // The length is not known yet, but no list of rates fits into a packet.
    let coding = asked.coding(usize::MAX);
    if let Some(opening) = app.openings.kept_version(coding, &head.version) {
        return writing.opened(head, coding, &opening);
    }
    match rows(request, &writing, app).await {
        Ok(response) => response,
        Err(fault) => {
            let refusal = Answer::from(fault);
            let body = match &refusal.content {
                Content::Refused(refusal) => body::refusal(refusal, context, &app.docs_url),
                _ => Vec::new(),
            };
            finished(refusal.status(), headers, body, asked.wants_no_body())
        }
    }
}

/// Asks for the rows, which may be of a later version by now.
async fn rows(
    request: &ListRatesRequest,
    writing: &Writing<'_>,
    app: &Gateway,
) -> Result<Response, Fault> {
    let rates = app.economy.list_rates(request.clone()).await?;
    let head = rates.head.clone();
    if head.length > KEPT {
        return Ok(writing.passed_on(rates));
    }
    let coding = writing.asked.coding(usize::MAX);
    let opening = app
        .openings
        .open_version(coding, &head.version, read(rates))
        .await
        .map_err(|error| {
            tracing::warn!(%error, "rows broke off");
            Fault::unavailable("economy-svc broke off")
        })?;
    Ok(writing.opened(&head, coding, &opening))
}

/// Reads all rows, behind what stands before them.
async fn read(mut rates: Rates) -> io::Result<Vec<u8>> {
    let length = usize::try_from(rates.head.length).map_err(io::Error::other)?;
    let most = body::BEFORE.len() + length;
    let mut whole = Vec::with_capacity(most);
    whole.extend_from_slice(body::BEFORE);
    while let Some(piece) = rates.next().await.map_err(io::Error::other)? {
        if whole.len() + piece.len() > most {
            return Err(io::Error::other("more rows came than were announced"));
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole)
}

/// What answers to one call have in common.
struct Writing<'a> {
    headers: HeaderMap,
    context: &'a Context,
    asked: &'a Asked,
}

impl Writing<'_> {
    fn headers(&self, head: &RatesHead) -> HeaderMap {
        let mut headers = self.headers.clone();
        let tag = Tag::of_version(&head.version);
        headers.extend(tag.into_value().map(|tag| (ETAG, tag)));
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        headers
    }

    fn opened(&self, head: &RatesHead, coding: Option<Coding>, opening: &Opening) -> Response {
        let mut headers = self.headers(head);
        let coding = coding.map(|coding| HeaderValue::from_static(coding.token()));
        headers.extend(coding.map(|coding| (CONTENT_ENCODING, coding)));
        let [mut opening, end] = opening.parts(&body::after(self.context, head.page.as_ref()));
        let length = opening.len() + end.len();
        let parts = std::iter::from_fn(move || {
            let part = opening.split_to(opening.len().min(PART));
            (!part.is_empty()).then_some(part)
        });
        let parts = parts.chain([end]).map(Ok::<_, io::Error>);
        self.whole(headers, length, Body::from_stream(stream::iter(parts)))
    }

    fn passed_on(&self, rates: Rates) -> Response {
        let headers = self.headers(&rates.head);
        let after = Bytes::from(body::after(self.context, rates.head.page.as_ref()));
        let rows = usize::try_from(rates.head.length).unwrap_or(usize::MAX);
        let length = body::BEFORE.len() + rows + after.len();
        let pieces = stream::try_unfold(rates, |mut rates| async {
            let piece = rates.next().await?;
            Ok::<_, Fault>(piece.map(|piece| (piece, rates)))
        });
        let part = |bytes: Bytes| stream::once(async { Ok(bytes) });
        let before = part(Bytes::from_static(body::BEFORE));
        let parts = before.chain(pieces).chain(part(after));
        self.whole(headers, length, Body::from_stream(parts))
    }

    fn whole(&self, mut headers: HeaderMap, length: usize, body: Body) -> Response {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_LENGTH, length.into());
        let mut written = Response::new(Body::empty());
        *written.headers_mut() = headers;
        if !self.asked.wants_no_body() {
            *written.body_mut() = body;
        }
        written
    }
}
