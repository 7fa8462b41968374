//! Faults that a fleet survives, and settings of a whole fleet. Each test starts its own small fleet.
#![expect(clippy::unwrap_used, reason = "a test")]

mod approvals;
mod busy_machine;
mod catalogue_replicas;
mod floods;
mod keys;
mod kill;
mod own_changes;
mod postgres_unavailable;
mod quota;
mod redis;
mod take_down;
mod tips_and_swaps;
mod webhooks;
