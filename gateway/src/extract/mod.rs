//! What handlers get of a call.

pub mod call;
pub mod idempotency_key;
pub mod if_match;
pub mod json_body;
pub mod query;
pub mod service_write;
