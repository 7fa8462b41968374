//! The calls of accounts.

mod ended;
mod listings;
mod pages;
pub mod pictures;
mod submissions;
