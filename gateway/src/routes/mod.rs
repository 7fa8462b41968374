//! The handlers: take apart, one call, wrap.

pub mod changes;
pub mod creators;
pub mod currencies;
pub mod events;
pub mod games;
pub mod history;
pub mod me;
pub mod methodology;
pub mod pictures;
pub mod places;
pub mod rankings;
pub mod rates;
pub mod reports;
pub mod search;
pub mod tips;
mod writing;
