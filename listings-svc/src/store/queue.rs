//! What waits for its review, and the listings that staff search. Of the live world.

use sqlx::PgPool;
use sqlx::types::Json;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::domain::state::State;

/// Rows that [`page`] reads at most: those of the largest page, and one that tells whether there is another. The query states the number
/// itself, see there.
pub const MAX_ROWS: usize = 101;

/// A listing, as a reviewer sees it at first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueItem {
    /// Which one.
    pub id: Uuid,
    /// Its kind.
    pub kind: String,
    /// Its slug or handle.
    pub name: String,
    /// Its title, or the name on a page.
    pub title: String,
    /// Where it stands.
    pub state: Json<State>,
    /// Counts its changes.
    pub revision: i64,
    /// The account that sent it in.
    pub submitter: Option<Uuid>,
    /// Since when it waits, if it does.
    pub waiting_since: Option<OffsetDateTime>,
    /// Whether it was ever public.
    pub approved_before: bool,
    /// The handle of the page that a game stands under.
    pub page: Option<String>,
    /// Where that stands.
    pub page_state: Option<Json<State>>,
}

/// A listing that was searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult {
    /// Its kind.
    pub kind: String,
    /// Its slug or handle.
    pub name: String,
    /// Its title, or the name on a page.
    pub title: String,
    /// Where it stands.
    pub state: Json<State>,
    /// Counts its changes.
    pub revision: i64,
    /// The account that sent it in.
    pub submitter: Option<Uuid>,
    /// When it last changed.
    pub updated_at: OffsetDateTime,
}

/// What waits, the oldest first, those after `after`.
pub async fn page(
    pool: &PgPool,
    kind: Option<Entity>,
    after: Option<(OffsetDateTime, Uuid)>,
    limit: i64,
) -> Result<Vec<QueueItem>, sqlx::Error> {
    // A bound that is always there lets the scan begin at it. Nobody waited before 1970. What else there is to a row is asked with
    // limits, so that no plan takes the whole of those tables first. A limit that is written out, no page being longer, makes the plan for
    // any bounds as good as that for these, so that PostgreSQL keeps it: planning takes longer than the rest.
    let (since, id) = after.unwrap_or((OffsetDateTime::UNIX_EPOCH, Uuid::nil()));
    sqlx::query_as!(
        QueueItem,
        r#"select item.id as "id!", item.kind as "kind!", item.name as "name!", item.title as "title!",
             to_jsonb(item.state) as "state!: Json<State>", item.revision as "revision!", item.submitter, item.waiting_since,
             coalesce((
                 select true from listings.revision
                 where revision.entity = item.kind and revision.id = item.id and revision.after ->> 'state' = 'published'
                     and revision.before ->> 'state' is distinct from 'published'
                 limit 1
             ), false) as "approved_before!",
             page.handle as "page?", to_jsonb(page.state) as "page_state?: Json<State>"
         from (
             select * from (
                 select * from listings.listing
                 where state = 'pending' and mode = 'live' and ($1 = '' or kind = $1) and (waiting_since, id) > ($2, $3)
                 order by waiting_since, id limit 101
             ) as first order by waiting_since, id limit $4
         ) as item
         left join lateral (select handle, state from listings.page where page.id = item.page_id limit 1) as page on true
         order by item.waiting_since, item.id"#,
        kind.map_or("", Entity::as_str),
        since,
        id,
        limit
    )
    .fetch_all(pool)
    .await
}

/// How many wait.
pub async fn count(pool: &PgPool, kind: Option<Entity>) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from listings.listing
           where state = 'pending' and mode = 'live' and ($1 = '' or kind = $1)"#,
        kind.map_or("", Entity::as_str)
    )
    .fetch_one(pool)
    .await
}

