//! The log of each account's calls, for its owner.

mod redis;

pub use redis::CallLog;
pub(crate) use redis::sort_key;
