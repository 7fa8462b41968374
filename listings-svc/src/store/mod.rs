//! The SQL of listings-svc, in schema `listings`, one file per resource. The build checks the statements.

pub mod accounts;
pub mod audit;
pub mod claims;
pub mod constraints;
pub mod gazetteer;
pub mod history;
pub mod imports;
pub mod listings;
pub mod own_listings;
pub mod page_owners;
pub mod pictures;
pub mod queue;
pub mod reference_data;
pub mod startup_tasks;

use std::future::Future;

use serde::Serialize;
use serde_json::Value;
use sqlx::PgConnection;
use sqlx::types::Json;

use crate::domain::mode::Mode;
use crate::domain::state::ListingState;

/// Records in the form that a statement takes.
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

/// The entries of the gazetteer of one kind. A batch travels as one jsonb value.
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
