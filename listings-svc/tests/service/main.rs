//! The service over gRPC, in the test's process, on a real PostgreSQL.
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod accounts;
mod bundled_files;
mod datasets;
mod decisions;
mod edit;
mod import_again;
mod import_feed;
mod import_interrupted;
mod import_rows;
mod indexes;
mod members;
mod moderate;
mod newer_version;
mod own_actions;
mod own_listing;
mod own_pictures;
mod pages;
mod picture_purge;
mod picture_visibility;
mod pictures;
mod reverts;
mod review;
mod s3;
mod staff;
mod staff_token;
mod submissions;
mod support;
mod take_down_race;
mod visibility;
