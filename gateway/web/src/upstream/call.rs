//! Calls of a service, which all clients share.

use std::time::Duration;

use kit::Fault;
use kit::rpc::client::{Client, Idempotent};
use tonic::{Request, Response, Status};

use super::clients::GrpcClient;

/// A connection to a service, and how long a call may take.
#[derive(Debug, Clone)]
pub(super) struct Calls {
    pub(super) client: Client,
    pub(super) deadline: Duration,
}

impl Calls {
    /// Makes a call that is idempotent, such as [`list_games`](super::clients::CatalogueGames::list_games).
    pub(super) async fn read<S: GrpcClient, Q, A>(
        &self,
        method: impl AsyncFnOnce(&mut S, Request<Q>) -> Result<Response<A>, Status>,
        message: Q,
    ) -> Result<A, Fault> {
        let request = Idempotent::Unary.request(message, self.deadline);
        self.send(method, request).await
    }

    /// Makes a call that is never repeated.
    pub(super) async fn write<S: GrpcClient, Q, A>(
        &self,
        method: impl AsyncFnOnce(&mut S, Request<Q>) -> Result<Response<A>, Status>,
        message: Q,
    ) -> Result<A, Fault> {
        self.write_within(self.deadline, method, message).await
    }

    /// The same with another deadline.
    pub(super) async fn write_within<S: GrpcClient, Q, A>(
        &self,
        deadline: Duration,
        method: impl AsyncFnOnce(&mut S, Request<Q>) -> Result<Response<A>, Status>,
        message: Q,
    ) -> Result<A, Fault> {
        let mut request = Request::new(message);
        request.set_timeout(deadline);
        self.send(method, request).await
    }

    async fn send<S: GrpcClient, Q, A>(
        &self,
        method: impl AsyncFnOnce(&mut S, Request<Q>) -> Result<Response<A>, Status>,
        request: Request<Q>,
    ) -> Result<A, Fault> {
        let mut client = S::new(self.client.clone());
        Ok(method(&mut client, request).await?.into_inner())
    }
}

/// The fault if a response lacks a field that the contract promises.
pub(super) fn incomplete() -> Fault {
    Fault::internal(&std::io::Error::other(
        "the answer of a service is incomplete",
    ))
}
