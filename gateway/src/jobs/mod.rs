//! Background tasks.

pub mod call_records;
pub mod last_used;
