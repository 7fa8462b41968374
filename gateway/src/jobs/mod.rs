//! Background work.

pub mod last_used;
pub mod month_use;
