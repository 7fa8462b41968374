//! Background tasks.

pub mod last_used;
pub mod month_use;
