//! Reads the due deliveries of an endpoint, a page at a time, with their messages.

use std::collections::HashMap;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::store::listings::{self, ListingState};
use crate::store::messages::{self, StoredMessage};
use crate::store::waiting::{self, Cursor};

/// Bytes of the messages that a replica keeps for the endpoints that have not sent them yet.
const CACHE_BYTES: u64 = 64 * 1024 * 1024;
/// A guess at the size of a message, for the cache's tables.
const MESSAGE_BYTES: usize = 1024;

/// A delivery to attempt.
#[derive(Debug, Clone)]
pub(super) struct DueDelivery {
    pub(super) id: i64,
    pub(super) message: Arc<StoredMessage>,
    pub(super) attempts: i32,
    pub(super) attempts_left: i32,
    pub(super) due_at: OffsetDateTime,
    pub(super) listing: ListingState,
}

/// A page of deliveries.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) deliveries: Vec<DueDelivery>,
    /// Of the last one.
    pub(super) end: Option<Cursor>,
    /// There was no more.
    pub(super) is_last: bool,
}

/// The messages of the newest pages: a message is read once, however many endpoints it goes to.
#[derive(Debug)]
pub(super) struct Messages(Cache<Uuid, Arc<StoredMessage>, Weight>);

#[derive(Debug, Clone)]
struct Weight;

impl Weighter<Uuid, Arc<StoredMessage>> for Weight {
    fn weight(&self, _: &Uuid, message: &Arc<StoredMessage>) -> u64 {
        (message.body.len() + size_of::<StoredMessage>()) as u64
    }
}

impl Default for Messages {
    fn default() -> Self {
        let estimate = usize::try_from(CACHE_BYTES).unwrap_or(usize::MAX) / MESSAGE_BYTES;
        Self(Cache::with_weighter(estimate, CACHE_BYTES, Weight))
    }
}

impl Messages {
    /// The messages with these ids, from the cache or from PostgreSQL.
    async fn get(
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

/// Reads up to `most` deliveries of an endpoint that are due at `now`, after the cursor.
pub(super) async fn read(
    pool: &PgPool,
    messages: &Messages,
    endpoint: Uuid,
    after: Cursor,
    most: usize,
    now: OffsetDateTime,
) -> Result<Page, sqlx::Error> {
    let limit = i64::try_from(most).unwrap_or(i64::MAX);
    let rows = waiting::due(pool, endpoint, after, limit, now).await?;
    let messages = messages
        .get(pool, rows.iter().map(|row| row.message_id))
        .await?;
    let deliveries = rows.iter().filter_map(|row| {
        let message = messages.get(&row.message_id)?;
        Some(DueDelivery {
            id: row.id,
            message: Arc::clone(message),
            attempts: row.attempts,
            attempts_left: row.attempts_left,
            due_at: row.due_at,
            listing: ListingState::Published,
        })
    });
    let mut deliveries = deliveries.collect::<Vec<_>>();
    check_listings(pool, &mut deliveries, now).await?;
    Ok(Page {
        deliveries,
        end: rows.last().map(|row| (row.due_at, row.id)),
        is_last: rows.len() < most,
    })
}

/// Finds out whether the listings of deliveries are public now.
pub(super) async fn check_listings(
    pool: &PgPool,
    deliveries: &mut [DueDelivery],
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let real = deliveries.iter().filter(|due| !due.message.is_test);
    let real: Vec<Uuid> = real.map(|due| due.message.id).collect();
    if real.is_empty() {
        return Ok(());
    }
    let states = listings::states(pool, &real, now).await?;
    for due in deliveries {
        if let Some(state) = states.get(&due.message.id) {
            due.listing = *state;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::event::Event;
    use crate::domain::message::Message;

    #[testing::database_test(crate::MIGRATOR)]
    async fn a_message_is_read_once_for_all_endpoints(pool: PgPool) {
        let cache = Messages::default();
        let id = Uuid::from_u128(1);
        let now = OffsetDateTime::UNIX_EPOCH;
        let message = Message {
            id,
            event: Event::Ping,
            listing: None,
            recipients: None,
            created_at: now,
            body: b"{}".to_vec(),
        };
        let mut connection = pool.acquire().await.unwrap();
        for endpoint in [7, 8] {
            let endpoint = Uuid::from_u128(endpoint);
            if endpoint == Uuid::from_u128(7) {
                crate::store::messages::send_to(&mut connection, &message, endpoint, 1, now)
                    .await
                    .unwrap();
            } else {
                sqlx::query!(
                    "insert into webhook.waiting (endpoint_id, message_id, created_at, due_at) values ($1, $2, $3, $3)",
                    endpoint,
                    id,
                    now
                )
                .execute(&pool)
                .await
                .unwrap();
                // A second read of the message would return the changed body.
                sqlx::query!("update webhook.message set body = 'changed'")
                    .execute(&pool)
                    .await
                    .unwrap();
            }
            let start = (OffsetDateTime::UNIX_EPOCH, 0);
            let page = read(&pool, &cache, endpoint, start, 10, now).await.unwrap();
            assert!(page.is_last);
            assert_eq!(page.deliveries.len(), 1);
            assert_eq!(&page.deliveries[0].message.body[..], b"{}");
        }
    }
}
