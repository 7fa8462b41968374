//! The fleet as operators run it: on standard servers, with failures of these servers, and during upgrades.
#![expect(clippy::unwrap_used, reason = "a test")]

mod backup;
mod collector;
mod containers;
mod dump;
mod edge;
mod etcd;
mod install;
mod model;
mod monitoring;
mod patroni;
mod patroni_cluster;
mod pooler;
mod ports;
mod prometheus;
mod promql;
mod proxies;
mod redis_cluster;
mod runbook;
mod server_process;
mod tls;
mod traces;
mod upgrade;
mod upgrade_load;
