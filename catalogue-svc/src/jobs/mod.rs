//! Periodic work. Each job runs in one replica at a time.

pub mod retention;
pub mod snapshot;
pub mod tallies;
