//! What every request passes: its id, headers, time and origin, and who may see its page.

pub mod access;
pub mod client;
pub mod headers;
pub mod log;
