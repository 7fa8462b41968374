//! The table of listings, each row with its revisions.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;
use sqlx::error::BoxDynError;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

use super::to_json_row;
use crate::domain::entity::Entity;
use crate::domain::listing::{Content, Listing};
use crate::domain::listing_name::ListingName;
use crate::domain::mode::Mode;
use crate::domain::slug;
use crate::domain::state::StateCause;

/// A row of the table.
#[derive(Debug)]
pub struct ListingRow {
    pub id: Uuid,
    pub entity: String,
    pub mode: String,
    pub state: String,
    pub state_by: Option<Uuid>,
    pub state_at: OffsetDateTime,
    pub state_reason: Option<String>,
    pub revision: i64,
    pub submitter: Option<Uuid>,
    pub waiting_since: Option<OffsetDateTime>,
    pub created_at: OffsetDateTime,
    pub first_published_at: Option<OffsetDateTime>,
    pub hidden_by_page: bool,
    pub updated_at: OffsetDateTime,
    pub content: Value,
}

impl ListingRow {
    /// The listing. The error names the row: a newer version may have written what this one does not know, such as a state.
    pub fn read(self) -> Result<Listing, sqlx::Error> {
        let row = format!("the {} {}", self.entity, self.id);
        let listing = self.parse();
        listing.map_err(|error| {
            tracing::error!(%error, "{row} cannot be read");
            sqlx::Error::Decode(format!("{row} cannot be read: {error}").into())
        })
    }

    /// The slug or the handle, as the column `name` has it.
    fn name(&self) -> String {
        let name = self.content.get("handle").or_else(|| self.content.get("slug"));
        name.and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    fn parse(self) -> Result<Listing, BoxDynError> {
        Ok(Listing {
            id: self.id,
            mode: self.mode.parse()?,
            state: self.state.parse()?,
            cause: StateCause {
                account: self.state_by,
                at: self.state_at,
                reason: self.state_reason,
            },
            revision: self.revision,
            submitter: self.submitter,
            waiting_since: self.waiting_since,
            created_at: self.created_at,
            first_published_at: self.first_published_at,
            hidden_by_page: self.hidden_by_page,
            updated_at: self.updated_at,
            content: Content::read(self.entity.parse()?, self.content)?,
        })
    }
}

/// Selects rows by a clause.
macro_rules! select_rows {
    ($clause:literal, $($argument:expr),+ $(,)?) => {
        sqlx::query_as!(
            ListingRow,
            "select id, entity, mode, state, state_by, state_at, state_reason, revision, submitter, waiting_since, created_at,
                 first_published_at, hidden_by_page, updated_at, content
             from listings.listing " + $clause,
            $($argument),+
        )
    };
}

/// Selects listings by a clause.
macro_rules! select_listings {
    ($clause:literal, $($argument:expr),+ $(,)?) => {
        $crate::store::listings::select_rows!($clause, $($argument),+).try_map(ListingRow::read)
    };
}

pub(super) use {select_listings, select_rows};

/// The listing with this name.
pub async fn find(
    executor: impl PgExecutor<'_>,
    name: &ListingName,
) -> Result<Option<Listing>, sqlx::Error> {
    // A name that is not a slug matches nothing, and PostgreSQL does not accept NUL.
    if !slug::is_valid(&name.key) {
        return Ok(None);
    }
    select_listings!(
        "where entity = $1 and mode = $2 and name = $3",
        name.entity.as_str(),
        name.mode.as_str(),
        name.key
    )
    .fetch_optional(executor)
    .await
}

pub async fn find_by_id(
    executor: impl PgExecutor<'_>,
    id: Uuid,
) -> Result<Option<Listing>, sqlx::Error> {
    select_listings!("where id = $1", id).fetch_optional(executor).await
}

/// Like [`find`], and nobody else changes the listing until the transaction ends.
pub async fn lock(
    connection: &mut PgConnection,
    name: &ListingName,
) -> Result<Option<Listing>, sqlx::Error> {
    if !slug::is_valid(&name.key) {
        return Ok(None);
    }
    let names = std::slice::from_ref(&name.key);
    let locked = lock_all(connection, name.entity, name.mode, names).await?;
    locked.into_iter().next().map(|(_, listing)| listing).transpose()
}

/// Locks the listings with these names, and returns each with its name. One that this version
/// cannot read is an error of its own.
pub async fn lock_all(
    connection: &mut PgConnection,
    entity: Entity,
    mode: Mode,
    names: &[String],
) -> Result<Vec<(String, Result<Listing, sqlx::Error>)>, sqlx::Error> {
    let rows = select_rows!(
        "where entity = $1 and mode = $2 and name = any($3) order by id for no key update",
        entity.as_str(),
        mode.as_str(),
        names
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|row| (row.name(), row.read())).collect())
}

