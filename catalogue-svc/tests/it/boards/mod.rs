//! Votes and boards: against a plain model, over gRPC on PostgreSQL, with several replicas.

mod draws;
mod property;
mod ranks;
mod samples;
mod snapshot;
mod staff;
mod support;
mod votes;
