//! The handlers: take apart, one call, wrap.

pub mod creators;
pub mod events;
pub mod games;
pub mod me;
pub mod pictures;
pub mod places;
pub mod search;
mod writing;
