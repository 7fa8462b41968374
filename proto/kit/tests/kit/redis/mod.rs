//! The kit's connection to Redis: one that is slow or lost, a cluster, and TLS.

mod away;
mod cluster;
mod tls;
