//! The calls of each account, for its owner: a log of the last days.
//!
//! `recorder.rs` collects them in memory, `jobs/call_records.rs` writes them every second, and `redis.rs` has the log.

mod recorder;
mod redis;

pub use recorder::{CallRecorder, FinishedCall, SAMPLE};
pub use redis::CallLog;
pub(crate) use redis::sort_key;
