//! Background jobs.

pub mod republish;
pub mod startup;
pub mod sweep;
