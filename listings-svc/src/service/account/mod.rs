//! The calls of accounts.

mod listings;
mod pages;
pub mod pictures;
mod submissions;
mod upload;
