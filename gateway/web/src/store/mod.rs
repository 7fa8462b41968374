//! The tables of schema `web`.

pub mod activity;
pub mod attempts;
pub mod feed_positions;
pub mod links;
pub mod members;
pub mod people;
pub mod sent_notices;
pub mod sessions;
pub mod used_links;

use kit::pg::Schema;

pub const SCHEMA: Schema = Schema("web");

/// Whether a statement failed because a row with its key exists.
pub(crate) fn is_taken(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(sqlx::error::DatabaseError::is_unique_violation)
}
