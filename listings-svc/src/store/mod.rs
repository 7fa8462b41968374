//! The SQL of listings-svc, in schema `listings`, one file per resource. The build checks the statements.

pub mod accounts;
pub mod audit;
pub mod constraints;
pub mod events;
pub mod games;
pub mod gazetteer;
pub mod history;
pub mod imports;
pub mod listings;
pub mod members;
pub mod own_listings;
pub mod page_owners;
pub mod pages;
pub mod pictures;
pub mod queue;
pub mod reference_data;
pub mod revisions;
pub mod startup_tasks;
pub mod tickets;

use std::future::Future;

use serde::Serialize;
use serde_json::Value;
use sqlx::PgConnection;
use sqlx::types::Json;
use time::OffsetDateTime;

use crate::domain::mode::Mode;
use crate::domain::record::Record;
use revisions::Revision;

/// A record in the form that [`RecordTable::save`] and the revisions take.
pub fn to_json_row(record: &impl Serialize) -> Result<Value, sqlx::Error> {
    serde_json::to_value(record).map_err(|error| sqlx::Error::Encode(error.into()))
}

fn unwrap_json<T>(rows: Vec<Json<T>>) -> Vec<T> {
    rows.into_iter().map(|Json(record)| record).collect()
}

/// The result of locking records.
#[derive(Debug)]
pub struct LockedRows<T> {
    /// The locked records.
    pub rows: Vec<T>,
    /// Names of the records that another transaction has locked.
    pub locked_elsewhere: Vec<String>,
}

impl<T> LockedRows<T> {
    fn all(rows: Vec<T>) -> Self {
        Self {
            rows,
            locked_elsewhere: Vec::new(),
        }
    }

    /// `present` names the records that exist; the ones that are not in `rows` are locked elsewhere.
    fn of(rows: Vec<T>, present: Vec<String>) -> Self
    where
        T: Record,
    {
        let locked = Self::all(rows);
        let is_locked = |name: &String| locked.rows.iter().any(|record| record.key() == name);
        let locked_elsewhere = present
            .into_iter()
            .filter(|name| !is_locked(name))
            .collect();
        Self {
            locked_elsewhere,
            ..locked
        }
    }

    /// All records that exist; `None` when another transaction has locked one of them.
    pub fn complete(self) -> Option<Vec<T>> {
        self.locked_elsewhere.is_empty().then_some(self.rows)
    }
}

/// A record with a table of its own.
///
/// A batch travels as one jsonb value whose fields are the columns of the table: PostgreSQL takes no array of arrays of different lengths,
/// such as the genres of many games.
pub trait RecordTable: Sized + Send {
    /// Locks the records with these names, in the order of the names. Skips records that another transaction has locked.
    fn lock(
        connection: &mut PgConnection,
        mode: Mode,
        names: &[String],
    ) -> impl Future<Output = Result<LockedRows<Self>, sqlx::Error>> + Send;

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
