//! The gRPC services of listings-svc, a file a resource. The change feed is served by the kit.

pub mod audit;
pub mod desk;
pub mod import;
pub mod listing;
pub mod member;
mod names;
mod paging;
pub mod review;
