//! What listings-svc keeps in PostgreSQL, in schema `listings`. A file a resource; the statements are checked when the crate is built.

pub mod accounts;
pub mod audit;
pub mod claims;
pub mod constraints;
pub mod events;
pub mod games;
pub mod gazetteer;
pub mod history;
pub mod imports;
pub mod known;
pub mod listings;
pub mod members;
pub mod own;
pub mod owners;
pub mod pages;
pub mod pictures;
pub mod queue;
pub mod revisions;
pub mod start_work;

use std::future::Future;

use serde::Serialize;
use serde_json::Value;
use sqlx::PgConnection;
use sqlx::types::Json;
use time::OffsetDateTime;

use crate::domain::mode::Mode;
use crate::domain::record::Record;
use revisions::Revision;

/// A record as [`Stored::save`] and its revisions take it.
pub fn to_row(record: &impl Serialize) -> Result<Value, sqlx::Error> {
    serde_json::to_value(record).map_err(|error| sqlx::Error::Encode(error.into()))
}

/// Records that came as JSON.
fn bare<T>(rows: Vec<Json<T>>) -> Vec<T> {
    rows.into_iter().map(|Json(record)| record).collect()
}

/// Records that were to be locked.
#[derive(Debug)]
pub struct Locked<T> {
    /// Those that are.
    pub held: Vec<T>,
    /// Names of those that somebody else has.
    pub elsewhere: Vec<String>,
}

impl<T> Locked<T> {
    /// All there are.
    fn all(held: Vec<T>) -> Self {
        Self {
            held,
            elsewhere: Vec::new(),
        }
    }

    /// Those of the `present` that are not held are elsewhere.
    fn of(held: Vec<T>, present: Vec<String>) -> Self
    where
        T: Record,
    {
        let locked = Self::all(held);
        let is_held = |name: &String| locked.held.iter().any(|record| record.key() == name);
        let elsewhere = present.into_iter().filter(|name| !is_held(name)).collect();
        Self {
            elsewhere,
            ..locked
        }
    }

    /// All that were asked for and exist; `None` when somebody else has one of them.
    pub fn whole(self) -> Option<Vec<T>> {
        self.elsewhere.is_empty().then_some(self.held)
    }
}

/// A listing that can be looked at without a lock.
pub trait Found: Sized {
    /// Those of these names that there are.
    fn find(
        connection: &mut PgConnection,
        mode: Mode,
        names: &[String],
    ) -> impl Future<Output = Result<Vec<Self>, sqlx::Error>> + Send;

    /// Which of these names are taken in the live world.
    fn taken(
        connection: &mut PgConnection,
        names: &[String],
    ) -> impl Future<Output = Result<Vec<String>, sqlx::Error>> + Send;
}

/// A listing of which only the fields are written that a change has touched.
pub trait Changed: Stored {
    /// Writes the fields that a revision has changed, and the revision with them.
    fn update(
        connection: &mut PgConnection,
        at: OffsetDateTime,
        revision: Revision,
    ) -> impl Future<Output = Result<(), sqlx::Error>> + Send;
}

/// A record with a table of its own.
///
/// Whole batches travel as one jsonb value, in which a record's fields are the table's columns: arrays of arrays, such as the genres
/// of many games, cannot be passed any other way.
pub trait Stored: Sized + Send {
    /// Locks those of these names that there are, in the order of their names. What somebody else has locked is not waited for.
    fn lock(
        connection: &mut PgConnection,
        mode: Mode,
        names: &[String],
    ) -> impl Future<Output = Result<Locked<Self>, sqlx::Error>> + Send;

    /// Writes new and changed records.
    fn save(
        connection: &mut PgConnection,
        records: &Value,
    ) -> impl Future<Output = Result<(), sqlx::Error>> + Send;
}
