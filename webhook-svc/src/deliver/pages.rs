//! Reads the due deliveries of an endpoint, a page at a time, with their messages.

use std::sync::Arc;

use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use super::message_cache::MessageCache;
use crate::store::listings::{self, ListingState};
use crate::store::messages::StoredMessage;
use crate::store::waiting::{self, Cursor};

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
    /// The cursor of the last delivery.
    pub(super) end: Option<Cursor>,
    /// There was no more.
    pub(super) is_last: bool,
}

/// Reads up to `max` deliveries of an endpoint that are due at `now`, after the cursor.
pub(super) async fn read(
    pool: &PgPool,
    messages: &MessageCache,
    endpoint: Uuid,
    after: Cursor,
    max: usize,
    now: OffsetDateTime,
) -> Result<Page, sqlx::Error> {
    let limit = i64::try_from(max).unwrap_or(i64::MAX);
    let rows = waiting::due(pool, endpoint, after, limit, now).await?;
    let messages = messages.get(pool, rows.iter().map(|row| row.message_id)).await?;
    let mut deliveries = rows
        .iter()
        .filter_map(|row| {
            let message = messages.get(&row.message_id)?;
            Some(DueDelivery {
                id: row.id,
                message: Arc::clone(message),
                attempts: row.attempts,
                attempts_left: row.attempts_left,
                due_at: row.due_at,
                listing: ListingState::Published,
            })
        })
        .collect::<Vec<_>>();
    check_listings(pool, &mut deliveries, now).await?;
    Ok(Page {
        deliveries,
        end: rows.last().map(|row| (row.due_at, row.id)),
        is_last: rows.len() < max,
    })
}

/// Finds out whether the listings of deliveries are public now.
pub(super) async fn check_listings(
    pool: &PgPool,
    deliveries: &mut [DueDelivery],
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let real = deliveries.iter().filter(|due| !due.message.is_test);
    let messages: Vec<Uuid> = real.map(|due| due.message.id).collect();
    if messages.is_empty() {
        return Ok(());
    }
    let states = listings::states(pool, &messages, now).await?;
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
    use crate::store::messages;

    /// A second read of the message would return the changed body.
    #[testing::database_test(crate::MIGRATOR)]
    async fn a_message_for_two_endpoints_is_read_once(pool: PgPool) {
        let [one, two] = [1, 2].map(Uuid::from_u128);
        let now = OffsetDateTime::UNIX_EPOCH;
        let message = Message {
            id: Uuid::from_u128(7),
            event: Event::Ping,
            listing: None,
            recipients: None,
            created_at: now,
            body: b"{}".to_vec(),
        };
        let mut connection = pool.acquire().await.unwrap();
        messages::send_to(&mut connection, &message, one, 1, now).await.unwrap();
        sqlx::query!(
            "insert into webhook.waiting (endpoint_id, message_id, created_at, due_at) values ($1, $2, $3, $3)",
            two,
            message.id,
            now
        )
        .execute(&pool)
        .await
        .unwrap();
        let cache = MessageCache::default();
        for endpoint in [one, two] {
            let before = (OffsetDateTime::UNIX_EPOCH, 0);
            let page = read(&pool, &cache, endpoint, before, 9, now).await.unwrap();
            assert_eq!(page.deliveries[0].message.body, "{}");
            sqlx::query!("update webhook.message set body = 'changed'")
                .execute(&pool)
                .await
                .unwrap();
        }
    }
}
