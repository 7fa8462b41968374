//! `webhook.listing`.

use std::collections::HashMap;

use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

/// What this service stores of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub kind: &'static str,
    pub id: Uuid,
    pub published: bool,
    /// The time of the newest change in the feed of listings-svc.
    pub changed_at: OffsetDateTime,
}

/// Whether the listing of a message is public.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListingState {
    /// It is public, or the message is a test.
    Published,
    Unpublished,
    /// It is not known to be public, and the follower of listings may be behind.
    Awaited,
}

/// Inserts or updates listings in one statement. The last of several rows with one id wins. Marks the rows
/// with `generation` (`kit::feed`).
pub async fn upsert(
    connection: &mut PgConnection,
    generation: Uuid,
    rows: Vec<Row>,
) -> Result<(), sqlx::Error> {
    // One statement cannot touch a row twice.
    let newest: HashMap<(&str, Uuid), Row> =
        rows.into_iter().map(|row| ((row.kind, row.id), row)).collect();
    let rows: Vec<Row> = newest.into_values().collect();
    sqlx::query!(
        "insert into webhook.listing (generation, kind, id, published, changed_at)
         select $1, * from unnest($2::text[], $3::uuid[], $4::boolean[], $5::timestamptz[])
         on conflict (kind, id) do update set generation = excluded.generation, published = excluded.published,
             changed_at = excluded.changed_at",
        generation,
        &rows.iter().map(|row| row.kind.to_owned()).collect::<Vec<_>>(),
        &rows.iter().map(|row| row.id).collect::<Vec<_>>(),
        &rows.iter().map(|row| row.published).collect::<Vec<_>>(),
        &rows.iter().map(|row| row.changed_at).collect::<Vec<_>>(),
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The states of the listings of these messages, by message. Tests are left out.
pub async fn states(
    pool: &PgPool,
    messages: &[Uuid],
    now: OffsetDateTime,
) -> Result<HashMap<Uuid, ListingState>, sqlx::Error> {
    let found = sqlx::query!(
        r#"select message.id as "id!", coalesce(published, false) as "published!",
               webhook.waits_for_listing(event, created_at, changed_at, $2) as "waits!"
           from webhook.message
           left join webhook.listing on listing.kind = message.listing_kind and listing.id = message.listing_id
           where message.id = any($1) and message.listing_id is not null"#,
        messages,
        now,
    ).fetch_all(pool).await?.into_iter();
    Ok(found
        .map(|row| {
            let state = match (row.published, row.waits) {
                (true, _) => ListingState::Published,
                (false, true) => ListingState::Awaited,
                (false, false) => ListingState::Unpublished,
            };
            (row.id, state)
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SCHEMA;

    fn row(kind: &'static str, published: bool) -> Row {
        Row { kind, id: Uuid::from_u128(7), published, changed_at: OffsetDateTime::UNIX_EPOCH }
    }

    #[testing::database_test(crate::MIGRATOR)]
    async fn the_last_state_counts_and_a_sweep_leaves_one_generation(pool: PgPool) {
        let mut connection = pool.acquire().await.unwrap();
        let (old, new) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let rows = vec![row("game", true), row("page", true), row("game", false)];
        upsert(&mut connection, old, rows).await.unwrap();
        let stored = async || {
            let rows = sqlx::query!("select kind, published from webhook.listing order by kind")
                .fetch_all(&pool)
                .await
                .unwrap()
                .into_iter()
                .map(|row| (row.kind, row.published));
            rows.collect::<Vec<_>>()
        };
        let (game, page) = ("game".to_owned(), "page".to_owned());
        assert_eq!(stored().await, [(game.clone(), false), (page, true)]);
        upsert(&mut connection, new, vec![row("game", true)]).await.unwrap();
        kit::feed::sweep(SCHEMA, &mut connection, &["listing"], new).await.unwrap();
        assert_eq!(stored().await, [(game, true)]);
    }
}
