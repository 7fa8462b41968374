//! Background jobs, which the leader runs.

pub mod maintenance;
pub mod oldest_due;
pub mod sweep;
