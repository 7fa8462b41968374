//! A cache of public pages, which are the same for everybody.
//!
//! A page that was begun after a position of the listings was read shows it (§1). It is the response to the same path in the same language
//! until the listings have moved on, and for a second at most, since votes, rates and the day change pages without a position. So a busy page
//! is made once a second, and while Redis has no position, nothing is answered from here.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::{HeaderMap, Method};
use http_body_util::BodyExt as _;
use kit::feed::Position;
use metrics::{Counter, Gauge};
use pages::site::Language;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use time::{Duration, OffsetDateTime};

use super::etag;
use crate::app::App;
use crate::page_error::PageError;
use crate::visit::Visit;

/// Size of the cache in bytes: about 800 pages.
const MAX_BYTES: u64 = 32 * 1024 * 1024;
/// Sizes the cache's shards: an entry may take half of one.
const EXPECTED_ITEMS: usize = 1_024;
/// The longest use of a page.
const MAX_AGE: Duration = Duration::SECOND;

/// The cache.
pub struct PageCache {
    pages: Cache<Key, Page, BySize>,
    hits: Counter,
    misses: Counter,
    bytes: Gauge,
}

/// What a public page depends on, apart from the data.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    language: Language,
    /// The language in the path, which the links of the page have too.
    prefix: &'static str,
    path_and_query: Box<str>,
}

#[derive(Debug, Clone)]
struct Page {
    headers: HeaderMap,
    body: Bytes,
    position: Position,
    made: OffsetDateTime,
}

#[derive(Debug, Clone)]
struct BySize;

impl Weighter<Key, Page> for BySize {
    fn weight(&self, key: &Key, page: &Page) -> u64 {
        let headers = page.headers.iter();
        let headers = headers.map(|(name, value)| name.as_str().len() + value.len());
        let fixed = size_of::<Key>() + size_of::<Page>();
        let bytes = fixed + key.path_and_query.len() + headers.sum::<usize>() + page.body.len();
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

impl Default for PageCache {
    fn default() -> Self {
        Self {
            pages: Cache::with_weighter(EXPECTED_ITEMS, MAX_BYTES, BySize),
            hits: metrics::counter!("page_cache_hits_total"),
            misses: metrics::counter!("page_cache_misses_total"),
            bytes: metrics::gauge!("page_cache_bytes"),
        }
    }
}

impl PageCache {
    /// A page that shows this position.
    fn get(&self, key: &Key, at_least: Position, now: OffsetDateTime) -> Option<Response> {
        let page = self.pages.get(key)?;
        let is_recent = (now - page.made).abs() < MAX_AGE;
        if !is_recent || !page.position.reaches(at_least) {
            return None;
        }
        let mut response = Response::new(Body::from(page.body));
        *response.headers_mut() = page.headers;
        Some(response)
    }

    fn insert(&self, key: Key, page: Page) {
        self.pages.insert(key, page);
        // At most `MAX_BYTES`.
        let bytes = u32::try_from(self.pages.weight()).unwrap_or(u32::MAX);
        self.bytes.set(bytes);
    }
}

/// Responds to a request of a public page. The handler runs only if the cache has no page.
pub async fn respond(State(app): State<App>, request: Request, next: Next) -> Response {
    let visit = request.extensions().get::<Visit>().cloned();
    let Some(visit) = visit.filter(|_| *request.method() == Method::GET) else {
        return next.run(request).await;
    };
    let Some(position) = app.catalogue.known_position().await else {
        return next.run(request).await;
    };
    let (cache, now) = (&app.page_cache, app.clock.now());
    let key = Key {
        language: visit.language,
        prefix: visit.prefix,
        path_and_query: visit.path.as_str().into(),
    };
    if let Some(response) = cache.get(&key, position, now) {
        cache.hits.increment(1);
        return response;
    }
    let response = etag::tag(&visit, next.run(request).await).await;
    if !etag::is_revalidated(&response) {
        return response;
    }
    cache.misses.increment(1);
    let (head, body) = response.into_parts();
    // The body is in memory already: its tag is a hash of it.
    let Ok(whole) = body.collect().await else {
        return PageError::internal().into_response();
    };
    let body = whole.to_bytes();
    let page = Page {
        headers: head.headers.clone(),
        body: body.clone(),
        position,
        made: now,
    };
    cache.insert(key, page);
    Response::from_parts(head, Body::from(body))
}
