//! Periodic work, which the leader does.

pub mod retention;
