//! The gRPC services of listings-svc, a file a resource. The change feed is served by the kit.

pub mod audit;
mod claim;
pub mod desk;
pub mod events;
pub mod games;
pub mod import;
pub mod listing;
pub mod member;
mod names;
pub mod own;
pub mod owner;
pub mod pages;
mod paging;
pub mod picture;
pub mod review;
pub mod staff_picture;
pub mod writing;
