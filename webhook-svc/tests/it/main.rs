//! webhook-svc as a whole: feeds, RPCs and deliveries on a real PostgreSQL (`DATABASE_URL`) and real sockets, with a clock that the tests set.
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod address;
mod clocks;
mod delivery;
mod downgrade;
mod endpoints;
mod failover;
mod fan_out;
mod growth;
mod health;
mod lost_claim;
mod message_cursors;
mod messages;
mod newer_version;
mod queue;
mod receiver;
mod receivers;
mod recording;
mod recover;
mod retention;
mod secrets;
mod send_again;
mod shutdown;
mod staff;
mod support;
mod sweep;
mod vanished;
