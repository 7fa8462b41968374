//! What is around every handler: the outermost layer, which names, logs and writes every answer, and the gate of each path, which
//! holds the checks in their order.

pub mod access_log;
pub mod bounds;
pub mod context;
pub mod gate;
pub mod identity;
pub mod origin;
pub mod outermost;
pub mod panic;
