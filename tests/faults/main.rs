//! Faults that a fleet survives, and settings that concern a whole fleet. Each test runs a small fleet of its own.
#![expect(clippy::unwrap_used, reason = "a test")]

mod approvals;
mod catalogue_replicas;
mod floods;
mod keys;
mod kill;
mod own_changes;
mod postgres_away;
mod quota;
mod redis;
mod switches;
mod take_down;
mod tips_and_swaps;
mod webhooks;
