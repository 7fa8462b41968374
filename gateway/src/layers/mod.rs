//! What is around every handler.
//!
//! Admission sheds calls under overload; the outermost layer names, logs and writes every answer; the gate of each path holds the
//! checks in their order.

pub mod access_log;
pub mod admission;
pub mod client_ip;
pub mod gate;
pub mod identity;
pub mod outermost;
pub mod panic;
pub mod policy;
