//! The public interface on a running fleet. A module a subject of the contract.
#![expect(clippy::unwrap_used, reason = "a test")]

mod checks;
mod envelope;
mod games;
mod internal;
mod key_review;
mod keys;
mod me;
mod quota;
mod schemas;
