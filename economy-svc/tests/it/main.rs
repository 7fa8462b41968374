//! economy-svc as a whole: its calls over gRPC on a real PostgreSQL (`DATABASE_URL`), with a clock that the tests move.

#![expect(clippy::unwrap_used, reason = "tests")]

mod big_mac;
mod clocks;
mod currencies;
mod own;
mod rates;
mod reports;
mod review;
mod support;
mod swaps;
mod tips;
mod version;
