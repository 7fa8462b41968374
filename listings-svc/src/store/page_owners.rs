//! The owners of pages.

use sqlx::types::Json;
use sqlx::{PgConnection, PgExecutor, PgPool};
use strum::IntoStaticStr;
use time::OffsetDateTime;
use uuid::Uuid;

use super::listings::ListingRow;
use super::readable;
use crate::domain::listing::Listing;
use crate::domain::state::ListingState as State;

/// How an account became an owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum GrantSource {
    Submission,
    Claim,
    Staff,
}

/// A page of an account, with the fields that its games need.
#[derive(Debug, Clone)]
pub struct OwnedPage {
    pub id: Uuid,
    pub handle: String,
    pub country_code: String,
    /// Empty when unknown.
    pub city: String,
    /// Nothing can be submitted under a page that was rejected or taken down (§4.3).
    pub state: State,
}

/// Identifies a page.
#[derive(Debug, Clone, Copy)]
pub enum PageRef<'a> {
    Id(Uuid),
    /// A live page.
    Handle(&'a str),
}

/// The page if the account owns it, in any state.
pub async fn find(
    connection: &mut PgConnection,
    account: Uuid,
    which: PageRef<'_>,
) -> Result<Option<OwnedPage>, sqlx::Error> {
    let (id, handle) = match which {
        PageRef::Id(id) => (Some(id), None),
        PageRef::Handle(handle) => (None, Some(handle)),
    };
    sqlx::query_as!(
        OwnedPage,
        r#"select page.id, page.name as handle, page.content ->> 'country_code' as "country_code!",
               page.content ->> 'city' as "city!", to_json(page.state) as "state!: Json<State>"
           from listings.listing as page
           join listings.page_owner as owner on owner.page_id = page.id
           where owner.account_id = $1 and (page.id = $2 or page.entity = 'page' and page.mode = 'live' and page.name = $3)"#,
        account,
        id,
        handle
    )
    .fetch_optional(connection)
    .await
}

/// Adds an owner; false when the account is an owner already.
pub async fn add(
    connection: &mut PgConnection,
    page: Uuid,
    account: Uuid,
    source: GrantSource,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let result = sqlx::query!(
        "insert into listings.page_owner (page_id, account_id, source, since) values ($1, $2, $3, $4)
         on conflict (page_id, account_id) do nothing",
        page,
        account,
        <&str>::from(source),
        now
    )
    .execute(connection)
    .await?;
    Ok(result.rows_affected() > 0)
}

/// Removes an owner; false when the account is not an owner.
pub async fn remove(
    connection: &mut PgConnection,
    page: Uuid,
    account: Uuid,
) -> Result<bool, sqlx::Error> {
    let result = sqlx::query!(
        "delete from listings.page_owner where page_id = $1 and account_id = $2",
        page,
        account
    )
    .execute(connection)
    .await?;
    Ok(result.rows_affected() > 0)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    pub account_id: Uuid,
    /// `submission`, `claim` or `staff`.
    pub source: String,
    pub since: OffsetDateTime,
}

/// The owners of a page, oldest first.
pub async fn list(executor: impl PgExecutor<'_>, page: Uuid) -> Result<Vec<Owner>, sqlx::Error> {
    sqlx::query_as!(
        Owner,
        "select account_id, source, since from listings.page_owner where page_id = $1 order by since, account_id",
        page
    )
    .fetch_all(executor)
    .await
}

/// Up to 500 pages of an account in any state, rejected pages last, by handle. The long fields are left out; `GetOwnListing` has them.
pub async fn pages_of(pool: &PgPool, account: Uuid) -> Result<Vec<Listing>, sqlx::Error> {
    let rows = sqlx::query_as!(
        ListingRow,
        r#"select id, entity, mode, state, state_by, state_at, state_reason, revision, submitter, waiting_since, created_at,
               first_published_at, hidden_by_page, updated_at, content || '{"bio": "", "links": {}}' as "content!"
           from listings.listing
           where id in (select page_id from listings.page_owner where account_id = $1)
           order by state = 'rejected', name limit 500"#,
        account
    )
    .fetch_all(pool)
    .await?;
    Ok(readable(rows.into_iter().map(ListingRow::read)))
}
