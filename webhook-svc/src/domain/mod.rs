//! The rules of messages and endpoints: pure functions without I/O and without a clock.

pub mod address;
pub mod event;
pub mod health;
pub mod message;
pub mod network;
pub mod rotation;
pub mod samples;
pub mod schedule;
pub mod signature;
pub mod signed_headers;
pub mod window;
