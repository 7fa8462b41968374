//! Periodic work. Each job runs in one replica at a time.

pub mod board_snapshot;
pub mod retention;
pub mod tallies;
