//! What handlers take out of a request.

pub mod caller;
pub mod latest;
pub mod query;
pub mod segment;
