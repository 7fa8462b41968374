//! What handlers take out of a request.

pub mod caller;
pub mod idempotency;
pub mod latest;
pub mod object;
pub mod query;
pub mod segment;
