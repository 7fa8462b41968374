//! The fleet as an operator runs it: on standard servers, with failures of these servers, between hosts, and while it is upgraded.
#![expect(clippy::unwrap_used, reason = "a test")]

mod backup;
mod containers;
mod edge;
mod hook;
mod hosts;
mod install;
mod monitoring;
mod patroni;
mod pooler;
mod redis_cluster;
mod runbook;
mod tls;
mod traces;
mod upgrade;
