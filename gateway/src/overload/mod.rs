//! Protection against more, larger or slower requests than the gateway can serve.
//!
//! | limit | where |
//! | --- | --- |
//! | size of the head and the body | [`request_limits`] |
//! | bodies that arrive, and their time | [`request_body`] |
//! | requests that run, and that wait | [`admission`] |
//! | refused calls of a network and its site | [`refused_calls`] |
//! | key lookups | [`crate::lookup`] |
//! | calls to one service | [`crate::upstream`] |
//! | connections | `kit::http_server` |

pub mod admission;
pub mod refused_calls;
pub mod request_body;
pub mod request_limits;
