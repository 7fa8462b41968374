//! What a fleet survives. Each test runs a small fleet of its own.
#![expect(clippy::unwrap_used, reason = "a test")]

mod import;
mod kill;
mod port;
mod restart;
