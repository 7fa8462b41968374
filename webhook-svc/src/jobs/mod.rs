//! Work that nobody asks for, once per fleet.

pub mod mail;
pub mod sweep;
pub mod upkeep;