/// The listing of that kind and name, whatever its state.
pub async fn find(
    pool: &PgPool,
    kind: Entity,
    name: &str,
) -> Result<Option<QueueItem>, sqlx::Error> {
    sqlx::query_as!(
        QueueItem,
        r#"select item.id as "id!", item.kind as "kind!", item.name as "name!", item.title as "title!",
             to_jsonb(item.state) as "state!: Json<State>", item.revision as "revision!", item.submitter, item.waiting_since,
             coalesce((
                 select true from listings.revision
                 where revision.entity = item.kind and revision.id = item.id and revision.after ->> 'state' = 'published'
                     and revision.before ->> 'state' is distinct from 'published'
                 limit 1
             ), false) as "approved_before!",
             page.handle as "page?", to_jsonb(page.state) as "page_state?: Json<State>"
         from listings.listing as item
         left join listings.page on page.id = item.page_id
         where item.kind = $1 and item.mode = 'live' and item.name = $2"#,
        kind.as_str(),
        name
    )
    .fetch_optional(pool)
    .await
}

/// A row of the feed, and the listing that entered the queue with it, if one did and still waits.
#[derive(Debug, Clone)]
pub struct FeedRow {
    /// The row.
    pub seq: i64,
    /// Kind and slug or handle.
    pub kind: Option<String>,
    /// The slug or handle.
    pub name: Option<String>,
}

/// What the next 500 rows of the feed above `after` have brought into the queue. Rows that brought nothing are among them, so that the last
/// one tells how far to go on from.
pub async fn entries_after(pool: &PgPool, after: i64) -> Result<Vec<FeedRow>, sqlx::Error> {
    sqlx::query_as!(
        FeedRow,
        r#"select change.seq as "seq!", item.kind as "kind?", item.name as "name?"
           from (
               select seq, entity, revision, case when entity in ('page', 'game', 'event') then id::uuid end as id
               from listings.feed where seq > $1 order by seq limit 500
           ) as change
           left join listings.revision as made
               on made.entity = change.entity and made.id = change.id and made.revision = change.revision
               and made.after ->> 'state' = 'pending' and coalesce(made.before ->> 'state', '') <> 'pending'
           left join listings.listing as item
               on item.kind = made.entity and item.id = made.id and item.state = 'pending' and item.mode = 'live'
           order by change.seq"#,
        after
    )
    .fetch_all(pool)
    .await
}

/// How far the feed has come, and in which life of the data.
pub async fn head(pool: &PgPool) -> Result<(Uuid, i64), sqlx::Error> {
    let head = sqlx::query!("select epoch, seq from listings.feed_head")
        .fetch_one(pool)
        .await?;
    Ok((head.epoch, head.seq))
}

/// Listings that have `text` in their name or title, by name and kind, those after `after`.
pub async fn search(
    pool: &PgPool,
    text: &str,
    kind: Option<Entity>,
    state: Option<&str>,
    after: Option<(String, String)>,
    limit: i64,
) -> Result<Vec<SearchResult>, sqlx::Error> {
    let (name, after_kind) = after.unwrap_or_default();
    sqlx::query_as!(
        SearchResult,
        r#"select kind as "kind!", name as "name!", title as "title!", to_jsonb(state) as "state!: Json<State>",
             revision as "revision!", submitter, updated_at as "updated_at!"
         from listings.listing
         where mode = 'live' and ($2 = '' or kind = $2) and ($3 = '' or state = $3)
             and (strpos(name, lower($1)) > 0 or strpos(lower(title), lower($1)) > 0)
             and name >= $4 and (name > $4 or kind > $5)
         order by name, kind limit $6"#,
        text,
        kind.map_or("", Entity::as_str),
        state.unwrap_or_default(),
        name,
        after_kind,
        limit
    )
    .fetch_all(pool)
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_is_read_as_far_as_a_page_goes() {
        let queries = include_str!("queue.rs")
            .split("query_as!")
            .collect::<Vec<_>>();
        assert!(queries[1].contains(&format!("order by waiting_since, id limit {MAX_ROWS}\n")));
    }
}
