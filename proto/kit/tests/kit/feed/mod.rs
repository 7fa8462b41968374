//! The change feed: order, failures, resuming.

mod compaction;
mod connection;
mod durable;
mod epoch;
mod failover;
mod high_water_mark;
mod list_changes;
mod order;
mod paused;
mod refused;
mod silence;
mod size;
mod split;
mod support;
