//! Work that nobody asks for.

pub mod addresses;
pub mod start;
pub mod sweep;
