//! The service over gRPC, in one process, on a real PostgreSQL.
#![expect(clippy::unwrap_used, reason = "tests")]

mod address;
mod amend;
mod broken;
mod feed;
mod indexes;
mod members;
mod pages;
mod pictures;
mod real;
mod review;
mod rows;
mod s3;
mod staff;
mod standing;
mod submit;
mod support;
mod take_down;
mod worlds;
mod writing;
