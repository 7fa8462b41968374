//! The kit against a real PostgreSQL (`DATABASE_URL`) and Redis (`REDIS_URL`), and over real sockets.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests; their schema is the kit's own"
)]

mod client;
mod feed;
mod ipv6;
mod leader;
mod lease;
mod logs;
mod pg;
mod pg_tls;
mod port;
mod redis;
mod shutdown;
mod tls;
