//! Work that nobody asks for.

pub mod addresses;
pub mod forget;
pub mod start;
pub mod sweep;
