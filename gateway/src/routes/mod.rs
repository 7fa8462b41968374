//! The handlers. Each takes a request apart, makes one call to a service and wraps the response.

pub mod account;
pub mod changes;
pub mod creators;
pub mod currencies;
pub mod events;
pub mod games;
pub mod history;
mod listing_write;
pub mod me;
pub mod messages;
pub mod methodology;
pub mod openapi;
pub mod pictures;
pub mod places;
pub mod rankings;
pub mod rates;
pub mod reports;
pub mod search;
pub mod tips;
