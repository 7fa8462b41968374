//! The kit's connection to Redis: one that is slow or lost, a cluster, and TLS.
#![expect(clippy::unwrap_used, reason = "a test")]

mod away;
mod cluster;
mod tls;
