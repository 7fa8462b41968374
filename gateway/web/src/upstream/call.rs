//! What the calls of all clients share.

use std::time::Duration;

use kit::rpc::client::{Client, Idempotent};
use tonic::Request;

/// A connection to a service, and how long a call may take.
#[derive(Debug, Clone)]
pub struct Calls {
    pub client: Client,
    pub deadline: Duration,
}

impl Calls {
    /// A call that changes nothing, or the same when it is repeated.
    pub fn read<T>(&self, message: T) -> Request<T> {
        let mut request = self.write(message);
        request.extensions_mut().insert(Idempotent);
        request
    }

    pub fn write<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.set_timeout(self.deadline);
        request
    }
}

/// A service answered without what its contract promises.
pub fn incomplete() -> kit::Fault {
    kit::Fault::internal(&std::io::Error::other(
        "the answer of a service is incomplete",
    ))
}
