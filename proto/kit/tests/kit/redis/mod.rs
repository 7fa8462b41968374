//! The kit's connection to Redis: timeouts, lost connections, a cluster, and TLS.

mod cluster;
mod tls;
mod unavailable;
