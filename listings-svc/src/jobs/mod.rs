//! Background jobs.

pub mod follow_pages;
pub mod startup;
pub mod sweep;
