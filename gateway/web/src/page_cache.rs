//! A cache of public pages, which are the same for everybody.
//!
//! A page that was begun after a position of the listings was read shows it (§1). It is the response to the same path in the same language
//! until the listings have moved on, and for a second at most, since votes, rates and the day change pages without a position. So a busy page
//! is made once a second, and while Redis has no position, nothing is answered from here.

use bytes::Bytes;
use http::HeaderMap;
use kit::feed::Position;
use metrics::{Counter, Gauge};
use pages::site::Language;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use time::{Duration, OffsetDateTime};

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
pub(crate) struct Key {
    language: Language,
    /// The language in the path, which the links of the page have too.
    prefix: &'static str,
    path_and_query: Box<str>,
}

/// A page with status 200.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// The position that was read before the page was begun.
    pub(crate) position: Position,
    pub(crate) made: OffsetDateTime,
}

impl Key {
    pub(crate) fn of(visit: &Visit) -> Self {
        Self {
            language: visit.language,
            prefix: visit.prefix,
            path_and_query: visit.path.as_str().into(),
        }
    }
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
    pub(crate) fn get(&self, key: &Key, at_least: Position, now: OffsetDateTime) -> Option<Page> {
        let page = self.pages.get(key)?;
        let is_recent = (now - page.made).abs() < MAX_AGE;
        let is_current = is_recent && page.position.reaches(at_least);
        if is_current {
            self.hits.increment(1);
        }
        is_current.then_some(page)
    }

    pub(crate) fn insert(&self, key: Key, page: Page) {
        self.misses.increment(1);
        self.pages.insert(key, page);
        // At most `MAX_BYTES`.
        let bytes = u32::try_from(self.pages.weight()).unwrap_or(u32::MAX);
        self.bytes.set(bytes);
    }
}
