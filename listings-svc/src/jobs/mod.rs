//! Background jobs.

pub mod follow_pages;
pub mod republish;
pub mod startup;
pub mod sweep;
