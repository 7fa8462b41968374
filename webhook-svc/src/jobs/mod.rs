//! Background jobs, which the leader runs.

pub mod maintenance;
pub mod recovery;
pub mod sweep;
