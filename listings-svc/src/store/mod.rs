//! What listings-svc keeps in PostgreSQL, in schema `listings`. A file a resource; the statements are checked when the crate is built.

pub mod constraints;
pub mod events;
pub mod games;
pub mod gazetteer;
pub mod imports;
pub mod known;
pub mod listings;
pub mod pages;
pub mod pictures;
pub mod revisions;
pub mod start_work;

use std::future::Future;

use serde_json::Value;
use sqlx::PgConnection;

use crate::domain::mode::Mode;

/// A record with a table of its own.
///
/// Whole batches travel as one jsonb value, in which a record's fields are the table's columns: arrays of arrays, such as the genres
/// of many games, cannot be passed any other way.
pub trait Stored: Sized + Send {
    /// Locks those of these names that there are, in the order of their names. `None`: somebody else has one of them locked.
    fn lock(
        connection: &mut PgConnection,
        mode: Mode,
        names: &[String],
    ) -> impl Future<Output = Result<Option<Vec<Self>>, sqlx::Error>> + Send;

    /// Writes new and changed records.
    fn save(
        connection: &mut PgConnection,
        records: &Value,
    ) -> impl Future<Output = Result<(), sqlx::Error>> + Send;
}
