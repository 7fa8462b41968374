//! gRPC between the services: the server with its layers, and the client.

mod call_record;
pub mod client;
mod connections;
mod identity;
pub mod members_file;
mod methods;
pub mod permissions;
pub mod retry;
pub mod server;
pub mod staff;
pub mod tls;

use tonic::{Response, Status};

pub use identity::Authenticator;
pub use members_file::StaffMembers;

/// The response to a call with this outcome.
///
/// # Errors
/// The status of the error.
pub fn respond<T>(outcome: Result<T, impl Into<Status>>) -> Result<Response<T>, Status> {
    outcome.map(Response::new).map_err(Into::into)
}
