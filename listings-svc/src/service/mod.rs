//! The gRPC services of listings-svc, a file a resource. The change feed is served by the kit.

mod claim;
pub mod events;
pub mod games;
pub mod import;
pub mod listing;
pub mod own;
pub mod owner;
pub mod pages;
pub mod writing;
