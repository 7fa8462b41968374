//! Periodic work, which the leader does.

pub mod board_snapshot;
pub mod retention;
