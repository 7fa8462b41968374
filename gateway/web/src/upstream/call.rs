//! Helpers that the calls of all clients share.

use std::time::Duration;

use kit::rpc::client::{Client, Idempotent};
use tonic::Request;

/// A connection to a service, and how long a call may take.
#[derive(Debug, Clone)]
pub(super) struct Calls {
    pub(super) client: Client,
    pub(super) deadline: Duration,
}

impl Calls {
    /// A call that is idempotent.
    pub(super) fn read<T>(&self, message: T) -> Request<T> {
        Idempotent::Unary.request(message, self.deadline)
    }

    pub(super) fn write<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.set_timeout(self.deadline);
        request
    }
}

/// The fault if a response lacks a field that the contract promises.
pub(super) fn incomplete() -> kit::Fault {
    kit::Fault::internal(&std::io::Error::other(
        "the answer of a service is incomplete",
    ))
}
