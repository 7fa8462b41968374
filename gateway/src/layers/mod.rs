//! The layers around every handler, from the outside in.
//!
//! [`admission`] sheds requests under overload. [`request_context`] adds the request id, logs the request and writes the
//! response. [`route_checks`] runs the checks of a route.

pub mod access_log;
pub mod admission;
pub mod identity;
pub mod panic;
pub mod policy;
pub mod request_context;
pub mod response_cache;
pub mod route_checks;
