//! Calls of a service, which all clients share.

use std::time::Duration;

use contracts::Unary;
use contracts::common::v1::PageRequest;
use kit::Fault;
use kit::rpc::client::{Client, is_unanswered};

/// A connection to a service, and how long a call may take.
#[derive(Debug, Clone)]
pub(super) struct Calls {
    pub(super) client: Client,
    pub(super) deadline: Duration,
}

impl Calls {
    /// Makes a call that is idempotent. The type of the message names the method.
    pub(super) async fn idempotent<Q: Unary>(&self, message: Q) -> Result<Q::Response, Fault> {
        Ok(self.client.idempotent(&message, self.deadline).await?)
    }

    /// Makes a call that is never repeated: without an answer, its outcome is unknown.
    pub(super) async fn once<Q: Unary>(&self, message: Q) -> Result<Q::Response, Fault> {
        self.once_within(message, self.deadline).await
    }

    /// As [`Self::once`], with a deadline of its own.
    pub(super) async fn once_within<Q: Unary>(
        &self,
        message: Q,
        deadline: Duration,
    ) -> Result<Q::Response, Fault> {
        self.client.once(&message, deadline).await.map_err(|status| {
            if is_unanswered(&status) {
                Fault::outcome_unknown(status.message())
            } else {
                status.into()
            }
        })
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

/// Methods of a client that make one call each. An entry has the method, the message, whose type names the call, with its fields, which are
/// converted to the types of the message, and, unless the method returns the whole response, what it returns of it. It begins with the
/// method of [`Calls`] that makes the call: `idempotent` or `once`.
macro_rules! rpcs {
    ($client:ident: $(
        $(#[$doc:meta])*
        $kind:ident $method:ident($($argument:ident: $type:ty),* $(,)?) -> $result:ty =
            proto::$message:ident { $($field:ident $(: $value:expr)?),* $(,)? }
            $(=> |$response:ident| $part:expr)?;
    )*) => {
        impl $client {$(
            $(#[$doc])*
            pub async fn $method(&self, $($argument: $type),*) -> Result<$result, Fault> {
                let message = proto::$message {
                    $($field: rpcs!(@first $($value,)? $field).into()),*
                };
                let response = self.0.$kind(message).await?;
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
