//! Tests of the whole gateway: its router on a real PostgreSQL (`DATABASE_URL`) and a real Redis (`REDIS_URL`).
//!
//! The services are stubs behind real gRPC connections, which a test can make slow, absent or faulty. The end-to-end tests use the real services.

#![expect(clippy::unwrap_used, reason = "test support")]

mod account_keys;
mod accounts;
mod admission;
mod calls;
mod checks;
mod codings;
mod economy;
mod envelope;
mod key_lists;
mod key_requests;
mod keys;
mod keys_outage;
mod messages;
mod month_shares;
mod month_use;
mod newer_version;
mod openapi;
mod overload;
mod plans;
mod quota;
mod quota_headers;
mod rates;
mod reads;
mod redis_cluster;
mod redis_latency;
mod response_cache;
mod staff;
mod staff_members;
mod start;
mod support;
mod switches;
mod unknown_keys;
mod writes;
