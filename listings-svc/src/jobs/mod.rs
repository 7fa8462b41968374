//! Background jobs.

pub mod samples;
pub mod sweep;
