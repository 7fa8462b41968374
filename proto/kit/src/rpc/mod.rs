//! gRPC between the services: every server's layers and every client's channel, made once.

pub mod client;
mod fleet_members;
mod identity;
mod incoming;
pub mod server;
pub mod staff;

pub use fleet_members::FleetMembers;
pub use identity::Gate;
