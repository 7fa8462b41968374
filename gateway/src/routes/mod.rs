//! The handlers: take apart, one call, wrap.

pub mod games;
pub mod me;
