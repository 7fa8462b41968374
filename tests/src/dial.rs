//! gRPC clients of services.

use std::time::Duration;

use kit::config::Secret;
use kit::rpc::client::{self, Client, Transport};

use crate::{Fleet, eventually};

/// Longer than any slow machine needs; the default of services is a few seconds.
const DEADLINE: Duration = Duration::from_mins(2);

/// A client of the service at `address`, once the service answers.
///
/// # Panics
/// Nothing answers.
pub async fn dial(address: &str, token: &Secret) -> Client {
    let dialled = eventually("the service answers", async || {
        client::dial(address, Transport::plain(), token).await.ok()
    });
    dialled.await.with_default_deadline(DEADLINE)
}

impl Fleet {
    /// A client of the first process of a service, with the fleet token.
    pub async fn rpc_client(&self, service: &str) -> Client {
        let token = self.service_token.clone().into();
        dial(&self.service(service).grpc, &token).await
    }
}
