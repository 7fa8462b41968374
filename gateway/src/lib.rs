#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

pub mod app;
pub mod bounds;
pub mod coding;
pub mod config;
pub mod context;
pub mod domain;
pub mod envelope;
pub mod errors;
pub mod extract;
pub mod feeds;
pub mod jobs;
pub mod layers;
pub mod lookup;
pub mod message;
pub mod per_thread;
pub mod quota;
pub mod router;
pub mod routes;
pub mod server;
pub mod service;
mod start;
pub mod store;
pub mod switches;
pub mod upstream;
pub mod write;

pub use start::start;

use kit::pg::Schema;

/// The gateway's schema.
pub const SCHEMA: Schema = Schema("gateway");

/// The migrations of the schema.
pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!();
