//! `webhook.message`, and the deliveries of messages to endpoints.

use bytes::Bytes;
use kit::Clock;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::message_positions;
use crate::domain::message::Message;

/// Inserts messages with positions, and a delivery of each to every subscribed endpoint.
///
/// An endpoint is subscribed when it has selected the event, its account is on a plan with real
/// events, and the message is for the account. While the plan is not known, the delivery waits.
/// Messages that exist already are skipped. A message has PostgreSQL's time, or the one in its body
/// if that is later, because its producer may have a PostgreSQL server of its own: `since` with a
/// printed time must find its message.
pub async fn fan_out(
    connection: &mut PgConnection,
    messages: &[Message],
    max_attempts: i32,
    clock: &Clock,
) -> Result<(), sqlx::Error> {
    if messages.is_empty() {
        return Ok(());
    }
    message_positions::lock_head(connection).await?;
    // Under the lock: times are in the order of positions.
    let now = kit::pg::now(&mut *connection, clock).await?;
    let ids: Vec<Uuid> = messages.iter().map(|message| message.id).collect();
    sqlx::query!(
        "with made as (
             insert into webhook.message (id, event, listing_kind, listing_id, body, created_at, recipients)
             select id, event, listing_kind, listing_id, body, greatest($6, at), recipients::uuid[]
             from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::bytea[], $8::timestamptz[], $9::text[])
                 as sent (id, event, listing_kind, listing_id, body, at, recipients)
             on conflict (id) do nothing
             returning id, event, recipients
         ), delivery as (
             insert into webhook.waiting (endpoint_id, message_id, created_at, attempts_left, due_at)
             select endpoint.id, made.id, $6, $7, $6
             from made
             join unnest($1::uuid[]) with ordinality as sent (id, position) on sent.id = made.id
             join webhook.endpoint on endpoint.events @> array[made.event] and endpoint.state <> 'off'
             left join webhook.account on account.id = endpoint.account_id
             left join webhook.plan on plan.name = account.plan
             where plan.events is not false and (made.recipients is null or endpoint.account_id = any(made.recipients))
             order by sent.position
             returning endpoint_id
         ), woken as (
             update webhook.queue set due_at = least(queue.due_at, $6)
             where endpoint_id in (
                 select endpoint_id from webhook.queue
                 where endpoint_id in (select endpoint_id from delivery) order by endpoint_id for update
             )
         )
         select count(*) as \"count!\" from delivery",
        &ids,
        &messages.iter().map(|message| message.event.as_str().to_owned()).collect::<Vec<_>>(),
        &messages.iter().map(|message| message.listing.map(|it| it.kind.to_owned())).collect::<Vec<_>>() as _,
        &messages.iter().map(|message| message.listing.map(|it| it.id)).collect::<Vec<_>>() as _,
        &messages.iter().map(|message| message.body.clone()).collect::<Vec<_>>(),
        now,
        max_attempts,
        &messages.iter().map(|message| message.created_at).collect::<Vec<_>>(),
        &messages.iter().map(recipients).collect::<Vec<_>>() as _,
    )
    .fetch_one(&mut *connection)
    .await?;
    message_positions::number(connection, &ids).await
}

/// The recipients of a message as the text of an array: `unnest` flattens arrays of arrays.
fn recipients(message: &Message) -> Option<String> {
    let accounts = message.recipients.as_ref()?.iter();
    let texts: Vec<String> = accounts.map(Uuid::to_string).collect();
    Some(format!("{{{}}}", texts.join(",")))
}

/// Inserts a test message and its delivery to one endpoint, whatever events the endpoint has selected. Returns the delivery's id;
/// `None` if the message was sent before.
pub async fn send_to(
    connection: &mut PgConnection,
    message: &Message,
    endpoint: Uuid,
    max_attempts: i32,
    now: OffsetDateTime,
) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        "with made as (
             insert into webhook.message (id, event, listing_kind, listing_id, body, created_at)
             values ($1, $2, $3, $4, $5, $7)
             on conflict (id) do nothing
             returning id
         ), woken as (
             update webhook.queue set due_at = least(due_at, $7) where endpoint_id = $6
         )
         insert into webhook.waiting (endpoint_id, message_id, created_at, attempts_left, due_at, is_test)
         select $6, id, $7, $8, $7, true from made
         returning id",
        message.id,
        message.event.as_str(),
        message.listing.map(|it| it.kind),
        message.listing.map(|it| it.id),
        &message.body,
        endpoint,
        now,
        max_attempts,
    )
    .fetch_optional(connection)
    .await
}

/// A stored message.
#[derive(Debug)]
pub struct StoredMessage {
    pub id: Uuid,
    pub event: String,
    /// Whether it is a test: it is about no listing.
    pub is_test: bool,
    /// Exactly as it is sent.
    pub body: Bytes,
}

/// The messages with these ids.
pub async fn find(pool: &PgPool, ids: &[Uuid]) -> Result<Vec<StoredMessage>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select id, event, listing_id is null as "is_test!", body from webhook.message where id = any($1)"#,
        ids
    ).fetch_all(pool).await?.into_iter();
    let messages = rows.map(|row| StoredMessage {
        id: row.id,
        event: row.event,
        is_test: row.is_test,
        body: row.body.into(),
    });
    Ok(messages.collect())
}
