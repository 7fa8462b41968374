//! The outgoing side on real sockets: against lists of addresses, against independent implementations of its signatures, and against
//! receivers that do what receivers should not.
#![expect(clippy::unwrap_used, reason = "tests")]

mod addresses;
mod answers;
mod bodies;
mod connections;
mod http2;
mod receiver;
mod signatures;
mod tls;
