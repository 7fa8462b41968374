//! Reads the fields of each kind of listing.
//!
//! `game`, `page` and `event` each hold the only reader of their kind. Accounts, files and staff differ in the fields that they may give,
//! not in how a field is read.

pub mod event;
pub mod game;
pub mod page;
