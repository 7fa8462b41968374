//! Tests of the whole dashboard: its router on a real PostgreSQL (`DATABASE_URL`) and a real Redis (`REDIS_URL`), with a gateway of the test
//! and, for webhooks, a real webhook-svc.

#![expect(clippy::unwrap_used, reason = "a test")]

mod access;
mod browser;
mod csrf;
mod economy;
mod gateway;
mod keys;
mod links;
mod listings;
mod pictures;
mod second_factor;
mod sign_in;
mod stub_api;
mod stub_economy;
mod stub_listings;
mod stub_pictures;
mod support;
mod team;
mod usage;
mod webhook_check;
mod webhook_deliveries;
mod webhook_service;
mod webhooks;
mod you;
