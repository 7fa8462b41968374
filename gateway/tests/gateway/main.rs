//! The gateway as a whole: its router on a real PostgreSQL (`DATABASE_URL`) and a real Redis (`REDIS_URL`).
//!
//! catalogue-svc is played by a stand-in that speaks its protocol over a real connection, so that it can be brought to be slow, away
//! or broken; the real one is met in the end-to-end tests.

#![expect(clippy::unwrap_used, reason = "test support")]

mod checks;
mod codings;
mod counting;
mod economy;
mod envelope;
mod etags;
mod games;
mod key_requests;
mod keys;
mod keys_outage;
mod month_use;
mod overload;
mod own_writes;
mod pictures;
mod plan_required;
mod plans;
mod port;
mod port_admission;
mod port_keep_alive;
mod port_pipelining;
mod port_slow;
mod quota;
mod reads;
mod redis_cluster;
mod redis_late;
mod staff;
mod staff_members;
mod start;
mod support;
mod switches;
mod writes;
mod wrong_keys;
