//! Tests of the whole dashboard: its router on a real PostgreSQL (`DATABASE_URL`) and a real Redis (`REDIS_URL`), with a gateway of the test
//! and, for webhooks, a real webhook-svc.

#![expect(clippy::unwrap_used, reason = "a test")]

mod access;
mod boards;
mod browser;
mod closed;
mod code_attacks;
mod csrf;
mod docs;
mod economy;
mod embeds;
mod enumeration;
mod feeds;
mod fixation;
mod full_account;
mod gateway;
mod hostile_text;
mod keys;
mod link_misuse;
mod links;
mod listings;
mod neighbour;
mod notes;
mod outages;
mod pictures;
mod redirects;
mod refused_forms;
mod schema_org;
mod second_factor;
mod share;
mod sign_in;
mod site;
mod site_economy;
mod stub_api;
mod stub_catalogue;
mod stub_economy;
mod stub_listings;
mod stub_notes;
mod stub_pages;
mod stub_pictures;
mod stub_site;
mod stub_votes;
mod support;
mod team;
mod tokens;
mod twice;
mod typed_forms;
mod uploads;
mod usage;
mod votes;
mod webhook_check;
mod webhook_deliveries;
mod webhook_service;
mod webhooks;
mod you;
