//! The service over gRPC, in one process, on a real PostgreSQL.
#![expect(clippy::unwrap_used, reason = "tests")]

mod address;
mod broken;
mod feed;
mod pictures;
mod real;
mod rows;
mod s3;
mod staff;
mod standing;
mod support;
mod worlds;
