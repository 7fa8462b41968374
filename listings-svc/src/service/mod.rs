//! The gRPC services of listings-svc, a file a resource. The change feed is served by the kit.

pub mod import;
pub mod listing;
pub mod picture;
pub mod staff_picture;
