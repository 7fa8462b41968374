#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

pub mod admin;
pub mod api;
pub mod audit;
pub mod boot;
pub mod client_address;
pub mod clock;
mod clock_difference;
pub mod config;
pub mod descriptor_limit;
pub mod feed;
mod grpc_address;
pub mod handles;
mod healthcheck;
pub mod http_server;
pub mod idempotency;
pub mod ids;
pub mod jobs;
pub mod key_ring;
pub mod lifecycle;
pub mod network;
pub mod overload;
pub mod pg;
pub mod pg_url;
pub mod public_url;
pub mod redis;
mod redis_url;
pub mod representations;
pub mod request_id;
pub mod rpc;
mod secret;
mod shared_read;
pub mod telemetry;
pub mod throttle;
pub mod wakeup;

pub use api::{Code, Fault, Mode};
pub use clock::Clock;
pub use lifecycle::Lifecycle;
