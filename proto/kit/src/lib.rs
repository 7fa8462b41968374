#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

pub mod admin;
pub mod api;
pub mod audit;
pub mod boot;
pub mod client_address;
pub mod clock;
pub mod config;
pub mod descriptor_limit;
pub mod feed;
pub mod handles;
pub mod http_server;
pub mod idempotency;
pub mod ids;
pub mod jobs;
pub mod key_ring;
pub mod lifecycle;
pub mod overload;
pub mod pg;
pub mod pg_url;
pub mod public_url;
pub mod redis;
pub mod request_id;
pub mod rpc;
pub mod telemetry;
pub mod throttle;
pub mod wakeup;

pub use api::{Code, Fault, Mode};
pub use clock::Clock;
pub use lifecycle::Lifecycle;
