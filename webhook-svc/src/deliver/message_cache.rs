//! The messages of due deliveries.

use std::collections::HashMap;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use sqlx::PgPool;
use uuid::Uuid;

use crate::store::messages::{self, StoredMessage};

/// Bytes of the messages that a replica keeps for the endpoints that have not sent them yet.
const CACHE_BYTES: u64 = 64 * 1024 * 1024;
/// A guess at the size of a message, for the cache's tables.
const MESSAGE_BYTES: usize = 1024;

/// The messages of the newest pages: a message is read once, however many endpoints it goes to.
#[derive(Debug)]
pub(super) struct MessageCache(Cache<Uuid, Arc<StoredMessage>, Weight>);

#[derive(Debug, Clone)]
struct Weight;

impl Weighter<Uuid, Arc<StoredMessage>> for Weight {
    fn weight(&self, _: &Uuid, message: &Arc<StoredMessage>) -> u64 {
        (message.body.len() + size_of::<StoredMessage>()) as u64
    }
}

impl Default for MessageCache {
    fn default() -> Self {
        let estimate = usize::try_from(CACHE_BYTES).unwrap_or(usize::MAX) / MESSAGE_BYTES;
        Self(Cache::with_weighter(estimate, CACHE_BYTES, Weight))
    }
}

impl MessageCache {
    /// The messages with these ids, from the cache or from PostgreSQL.
    pub(super) async fn get(
        &self,
        pool: &PgPool,
        ids: impl Iterator<Item = Uuid>,
    ) -> Result<HashMap<Uuid, Arc<StoredMessage>>, sqlx::Error> {
        let (mut found, mut missing) = (HashMap::new(), Vec::new());
        for id in ids {
            match self.0.get(&id) {
                Some(message) => drop(found.insert(id, message)),
                None => missing.push(id),
            }
        }
        if missing.is_empty() {
            return Ok(found);
        }
        for message in messages::find(pool, &missing).await? {
            let message = Arc::new(message);
            self.0.insert(message.id, Arc::clone(&message));
            found.insert(message.id, message);
        }
        Ok(found)
    }
}
