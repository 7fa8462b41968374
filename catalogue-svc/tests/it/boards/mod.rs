//! Votes and boards: compared with a naive model, and called over gRPC with several replicas on PostgreSQL.

mod attack;
mod draws;
mod property;
mod ranks;
mod samples;
mod snapshot;
mod staff;
mod support;
mod votes;
