//! The internal port.

pub mod staff;
