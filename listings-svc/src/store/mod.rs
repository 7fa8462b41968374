//! The SQL of listings-svc, in schema `listings`, one file per resource. The build checks the statements.

pub mod accounts;
pub mod audit;
pub mod claims;
pub mod constraints;
pub mod history;
pub mod imports;
pub mod listings;
pub mod own_listings;
pub mod page_owners;
pub mod pictures;
pub mod queue;
pub mod reference_data;
pub mod sample_release;

use serde::Serialize;
use serde_json::Value;
use sqlx::types::Json;

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

/// The records of a list that this version can read. One of a newer version, for example in a state that this one does not know, must not
/// fail the whole list.
fn readable<T>(records: impl Iterator<Item = Result<T, sqlx::Error>>) -> Vec<T> {
    records.filter_map(Result::ok).collect()
}
