//! The handlers. Each takes a request apart, makes one call to a service and wraps the response. What the OpenAPI document
//! says of an operation stands beside its handler.

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
pub mod places;
pub mod rankings;
pub mod rates;
pub mod reports;
pub mod search;
pub mod tips;

use crate::openapi::operation::Operation;

/// Every operation of the API, in the order of the documentation.
pub fn operations() -> Vec<Operation> {
    [
        &games::operations()[..],
        &events::operations(),
        &creators::operations(),
        &places::operations(),
        &search::operations(),
        &changes::operations(),
        &rankings::operations(),
        &me::operations(),
        &messages::operations(),
        &tips::operations(),
        &reports::operations(),
        &rates::operations(),
        &currencies::operations(),
        &history::operations(),
        &methodology::operations(),
    ]
    .concat()
}
