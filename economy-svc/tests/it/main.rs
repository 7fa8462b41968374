//! economy-svc as a whole: its calls over gRPC on a real PostgreSQL (`DATABASE_URL`), with a clock that the tests move.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod big_mac;
mod clocks;
mod currencies;
mod exchanges;
mod ledger;
mod own;
mod past_rates;
mod rates;
mod reports;
mod reversals;
mod review;
mod supply;
mod support;
mod swaps;
mod tips;
