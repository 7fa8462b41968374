//! The HTTP client on real sockets: lists of addresses, signatures of independent implementations, and misbehaving receivers.
#![expect(clippy::unwrap_used, reason = "tests")]

mod addresses;
mod answers;
mod bodies;
mod connections;
mod log;
mod receiver;
mod signatures;
mod tls;
