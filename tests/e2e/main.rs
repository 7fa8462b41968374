//! The public interface on a running fleet. A module a subject of the contract.
#![expect(clippy::unwrap_used, reason = "a test")]

mod bad_input;
mod checks;
mod envelope;
mod games;
mod internal;
mod keys;
mod me;
mod port;
mod quota;
mod schemas;
