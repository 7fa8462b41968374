//! The change feed against a real PostgreSQL (`DATABASE_URL`) and Redis (`REDIS_URL`), and over real sockets.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test; its schema is the kit's own"
)]

mod compaction;
mod connection;
mod epoch;
mod failover;
mod kill;
mod latest;
mod order;
mod support;
