//! The schema `catalogue`, a file a table: votes, their sums, and the snapshots of the boards.

pub mod board_snapshots;
pub mod listing_voters;
pub mod networks;
pub mod tallies;
pub mod voters;
pub mod votes;

/// The setting of connections by which a statement waits for a locked row for two seconds at most.
///
/// A replica that hangs holds its rows until PostgreSQL ends its session, and each vote that waits for a row occupies a connection of the pool.
/// The jobs that use the same pool repeat what failed.
pub const LOCK_TIMEOUT: [(&str, &str); 1] = [("lock_timeout", "2s")];
