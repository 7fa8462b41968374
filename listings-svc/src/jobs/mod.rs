//! Background jobs.

pub mod sweep;
