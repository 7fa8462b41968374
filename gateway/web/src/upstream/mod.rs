//! Calls to the services of the fleet. Calls of the dashboard have an account as scope; calls of the public site read public data.

mod api;
mod call;
pub mod catalogue;
pub mod catalogue_site;
pub mod currencies;
pub mod economy;
pub mod feeds;
pub mod gateway;
pub mod listings;
mod pictures;
mod position;
pub mod rates;
pub mod votes;
pub mod webhook;

pub use api::{Api, ApiDocument};
pub use catalogue::{Catalogue, Client as CatalogueClient};
pub use currencies::{Currencies, PageEconomy};
pub use economy::Economy;
pub use feeds::{Feed, Feeds};
pub use gateway::Gateway;
pub use listings::Listings;
pub use webhook::Webhooks;

use pages::Texts;
use time::OffsetDateTime;

/// The time of a message, if it has one.
pub fn time_of(at: Option<prost_types::Timestamp>) -> Option<OffsetDateTime> {
    at.and_then(kit::api::timestamp::decode)
}

/// The time of a message as text; empty if it has none.
pub fn minute_of(texts: &Texts, at: Option<prost_types::Timestamp>) -> String {
    let text = time_of(at).map(|at| texts.minute(at));
    text.unwrap_or_default()
}
