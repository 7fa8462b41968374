//! The change feed: order, failures, resuming.

mod compaction;
mod connection;
mod epoch;
mod failover;
mod kill;
mod latest;
mod order;
mod support;