/// Locks the games of a page.
pub async fn lock_games(
    connection: &mut PgConnection,
    page: Uuid,
) -> Result<Vec<Listing>, sqlx::Error> {
    select_listings!("where page_id = $1 order by id for no key update", page)
        .fetch_all(connection)
        .await
}

/// Locks pages against a change of their state; returns whether each is public, by id.
pub async fn share_pages(
    connection: &mut PgConnection,
    pages: &[Uuid],
) -> Result<HashMap<Uuid, bool>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select id, state = 'published' as "is_public!" from listings.listing where id = any($1) order by id for share"#,
        pages
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.is_public)).collect())
}

/// A revision of a listing: who changed what.
#[derive(Debug, Clone, Serialize)]
pub struct Revision {
    pub id: Uuid,
    #[serde(rename = "revision")]
    pub number: i64,
    /// `import`, `staff` or `account`.
    pub actor_kind: &'static str,
    /// The file, the member or the account.
    pub actor: String,
    /// The old values of the changed fields, and the old `state`; `None` for the first revision.
    pub before: Option<Value>,
    /// The new values of the changed fields, and the new `state`; the whole listing for the first revision.
    pub after: Value,
    pub reason: Option<String>,
}

/// Inserts new listings and updates changed ones, and appends their revisions. A game that only follows its page has none.
///
/// Of the content, an update writes the fields that the revision changed: a replica of an older version must not delete fields that it does
/// not know.
pub async fn save(
    connection: &mut PgConnection,
    listings: &[Listing],
    revisions: &[Revision],
    at: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "with changed as (
             select id, after - '{state,submitter}'::text[] as fields from jsonb_populate_recordset(null::listings.revision, $2)
         ), saved as (
             insert into listings.listing as stored (
                 id, entity, mode, state, state_by, state_at, state_reason, revision, submitter, waiting_since, created_at,
                 first_published_at, hidden_by_page, updated_at, content
             )
             select
                 id, entity, mode, state, state_by, state_at, state_reason, revision, submitter, waiting_since, created_at,
                 first_published_at, hidden_by_page, updated_at, content
             from jsonb_populate_recordset(null::listings.listing, $1)
             on conflict (id) do update set
                 state = excluded.state, state_by = excluded.state_by, state_at = excluded.state_at,
                 state_reason = excluded.state_reason, revision = excluded.revision, submitter = excluded.submitter,
                 waiting_since = excluded.waiting_since, created_at = excluded.created_at,
                 first_published_at = excluded.first_published_at, hidden_by_page = excluded.hidden_by_page,
                 updated_at = excluded.updated_at,
                 content = stored.content || coalesce((select fields from changed where changed.id = stored.id), '{}')
         )
         insert into listings.revision (id, revision, at, actor_kind, actor, before, after, reason)
         select id, revision, $3, actor_kind, actor, before, after, reason
         from jsonb_populate_recordset(null::listings.revision, $2)",
        to_json_row(&listings)?,
        to_json_row(&revisions)?,
        at
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Which of these names listings have.
pub async fn names(
    connection: &mut PgConnection,
    entity: Entity,
    mode: Mode,
    names: &[String],
) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!(
        "select name from listings.listing where entity = $1 and mode = $2 and name = any($3)",
        entity.as_str(),
        mode.as_str(),
        names
    )
    .fetch_all(connection)
    .await
}

/// The accounts that own a listing.
pub async fn owners(connection: &mut PgConnection, id: Uuid) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select account_id as "account!" from listings.listing
           join listings.page_owner on page_owner.page_id = coalesce(listing.page_id, listing.id)
           where listing.id = $1
           union all
           select submitter from listings.listing where id = $1 and entity = 'event' and submitter is not null
           order by 1"#,
        id
    )
    .fetch_all(connection)
    .await
}
