//! The calls of staff.

pub(super) mod import;
mod listings;
mod members;
mod pages;
mod pictures;
mod review;
