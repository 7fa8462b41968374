//! Calls to the services of the fleet, each with an account as scope.

pub mod gateway;
pub mod webhook;

pub use gateway::Gateway;
pub use webhook::Webhooks;
