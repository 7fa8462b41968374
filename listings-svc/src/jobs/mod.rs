//! Background jobs.

pub mod startup;
pub mod sweep;
