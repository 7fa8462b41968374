//! A cache of the catalogue's responses.
//!
//! A response that depends on the listings alone names the position of their feed at which it was made. It answers every read that must
//! show this position or an earlier one of the same epoch (§1). A read that knows no position is never answered from the cache, and a
//! change of any listing ends the use of all responses before it.

use std::sync::atomic::{AtomicU64, Ordering};

use kit::feed::Position;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use time::{Date, Duration, OffsetDateTime, UtcOffset};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::route::Handler;
use crate::domain::key::Mode;
use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::call::Call;

/// Size of the cache in bytes: about 3,000 pages of twenty rows.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Sizes the cache's shards: an entry may take half of one.
const EXPECTED_ITEMS: usize = 4_096;
/// The longest use of a response. A release of catalogue-svc may render listings in another way, without a new position.
const MAX_AGE: Duration = Duration::seconds(10);
/// The only path whose responses with a position depend on the day too: a search puts past events last, so its order changes at
/// midnight in UTC without a change of a listing.
const SEARCH: &str = "/v1/search";
/// How far the clock of catalogue-svc may be from this one.
const CLOCKS: Duration = Duration::seconds(5);

/// How many of the latest requests are remembered.
const SEEN: usize = 4_096;

/// Stores a response when its request comes a second time: requests that nobody repeats evict nothing.
pub(super) struct ResponseCache {
    entries: Cache<Key, Entry, BySize>,
    /// Hashes of the latest requests. The hash of a request is its place, too.
    seen: Box<[AtomicU64]>,
}

/// A request. The same parameters in another order are another request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    is_test: bool,
    path_and_query: Box<str>,
}

impl Key {
    fn hash(&self) -> u64 {
        xxh3_64_with_seed(self.path_and_query.as_bytes(), self.is_test.into())
    }

    fn is_search(&self) -> bool {
        self.path_and_query.split('?').next() == Some(SEARCH)
    }
}

#[derive(Debug, Clone)]
struct Entry {
    response: ApiResponse,
    position: Position,
    made: OffsetDateTime,
}

#[derive(Debug, Clone)]
struct BySize;

impl Weighter<Key, Entry> for BySize {
    fn weight(&self, key: &Key, entry: &Entry) -> u64 {
        let fixed = size_of::<Key>() + size_of::<Entry>();
        let bytes = fixed + key.path_and_query.len() + entry.response.data_size();
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

impl Default for ResponseCache {
    fn default() -> Self {
        Self {
            entries: Cache::with_weighter(EXPECTED_ITEMS, MAX_BYTES, BySize),
            seen: (0..SEEN).map(|_| AtomicU64::new(0)).collect(),
        }
    }
}

impl ResponseCache {
    /// Responds to a read of the catalogue at `now`. The handler runs only if the cache has no response.
    pub(super) async fn respond(
        &self,
        call: Call,
        handler: &Handler,
        now: OffsetDateTime,
    ) -> Result<ApiResponse, ApiError> {
        let Some((key, at_least)) = key_and_position(&call) else {
            return handler(call).await;
        };
        if let Some(response) = self.get(&key, at_least, now) {
            return Ok(response);
        }
        let is_repeated = self.saw(&key);
        let response = handler(call).await?;
        if is_repeated {
            self.insert(key, &response, now);
        }
        Ok(response)
    }

    /// Whether the request is among the latest; from now on it is.
    fn saw(&self, key: &Key) -> bool {
        let hash = key.hash();
        let place = usize::try_from(hash % SEEN as u64).ok();
        let place = place.and_then(|place| self.seen.get(place));
        place.is_some_and(|seen| seen.swap(hash, Ordering::Relaxed) == hash)
    }

    /// A response that was made at `at_least` or later.
    fn get(&self, key: &Key, at_least: Position, now: OffsetDateTime) -> Option<ApiResponse> {
        let entry = self.entries.get(key)?;
        let age = now - entry.made;
        let has_day_changed = utc_day(entry.made - CLOCKS) != utc_day(now + CLOCKS);
        let is_stale = age >= MAX_AGE || (has_day_changed && key.is_search());
        let is_current = entry.position.reaches(at_least) && !is_stale;
        is_current.then_some(entry.response)
    }

    /// Stores a response that has a position.
    fn insert(&self, key: Key, response: &ApiResponse, now: OffsetDateTime) {
        let Some(position) = response.position() else {
            return;
        };
        let entry = Entry { response: response.to_stored(), position, made: now };
        self.entries.insert(key, entry);
    }
}

fn utc_day(at: OffsetDateTime) -> Date {
    at.to_offset(UtcOffset::UTC).date()
}

/// The key of a read, and the position that its response must have reached.
fn key_and_position(call: &Call) -> Option<(Key, Position)> {
    let position = call.at_least?;
    let key = Key {
        is_test: call.caller.key.mode == Mode::Test,
        path_and_query: call.head.uri.path_and_query()?.as_str().into(),
    };
    Some((key, position))
}
