//! Work that nobody asks for.

pub mod republish;
pub mod startup;
pub mod sweep;
