//! Calls of a service, which all clients share.

use std::time::Duration;

use contracts::common::v1::PageRequest;
use kit::Fault;
use kit::rpc::client::{Client, Idempotent, is_unanswered};
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
    pub(super) async fn idempotent<S: GrpcClient, Q, A>(
        &self,
        method: impl AsyncFnOnce(&mut S, Request<Q>) -> Result<Response<A>, Status>,
        message: Q,
    ) -> Result<A, Fault> {
        let request = Idempotent::Unary.request(message, self.deadline);
        Ok(self.send(method, request).await?)
    }

    /// Makes a call that is never repeated: without an answer, its outcome is unknown.
    pub(super) async fn once<S: GrpcClient, Q, A>(
        &self,
        method: impl AsyncFnOnce(&mut S, Request<Q>) -> Result<Response<A>, Status>,
        message: Q,
    ) -> Result<A, Fault> {
        self.once_within(self.deadline, method, message).await
    }

    /// The same with another deadline.
    pub(super) async fn once_within<S: GrpcClient, Q, A>(
        &self,
        deadline: Duration,
        method: impl AsyncFnOnce(&mut S, Request<Q>) -> Result<Response<A>, Status>,
        message: Q,
    ) -> Result<A, Fault> {
        let mut request = Request::new(message);
        request.set_timeout(deadline);
        let unknown = |status: Status| {
            if is_unanswered(&status) {
                Fault::outcome_unknown(status.message())
            } else {
                status.into()
            }
        };
        self.send(method, request).await.map_err(unknown)
    }

    async fn send<S: GrpcClient, Q, A>(
        &self,
        method: impl AsyncFnOnce(&mut S, Request<Q>) -> Result<Response<A>, Status>,
        request: Request<Q>,
    ) -> Result<A, Status> {
        let mut client = S::new(self.client.clone());
        Ok(method(&mut client, request).await?.into_inner())
    }
}

/// A page of a list: this many rows after a cursor.
pub fn page(limit: u32, cursor: Option<&str>) -> PageRequest {
    PageRequest { limit, cursor: cursor.unwrap_or_default().to_owned() }
}

/// The fault if a response lacks a field that the contract promises.
pub(super) fn incomplete() -> Fault {
    Fault::internal(&std::io::Error::other("the answer of a service is incomplete"))
}

/// A part of a response that the contract promises.
pub(super) fn required<T>(part: Option<T>) -> Result<T, Fault> {
    part.ok_or_else(incomplete)
}

/// Methods of a client that make one call each. An entry has the method, the call with the fields of its message, which are converted to
/// the types of the message, and, unless the method returns the whole response, what it returns of it. It begins with the method of
/// [`Calls`] that makes the call: `idempotent` or `once`.
macro_rules! rpcs {
    ($client:ident: $(
        $(#[$doc:meta])*
        $kind:ident $method:ident($($argument:ident: $type:ty),* $(,)?) -> $result:ty =
            $service:ident::$rpc:ident(proto::$message:ident { $($field:ident $(: $value:expr)?),* $(,)? })
            $(=> |$response:ident| $part:expr)?;
    )*) => {
        impl $client {$(
            $(#[$doc])*
            pub async fn $method(&self, $($argument: $type),*) -> Result<$result, Fault> {
                let message = proto::$message {
                    $($field: rpcs!(@first $($value,)? $field).into()),*
                };
                let response = self.0.$kind($service::$rpc, message).await?;
                $(
                    let $response = response;
                    let response = $part;
                )?
                Ok(response)
            }
        )*}
    };
    (@first $value:expr $(, $field:expr)?) => {
        $value
    };
}
pub(super) use rpcs;
