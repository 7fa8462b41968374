//! The table of pages.

use std::collections::HashMap;

use serde_json::Value;
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::revisions::{Revision, update_and_append};
use super::{ListingTable, LockedRows, RecordTable, listings, unwrap_json};
use crate::domain::entity::Entity;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::page::Page;

impl RecordTable for Listing<Page> {
    async fn lock(
        connection: &mut PgConnection,
        mode: Mode,
        names: &[String],
    ) -> Result<LockedRows<Self>, sqlx::Error> {
        let locked = sqlx::query_scalar!(
            r#"select to_json(page) as "listing!: Json<Self>" from listings.page
               where mode = $1 and handle = any($2) for no key update skip locked"#,
            mode.as_str(),
            names
        )
        .fetch_all(&mut *connection)
        .await?;
        if locked.len() == names.len() {
            return Ok(LockedRows::all(unwrap_json(locked)));
        }
        let present = listings::names(connection, Entity::Page, mode, names).await?;
        Ok(LockedRows::of(unwrap_json(locked), present))
    }

    async fn save(connection: &mut PgConnection, records: &Value) -> Result<(), sqlx::Error> {
        sqlx::query!(
            "insert into listings.page (
                 id, mode, state, revision, handle, name, kind, roles, tagline, bio, avatar_url, country_code, city,
                 city_slug, verified, links, source, created_at, first_published_at, updated_at, submitter,
                 waiting_since
             )
             select
                 id, mode, state, revision, handle, name, kind, roles, tagline, bio, avatar_url, country_code, city,
                 city_slug, verified, links, source, created_at, first_published_at, updated_at, submitter,
                 waiting_since
             from jsonb_populate_recordset(null::listings.page, $1)
             on conflict (id) do update set
                 state = excluded.state, revision = excluded.revision, name = excluded.name, kind = excluded.kind,
                 roles = excluded.roles, tagline = excluded.tagline, bio = excluded.bio,
                 avatar_url = excluded.avatar_url, country_code = excluded.country_code, city = excluded.city,
                 city_slug = excluded.city_slug, verified = excluded.verified, links = excluded.links,
                 source = excluded.source, created_at = excluded.created_at, first_published_at = excluded.first_published_at, updated_at = excluded.updated_at,
                 submitter = excluded.submitter, waiting_since = excluded.waiting_since",
            records
        )
        .execute(connection)
        .await?;
        Ok(())
    }
}

impl ListingTable for Listing<Page> {
    async fn update(
        connection: &mut PgConnection,
        at: OffsetDateTime,
        revision: Revision,
    ) -> Result<(), sqlx::Error> {
        update_and_append!(
            "update listings.page set (
                 state, revision, name, kind, roles, tagline, bio, avatar_url, country_code, city, city_slug,
                 verified, links, source, created_at, first_published_at, updated_at, submitter, waiting_since
             ) = (
                 select
                     new.state, new.revision, new.name, new.kind, new.roles, new.tagline, new.bio, new.avatar_url,
                     new.country_code, new.city, new.city_slug, new.verified, new.links, new.source, new.created_at, new.first_published_at,
                     new.updated_at, new.submitter, new.waiting_since
                 from jsonb_populate_record(page, $2) as new
             )
             where id = $1",
            Entity::Page,
            at,
            revision
        )
        .execute(connection)
        .await?;
        Ok(())
    }

    async fn find(
        connection: &mut PgConnection,
        mode: Mode,
        names: &[String],
    ) -> Result<Vec<Self>, sqlx::Error> {
        let found = sqlx::query_scalar!(
            r#"select to_json(page) as "listing!: Json<Self>" from listings.page where mode = $1 and handle = any($2)"#,
            mode.as_str(),
            names
        )
        .fetch_all(connection)
        .await?;
        Ok(unwrap_json(found))
    }
}

/// Locks the next pages after an id, in both datasets. A row that another transaction has locked is an error (55P03), so that no row is
/// skipped.
pub async fn lock_batch(
    connection: &mut PgConnection,
    after: Uuid,
    limit: i64,
) -> Result<Vec<Listing<Page>>, sqlx::Error> {
    let rows = sqlx::query_scalar!(
        r#"select to_json(page) as "listing!: Json<Listing<Page>>" from listings.page
           where id > $1 order by id limit $2 for no key update nowait"#,
        after,
        limit
    )
    .fetch_all(connection)
    .await?;
    Ok(unwrap_json(rows))
}

pub async fn with_ids(
    connection: &mut PgConnection,
    ids: &[Uuid],
) -> Result<Vec<Listing<Page>>, sqlx::Error> {
    let rows = sqlx::query_scalar!(
        r#"select to_json(page) as "listing!: Json<Listing<Page>>" from listings.page where id = any($1)"#,
        ids
    )
    .fetch_all(connection)
    .await?;
    Ok(unwrap_json(rows))
}

/// Locks a page, and tells whether it is public; `None` while another transaction has locked it.
pub async fn lock_state(
    connection: &mut PgConnection,
    page: Uuid,
) -> Result<Option<bool>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select state = 'published' as "is_public!" from listings.page where id = $1 for no key update skip locked"#,
        page
    )
    .fetch_optional(connection)
    .await
}

/// Locks pages against a change of their state; returns those that are public or not, by id. Skips pages that another transaction has
/// locked.
pub async fn share_states(
    connection: &mut PgConnection,
    pages: &[Uuid],
) -> Result<HashMap<Uuid, bool>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select id, state = 'published' as "is_public!" from listings.page where id = any($1) for share skip locked"#,
        pages
    )
    .fetch_all(connection)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.id, row.is_public))
        .collect())
}

/// Pages whose games do not all follow their state: a process stopped between two batches of them.
pub async fn with_unfollowing_games(pool: &PgPool) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select page.id as "id!" from listings.page
           where page.state <> 'published'
               and exists (select from listings.game where page_id = page.id and not hidden_by_page)
           union
           select page.id from listings.game join listings.page on page.id = game.page_id
           where game.hidden_by_page and page.state = 'published'"#
    )
    .fetch_all(pool)
    .await
}
