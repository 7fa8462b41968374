#![doc = include_str!("../README.md")]

pub mod app;
pub mod call_log;
pub mod client_ip;
pub mod config;
pub mod context;
pub mod convert;
pub mod domain;
pub mod envelope;
pub mod errors;
pub mod etag;
pub mod extract;
pub mod feeds;
pub mod jobs;
pub mod lookup;
pub mod openapi;
pub mod overload;
pub mod per_thread;
pub mod pipeline;
pub mod quota;
pub mod router;
pub mod routes;
pub mod service;
mod start;
pub mod store;
pub mod switches;
pub mod upstream;
pub mod write;

pub use start::start;

use kit::pg::Schema;

pub const SCHEMA: Schema = Schema("gateway");

pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!();
