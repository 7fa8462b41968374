//! Background jobs, which the leader runs.

pub mod future_waits;
pub mod maintenance;
pub mod oldest_due;
pub mod sweep;
