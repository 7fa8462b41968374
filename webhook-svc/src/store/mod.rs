//! The tables of schema `webhook`.

pub mod accounts;
pub mod attempts;
pub mod deliveries;
pub mod endpoints;
pub mod failed;
pub mod listings;
pub mod message_positions;
pub mod messages;
pub mod plans;
pub mod queue;
pub mod retention;
pub mod waiting;

/// The setting of connections that read tables by their indexes.
///
/// PostgreSQL keeps a plan that it has made when a table was short. `waiting` usually is, and a plan that reads all of it would be kept for the
/// next backlog, and read that for each batch of results.
pub const READ_BY_INDEXES: [(&str, &str); 1] = [("enable_seqscan", "off")];
