//! Extractors of handlers.

pub mod caller;
pub mod catalogue_read;
pub mod idempotency_key;
pub mod if_match;
pub mod json_body;
pub mod path_param;
pub mod query;
pub mod service_write;
