//! The positions of messages, in whose order callers pull them.
//!
//! A transaction locks `webhook.message_head` before it makes messages, and holds it until its commit. Positions are therefore visible in
//! their order: a reader that has seen one never later finds a lower one. An identity column would not do, since a transaction with a lower
//! number may commit later.

use sqlx::{PgConnection, PgPool};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// The clocks of PostgreSQL servers differ by less than this: a message may have the time of its
/// producer's, and a standby may become the primary. If two messages were stored further apart than
/// this, the earlier one has the lower position.
const CLOCK_DIFFERENCE: Duration = Duration::MINUTE;

/// Locks the head until the transaction ends. Call it before messages are inserted: an order of locks prevents deadlocks.
pub async fn lock_head(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query!("select position from webhook.message_head for update")
        .fetch_one(connection)
        .await?;
    Ok(())
}

/// Gives positions to these messages, in this order. Skips messages that have a position, and messages that are not about a listing.
pub async fn number(connection: &mut PgConnection, ids: &[Uuid]) -> Result<(), sqlx::Error> {
    let numbered = sqlx::query!(
        "with numbered as (
             select message.id, row_number() over (order by min(sent.place)) as place
             from unnest($1::uuid[]) with ordinality as sent (id, place)
             join webhook.message on message.id = sent.id
             where message.position is null and message.listing_id is not null
             group by message.id
         ), head as (
             update webhook.message_head set position = position + (select count(*) from numbered)
             returning position - (select count(*) from numbered) as before
         )
         update webhook.message set position = head.before + numbered.place
         from numbered, head where message.id = numbered.id",
        ids,
    );
    numbered.execute(connection).await?;
    Ok(())
}

/// The last position.
pub async fn head(pool: &PgPool) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!("select position from webhook.message_head").fetch_one(pool).await
}

/// What is at a position, and after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PositionState {
    /// The last position.
    pub head: i64,
    /// The message at the position. `None` if it was removed, or if there never was one.
    pub here: Option<Uuid>,
    /// When the message at the next position was stored. `None` if that message was removed, or if there never was one.
    pub next_created_at: Option<OffsetDateTime>,
}

/// Reads what is at a position, and after it.
pub async fn state(pool: &PgPool, position: i64) -> Result<PositionState, sqlx::Error> {
    sqlx::query_as!(
        PositionState,
        r#"select head.position as head, here.id as "here?", next.created_at as "next_created_at?"
           from webhook.message_head as head
           left join webhook.message as here on here.position = $1
           left join webhook.message as next on next.position = $1::bigint + 1"#,
        position
    )
    .fetch_one(pool)
    .await
}

/// A position before every message that was stored at `since` or later, and close to the first of them. If there is no such message, the
/// last position.
pub async fn before(pool: &PgPool, since: OffsetDateTime) -> Result<i64, sqlx::Error> {
    let head = head(pool).await?;
    let earliest = sqlx::query_scalar!(
        "select created_at from webhook.message where position is not null and created_at >= $1 order by created_at limit 1",
        since
    );
    let Some(earliest) = earliest.fetch_optional(pool).await? else {
        return Ok(head);
    };
    let first = sqlx::query_scalar!(
        "select min(position) from webhook.message where position is not null and created_at >= $1 and created_at <= $2",
        since,
        earliest + CLOCK_DIFFERENCE
    ).fetch_one(pool).await?;
    Ok(first.map_or(head, |first| first - 1))
}

/// Which messages are listed.
#[derive(Debug, Clone, Copy)]
pub struct PositionRange<'a> {
    pub account: Uuid,
    /// `None` does not filter.
    pub event: Option<&'a str>,
    /// Positions above this one,
    pub after: i64,
    /// up to this one.
    pub until: i64,
    pub limit: i64,
}

/// A message with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PositionedMessage {
    pub position: i64,
    pub id: Uuid,
    pub event: String,
    /// Exactly as it is sent.
    pub body: Vec<u8>,
}

/// Messages for an account about listings that are published, in the order of their positions.
pub async fn list(
    pool: &PgPool,
    range: PositionRange<'_>,
) -> Result<Vec<PositionedMessage>, sqlx::Error> {
    sqlx::query_as!(
        PositionedMessage,
        r#"select position as "position!", message.id, event, body from webhook.message
           where position > $1 and position <= $2 and ($3::text is null or event = $3)
               and (recipients is null or $4 = any(recipients))
               and exists (
                   select from webhook.listing
                   where listing.kind = message.listing_kind and listing.id = message.listing_id and published
               )
           order by position limit $5"#,
        range.after,
        range.until,
        range.event,
        range.account,
        range.limit
    )
    .fetch_all(pool)
    .await
}

/// The position of the first message in a range that waits for its listing. `None`: there is no such message.
///
/// A caller that was told a later position would never get this message.
pub async fn first_early(
    pool: &PgPool,
    range: PositionRange<'_>,
    now: OffsetDateTime,
) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        "select min(position) from webhook.message
         left join webhook.listing on listing.kind = message.listing_kind and listing.id = message.listing_id
         where position > $1 and position <= $2 and ($3::text is null or event = $3)
             and (recipients is null or $4 = any(recipients))
             and published is not true and webhook.waits_for_listing(event, created_at, changed_at, $5)",
        range.after,
        range.until,
        range.event,
        range.account,
        now,
    )
    .fetch_one(pool)
    .await
}
