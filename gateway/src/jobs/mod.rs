//! Background work.

pub mod last_used;
