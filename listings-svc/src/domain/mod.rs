//! The rules of listings. Pure: no database, no network, no clock; the reference data and the time are arguments.
//!
//! A [`Listing`](listing::Listing) is a page, a game or an event, by its [`Content`](listing::Content).

pub mod address;
pub mod array_fields;
pub mod audit_action;
pub mod city;
pub mod claim;
pub mod country;
pub mod difference;
pub mod entity;
pub mod event;
pub mod field_reader;
pub mod fields;
pub mod game;
pub mod json_body;
pub mod links;
pub mod listing;
pub mod listing_name;
pub mod page;
pub mod pictures;
pub mod reference_data;
pub mod slug;
pub mod state;
pub mod suggest;
pub mod text;
#[cfg(test)]
mod visibility_tests;

pub use kit::mode;
