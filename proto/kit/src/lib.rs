#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

pub mod admin;
pub mod audit;
pub mod bad_fields;
pub mod boot;
pub mod client_address;
pub mod clock;
mod clock_difference;
mod code;
pub mod config;
pub mod cursor;
pub mod descriptor_limit;
pub mod fault;
pub mod feed;
mod grpc_address;
pub mod handles;
mod healthcheck;
pub mod http_server;
pub mod idempotency;
pub mod ids;
pub mod jobs;
pub mod json_object;
pub mod key_ring;
pub mod lifecycle;
pub mod mode;
pub mod overload;
pub mod page;
pub mod pg;
pub mod public_url;
pub mod redis;
mod redis_url;
pub mod request_id;
pub mod rpc;
mod runtime;
pub mod telemetry;
pub mod text;
mod throttle;
pub mod timestamp;
pub mod wakeup;

pub use clock::Clock;
pub use code::Code;
pub use fault::Fault;
pub use lifecycle::Lifecycle;
pub use mode::Mode;
