//! What catalogue-svc does by itself, each in one replica at a time.

pub mod retention;
pub mod snapshot;
pub mod tallies;
