//! The table of events.

use serde_json::Value;
use sqlx::PgConnection;
use sqlx::types::Json;
use time::OffsetDateTime;
use uuid::Uuid;

use super::revisions::{Revision, update_and_append};
use super::{ListingTable, LockedRows, RecordTable, listings, unwrap_json};
use crate::domain::entity::Entity;
use crate::domain::event::Event;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;

impl RecordTable for Listing<Event> {
    async fn lock(
        connection: &mut PgConnection,
        mode: Mode,
        names: &[String],
    ) -> Result<LockedRows<Self>, sqlx::Error> {
        let locked = sqlx::query_scalar!(
            r#"select to_json(event) as "listing!: Json<Self>" from listings.event
               where mode = $1 and slug = any($2) for no key update skip locked"#,
            mode.as_str(),
            names
        )
        .fetch_all(&mut *connection)
        .await?;
        if locked.len() == names.len() {
            return Ok(LockedRows::all(unwrap_json(locked)));
        }
        let present = listings::names(connection, Entity::Event, mode, names).await?;
        Ok(LockedRows::of(unwrap_json(locked), present))
    }

    async fn save(connection: &mut PgConnection, records: &Value) -> Result<(), sqlx::Error> {
        sqlx::query!(
            "insert into listings.event (
                 id, mode, state, revision, slug, title, kind, starts_at, ends_at, country_code, city, city_slug,
                 online, website, description, source, created_at, first_published_at, updated_at, submitter,
                 waiting_since
             )
             select
                 id, mode, state, revision, slug, title, kind, starts_at, ends_at, country_code, city, city_slug,
                 online, website, description, source, created_at, first_published_at, updated_at, submitter,
                 waiting_since
             from jsonb_populate_recordset(null::listings.event, $1)
             on conflict (id) do update set
                 state = excluded.state, revision = excluded.revision, title = excluded.title, kind = excluded.kind,
                 starts_at = excluded.starts_at, ends_at = excluded.ends_at, country_code = excluded.country_code,
                 city = excluded.city, city_slug = excluded.city_slug, online = excluded.online,
                 website = excluded.website, description = excluded.description, source = excluded.source,
                 created_at = excluded.created_at, first_published_at = excluded.first_published_at, updated_at = excluded.updated_at,
                 submitter = excluded.submitter, waiting_since = excluded.waiting_since",
            records
        )
        .execute(connection)
        .await?;
        Ok(())
    }
}

impl ListingTable for Listing<Event> {
    async fn update(
        connection: &mut PgConnection,
        at: OffsetDateTime,
        revision: Revision,
    ) -> Result<(), sqlx::Error> {
        update_and_append!(
            "update listings.event set (
                 state, revision, title, kind, starts_at, ends_at, country_code, city, city_slug, online, website,
                 description, source, created_at, first_published_at, updated_at, submitter, waiting_since
             ) = (
                 select
                     new.state, new.revision, new.title, new.kind, new.starts_at, new.ends_at, new.country_code,
                     new.city, new.city_slug, new.online, new.website, new.description, new.source, new.created_at, new.first_published_at,
                     new.updated_at, new.submitter, new.waiting_since
                 from jsonb_populate_record(event, $2) as new
             )
             where id = $1",
            Entity::Event,
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
            r#"select to_json(event) as "listing!: Json<Self>" from listings.event where mode = $1 and slug = any($2)"#,
            mode.as_str(),
            names
        )
        .fetch_all(connection)
        .await?;
        Ok(unwrap_json(found))
    }
}

/// Locks the next events after an id, in both datasets. A row that another transaction has locked is an error (55P03), so that no row is
/// skipped.
pub async fn lock_batch(
    connection: &mut PgConnection,
    after: Uuid,
    limit: i64,
) -> Result<Vec<Listing<Event>>, sqlx::Error> {
    let rows = sqlx::query_scalar!(
        r#"select to_json(event) as "listing!: Json<Listing<Event>>" from listings.event
           where id > $1 order by id limit $2 for no key update nowait"#,
        after,
        limit
    )
    .fetch_all(connection)
    .await?;
    Ok(unwrap_json(rows))
}
