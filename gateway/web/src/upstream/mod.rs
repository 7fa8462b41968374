//! Calls to the services of the fleet, each with an account as scope.

mod api;
mod call;
pub mod economy;
pub mod gateway;
pub mod listings;
mod pictures;
pub mod webhook;

pub use api::{Api, ApiAnswer};
pub use economy::Economy;
pub use gateway::Gateway;
pub use listings::Listings;
pub use webhook::Webhooks;
