//! A cache of public pages, which are the same for everybody.
//!
//! A page is stored under its path, its language, the newest position of the listings before it was
//! made (§1), the version of the economy if it is about currencies, and the second, since votes and
//! the day change pages without a new position. Therefore a busy page is made once a second, by one
//! of the requests that wait for it.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use contracts::common::v1::Position;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt as _;
use metrics::{Counter, Gauge};
use moka::future::Cache;
use moka::policy::EvictionPolicy;
use pages::Language;
use time::OffsetDateTime;

use crate::etag;
use crate::page_error::PageError;
use crate::visit::Visit;

/// Size of the cache in bytes: about 800 pages.
const MAX_BYTES: u64 = 32 * 1024 * 1024;
/// Frees the memory of pages of earlier seconds, which no request reads.
const FREED_AFTER: Duration = Duration::from_mins(1);

/// The cache.
pub struct PageCache {
    pages: Cache<Key, Page>,
    hits: Counter,
    misses: Counter,
    bytes: Gauge,
}

/// What a public page depends on, and the second in which it is made.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    language: Language,
    /// The language in the path, which the links of the page have too.
    prefix: &'static str,
    path_and_query: Box<str>,
    position: Position,
    /// `None`: the page shows no currency, or economy-svc is unavailable.
    economy: Option<Arc<str>>,
    second: i64,
}

impl Key {
    pub(crate) fn new(
        visit: &Visit,
        position: Position,
        economy: Option<Arc<str>>,
        now: OffsetDateTime,
    ) -> Self {
        Self {
            language: visit.language,
            prefix: visit.prefix,
            path_and_query: visit.path.as_str().into(),
            position,
            economy,
            second: now.unix_timestamp(),
        }
    }
}

/// A response in memory.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    status: StatusCode,
    headers: HeaderMap,
    /// The error whose page is shown.
    error: Option<PageError>,
    body: Bytes,
}

impl Page {
    /// A page to store, or (`Err`) one for the requests that wait now only.
    pub(crate) async fn read(response: Response) -> Result<Self, Self> {
        let is_stored = etag::is_revalidated(&response);
        let (mut head, body) = response.into_parts();
        let Ok(whole) = body.collect().await else {
            return Err(Self::internal());
        };
        let page = Self {
            error: head.extensions.remove(),
            status: head.status,
            headers: head.headers,
            // A copy, since the rendered text may have twice the memory that the cache counts.
            body: Bytes::copy_from_slice(&whole.to_bytes()),
        };
        if is_stored { Ok(page) } else { Err(page) }
    }

    fn internal() -> Self {
        let error = PageError::internal();
        Self {
            status: error.status,
            headers: HeaderMap::new(),
            error: Some(error),
            body: Bytes::new(),
        }
    }

    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        if let Some(error) = self.error {
            response.extensions_mut().insert(error);
        }
        response
    }
}

fn weight(key: &Key, page: &Page) -> u32 {
    let headers = page.headers.iter().map(|(name, value)| name.as_str().len() + value.len());
    let fixed = size_of::<Key>() + size_of::<Page>();
    let bytes = fixed + key.path_and_query.len() + headers.sum::<usize>() + page.body.len();
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

impl Default for PageCache {
    fn default() -> Self {
        Self {
            pages: Cache::builder()
                .weigher(weight)
                .max_capacity(MAX_BYTES)
                // A page of this second replaces older ones, however often those were read.
                .eviction_policy(EvictionPolicy::lru())
                .time_to_live(FREED_AFTER)
                .build(),
            hits: metrics::counter!("page_cache_hits_total"),
            misses: metrics::counter!("page_cache_misses_total"),
            bytes: metrics::gauge!("page_cache_bytes"),
        }
    }
}

impl PageCache {
    /// The stored page, or the result of `make`. Requests for the same page wait for the one that makes it.
    pub(crate) async fn get(
        &self,
        key: Key,
        make: impl Future<Output = Result<Page, Page>>,
    ) -> Response {
        let page = match self.pages.entry(key).or_try_insert_with(make).await {
            Ok(entry) if entry.is_fresh() => {
                self.misses.increment(1);
                // At most `MAX_BYTES`.
                let bytes = u32::try_from(self.pages.weighted_size()).unwrap_or(u32::MAX);
                self.bytes.set(bytes);
                entry.into_value()
            }
            Ok(entry) => {
                self.hits.increment(1);
                entry.into_value()
            }
            Err(page) => Page::clone(&page),
        };
        page.into_response()
    }
}
