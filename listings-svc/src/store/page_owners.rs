//! Whose pages are.

use serde::Deserialize;
use sqlx::types::Json;
use sqlx::{PgConnection, PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::listing::Listing;
use crate::domain::page::Page;
use crate::domain::state::State;

/// How a page came to its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantSource {
    /// Granted to it by a claim.
    Claim,
    /// Given to it by staff.
    Staff,
}

impl GrantSource {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Staff => "staff",
        }
    }
}

/// A page of an account, as far as it matters to what stands under it.
#[derive(Debug, Clone, Deserialize)]
pub struct OwnedPage {
    /// Whose it is.
    pub account: Uuid,
    /// Of the page.
    pub id: Uuid,
    /// Its name in addresses.
    pub handle: String,
    /// Its name for people.
    pub name: String,
    /// Where its owner is.
    pub country_code: String,
    /// In that country; empty when not known.
    pub city: String,
    /// Nothing is sent in under a page that was rejected or taken down (§4.3).
    pub state: Json<State>,
}

/// Which page is meant.
#[derive(Debug, Clone, Copy)]
pub enum PageRef<'a> {
    /// The one with this id.
    Id(Uuid),
    /// The live one with this handle.
    Handle(&'a str),
}

impl<'a> PageRef<'a> {
    const fn parts(self) -> (Option<Uuid>, Option<&'a str>) {
        match self {
            Self::Id(id) => (Some(id), None),
            Self::Handle(handle) => (None, Some(handle)),
        }
    }
}

/// The page if it belongs to the account, whatever its state; `$lock` ends the statement.
macro_rules! owned_page {
    ($account:expr, $which:expr, $lock:literal) => {{
        let (id, handle) = $which.parts();
        sqlx::query_as!(
            OwnedPage,
            r#"select owner.account_id as account, page.id, page.handle, page.name, page.country_code, page.city,
                   to_json(page.state) as "state!: Json<State>"
               from listings.page
               join listings.page_owner as owner on owner.page_id = page.id
               where owner.account_id = $1 and (page.id = $2 or page.mode = 'live' and page.handle = $3) "# + $lock,
            $account,
            id,
            handle
        )
    }};
}

/// The page if it belongs to the account, whatever its state.
pub async fn find(
    connection: &mut PgConnection,
    account: Uuid,
    which: PageRef<'_>,
) -> Result<Option<OwnedPage>, sqlx::Error> {
    owned_page!(account, which, "")
        .fetch_optional(connection)
        .await
}

/// The same, and nobody changes the page until the transaction ends. `None` as well while somebody else is changing it.
pub async fn lock(
    connection: &mut PgConnection,
    account: Uuid,
    which: PageRef<'_>,
) -> Result<Option<OwnedPage>, sqlx::Error> {
    owned_page!(account, which, "for share of page skip locked")
        .fetch_optional(connection)
        .await
}

/// Gives a new page to the account that sent it in.
pub async fn add_submitter(
    connection: &mut PgConnection,
    page: Uuid,
    account: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into listings.page_owner (page_id, account_id, by_way_of, since) values ($1, $2, 'submission', $3)",
        page,
        account,
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Gives a page to an account; false when it has it already.
pub async fn add(
    connection: &mut PgConnection,
    page: Uuid,
    account: Uuid,
    source: GrantSource,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let result = sqlx::query!(
        "insert into listings.page_owner (page_id, account_id, by_way_of, since) values ($1, $2, $3, $4)
         on conflict (page_id, account_id) do nothing",
        page,
        account,
        source.as_str(),
        now
    )
    .execute(connection)
    .await?;
    Ok(result.rows_affected() > 0)
}

/// Takes a page from an account; false when it did not have it.
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

/// An owner of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Which account.
    pub account_id: Uuid,
    /// `submission`, `claim` or `staff`.
    pub by_way_of: String,
    /// Since when.
    pub since: OffsetDateTime,
}

/// The owners of a page, the first of them first.
pub async fn of_page(executor: impl PgExecutor<'_>, page: Uuid) -> Result<Vec<Owner>, sqlx::Error> {
    sqlx::query_as!(
        Owner,
        "select account_id, by_way_of, since from listings.page_owner where page_id = $1 order by since, account_id",
        page
    )
    .fetch_all(executor)
    .await
}

/// The accounts that own these pages, page by page, the first owner first; a page without an owner is left out.
pub async fn of_pages(
    connection: &mut PgConnection,
    pages: &[Uuid],
) -> Result<Vec<(Uuid, Vec<Uuid>)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select page_id, array_agg(account_id order by since, account_id) as "accounts!"
           from listings.page_owner where page_id = any($1) group by page_id"#,
        pages
    )
    .fetch_all(connection)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.page_id, row.accounts))
        .collect())
}

/// The pages of an account in any state, by handle.
pub async fn pages_of(pool: &PgPool, account: Uuid) -> Result<Vec<Listing<Page>>, sqlx::Error> {
    let rows = sqlx::query_scalar!(
        r#"select to_json(page) as "page!: Json<Listing<Page>>" from listings.page
           where id in (select page_id from listings.page_owner where account_id = $1) order by handle"#,
        account
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|Json(page)| page).collect())
}
