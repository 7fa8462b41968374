//! The kinds of creators, which the structured data of their games contain. They hardly ever change, so pages of games share them.

use std::sync::Arc;

use contracts::public::CreatorRow;
use kit::{Code, Fault};
use quick_cache::sync::Cache;
use time::{Duration, OffsetDateTime};

use super::catalogue::Catalogue;

/// How long a kind is used before it is read again.
const AGE: Duration = Duration::seconds(10);
/// The number of creators whose kinds are in memory, about 100 bytes each.
const CAPACITY: usize = 10_000;

/// A kind with the time at which its read began; `None` is a creator who is not public.
type TimedKind = (Option<Arc<str>>, OffsetDateTime);

/// The kinds of the creators of the games that were shown last, by handle.
#[derive(Debug, Clone)]
pub struct CreatorKinds {
    catalogue: Catalogue,
    kinds: Arc<Cache<String, TimedKind>>,
}

impl CreatorKinds {
    pub fn new(catalogue: Catalogue) -> Self {
        Self {
            catalogue,
            kinds: Arc::new(Cache::new(CAPACITY)),
        }
    }

    /// The kind of a creator, at most ten seconds old.
    pub async fn of(&self, handle: &str, now: OffsetDateTime) -> Result<Option<Arc<str>>, Fault> {
        if let Some((kind, read_at)) = self.kinds.get(handle)
            && (now - read_at).abs() < AGE
        {
            return Ok(kind);
        }
        let kind = match self.catalogue.creator(handle).await {
            Ok(creator) => Some(creator.parse::<CreatorRow>()?.kind.into()),
            // The creator was taken down meanwhile.
            Err(fault) if fault.code == Code::NotFound => None,
            Err(fault) => return Err(fault),
        };
        self.kinds.insert(handle.to_owned(), (kind.clone(), now));
        Ok(kind)
    }
}
