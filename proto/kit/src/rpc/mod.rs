//! gRPC between the services: the server with its layers, and the client.

pub mod client;
mod fleet_members;
mod identity;
mod incoming;
mod methods;
pub mod server;
pub mod staff;

pub use fleet_members::FleetMembers;
pub use identity::Authenticator;
