//! The change feed: order, failures, resuming.

mod compaction;
mod connection;
mod dead_letters;
mod epoch;
mod failover;
mod followers;
mod high_water_mark;
mod kill;
mod list_changes;
mod order;
mod silence;
mod size;
mod support;
