//! Calls to the services of the fleet, each with an account as scope.

pub mod gateway;

pub use gateway::Gateway;
