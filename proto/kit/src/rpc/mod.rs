//! gRPC between the services: the server with its layers, and the client.

pub mod client;
mod identity;
mod incoming;
pub mod members;
mod methods;
pub mod server;
pub mod staff;

pub use identity::Authenticator;
pub use members::FleetMembers;
