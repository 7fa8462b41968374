//! The tables of schema `webhook`.

pub mod accounts;
pub mod attempts;
pub mod deliveries;
pub mod endpoints;
pub mod listings;
pub mod mails;
pub mod message_positions;
pub mod messages;
pub mod partitions;
pub mod plans;
pub mod queue;
pub mod recoveries;
pub mod retention;
pub mod waiting;

use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;

/// Has new connections read tables by their indexes.
///
/// PostgreSQL keeps a plan that it has made when a table was short. `waiting` usually is, and a plan that reads all of it would be kept for the
/// next backlog, and read that for each batch of results.
pub fn read_by_indexes(pool: &PgPool) {
    let options = PgConnectOptions::clone(&pool.connect_options());
    pool.set_connect_options(options.options([("enable_seqscan", "off")]));
}
