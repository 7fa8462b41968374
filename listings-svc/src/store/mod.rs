//! The SQL of listings-svc, in schema `listings`, one file per resource. The build checks the statements.

pub mod accounts;
pub mod audit;
pub mod claims;
pub mod constraints;
pub mod events;
pub mod games;
pub mod history;
pub mod imports;
mod listing_table;
pub mod listings;
pub mod own_listings;
pub mod page_owners;
pub mod pages;
pub mod pictures;
pub mod queue;
pub mod reference_data;
pub mod revisions;
pub mod startup_tasks;

use std::future::Future;

use serde::Serialize;
use serde_json::Value;
use sqlx::PgConnection;
use sqlx::types::Json;
use time::OffsetDateTime;

use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::slug;
use crate::domain::state::ListingState;
use listing_table::listing_table;
use revisions::Revision;

/// A record in the form that [`RecordTable::save`] and the revisions take.
pub fn to_json_row(record: &impl Serialize) -> Result<Value, sqlx::Error> {
    serde_json::to_value(record).map_err(|error| sqlx::Error::Encode(error.into()))
}

/// Lets `query_as!` read a column of the state, which the statement converts to JSON, into a field of the type itself.
impl From<Json<ListingState>> for ListingState {
    fn from(Json(state): Json<Self>) -> Self {
        state
    }
}

fn unwrap_json<T>(rows: Vec<Json<T>>) -> Vec<T> {
    rows.into_iter().map(|Json(record)| record).collect()
}

/// The listing with this slug or handle, without a lock.
pub async fn find_listing<C>(
    connection: &mut PgConnection,
    mode: Mode,
    name: &str,
) -> Result<Option<Listing<C>>, sqlx::Error>
where
    Listing<C>: ListingTable,
{
    // A name that is not a slug matches nothing, and PostgreSQL does not accept NUL.
    if !slug::is_valid(name) {
        return Ok(None);
    }
    let found = Listing::<C>::find(connection, mode, &[name.to_owned()]).await?;
    Ok(found.into_iter().next())
}

/// A record with a table of its own.
///
/// A batch travels as one jsonb value whose fields are the columns of the table: PostgreSQL takes no array of arrays of different lengths,
/// such as the genres of many games.
pub trait RecordTable: Sized + Send {
    /// Locks the records with these names.
    fn lock(
        connection: &mut PgConnection,
        mode: Mode,
        names: &[String],
    ) -> impl Future<Output = Result<Vec<Self>, sqlx::Error>> + Send;

    /// Inserts new records and updates changed ones.
    fn save(
        connection: &mut PgConnection,
        records: &Value,
    ) -> impl Future<Output = Result<(), sqlx::Error>> + Send;
}

/// The table of a kind of listing: pages, games or events.
pub trait ListingTable: RecordTable {
    /// Finds the listings with these names, without a lock.
    fn find(
        connection: &mut PgConnection,
        mode: Mode,
        names: &[String],
    ) -> impl Future<Output = Result<Vec<Self>, sqlx::Error>> + Send;

    /// Updates only the fields that a revision changed, and appends the revision.
    fn update(
        connection: &mut PgConnection,
        at: OffsetDateTime,
        revision: Revision,
    ) -> impl Future<Output = Result<(), sqlx::Error>> + Send;
}
