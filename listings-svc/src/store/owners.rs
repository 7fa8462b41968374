//! Whose pages are.

use sqlx::types::Json;
use sqlx::{PgConnection, PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::listing::Listing;
use crate::domain::page::Page;
use crate::domain::state::State;

/// How a page came to its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Granted to it by a claim.
    Claim,
    /// Given to it by staff.
    Staff,
}

impl Way {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Staff => "staff",
        }
    }
}

/// A page of an account, as far as it matters to what stands under it.
#[derive(Debug, Clone)]
pub struct Owned {
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

/// Of the pages with these ids or handles, those that belong to the account, whatever their state.
pub async fn find(
    connection: &mut PgConnection,
    account: Uuid,
    ids: &[Uuid],
    handles: &[String],
) -> Result<Vec<Owned>, sqlx::Error> {
    sqlx::query_as!(
        Owned,
        r#"select owner.account_id as account, page.id, page.handle, page.name, page.country_code, page.city,
               to_json(page.state) as "state!: Json<State>"
           from listings.page
           join listings.page_owner as owner on owner.page_id = page.id
           where owner.account_id = $1 and page.id = any(
               $2 || array(select id from listings.page where mode = 'live' and handle = any($3))
           )"#,
        account,
        ids,
        handles
    )
    .fetch_all(connection)
    .await
}

/// Gives a new page to the account that sent it in.
pub async fn found(
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
    way: Way,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "insert into listings.page_owner (page_id, account_id, by_way_of, since) values ($1, $2, $3, $4)
         on conflict (page_id, account_id) do nothing",
        page,
        account,
        way.as_str(),
        now
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Takes a page from an account; false when it did not have it.
pub async fn remove(
    connection: &mut PgConnection,
    page: Uuid,
    account: Uuid,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "delete from listings.page_owner where page_id = $1 and account_id = $2",
        page,
        account
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected() > 0)
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
