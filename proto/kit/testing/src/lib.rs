//! Support for tests of services: a real gRPC server on a free port, in the process of the test, and real PostgreSQL and Redis servers.

pub mod certificates;
pub mod database;
mod eventually;
pub mod mail;
pub mod openapi;
pub mod postgres;
pub mod python;
pub mod redis;
pub mod silent_proxy;

use std::time::Duration;

use tonic::service::RoutesBuilder;

use kit::admin::{Condition, Readiness};
use kit::boot::bind;
use kit::config::{Identity, Secret};
use kit::lifecycle::Lifecycle;
use kit::rpc::client::{Addresses, Client, Resolver, Transport};
use kit::rpc::{Authenticator, server};
pub use testing_macros::database_test;

pub use eventually::{eventually, eventually_within, wait_until};

/// For timeouts that the test is not about: no machine is so slow that it passes.
pub const LONG: Duration = Duration::from_mins(2);

pub fn identity() -> Identity {
    Identity {
        fleet_token: fleet_token().into(),
        staff_token: staff_token().into(),
        staff_members: None,
    }
}

pub fn fleet_token() -> Secret {
    "fleet-token-of-a-test-0123456789abcdef".to_owned().into()
}

pub fn staff_token() -> Secret {
    "staff-token-of-a-test-0123456789abcdef".to_owned().into()
}

/// A readiness condition that nothing reads.
pub fn condition() -> Condition {
    Readiness::default().condition("a test")
}

/// Serves `services` with the authentication of a real service; returns the address.
pub async fn serve(services: RoutesBuilder, lifecycle: &Lifecycle) -> anyhow::Result<String> {
    let authenticator = Authenticator::new(identity());
    serve_with_authenticator(authenticator, services, lifecycle).await
}

/// Like [`serve`], with another authenticator.
pub async fn serve_with_authenticator(
    authenticator: Authenticator,
    services: RoutesBuilder,
    lifecycle: &Lifecycle,
) -> anyhow::Result<String> {
    let listener = bind(([127, 0, 0, 1], 0).into(), "port of the test").await?;
    let address = format!("http://{}", listener.local_addr()?);
    let serving = server::serve(
        listener,
        services,
        None,
        authenticator,
        Readiness::default(),
        lifecycle.draining(),
    );
    lifecycle.spawn_server("gRPC server of the test", serving);
    Ok(address)
}

/// A client of [`serve`] that sends the fleet token.
pub fn client(address: &str, lifecycle: &Lifecycle) -> anyhow::Result<Client> {
    client_with_token(address, &fleet_token(), lifecycle)
}

/// A client of [`serve`] that sends the staff token.
pub fn staff_client(address: &str, lifecycle: &Lifecycle) -> anyhow::Result<Client> {
    client_with_token(address, &staff_token(), lifecycle)
}

/// A client of `addresses` with its own resolver.
pub fn connect(
    addresses: Addresses,
    transport: Transport,
    token: &Secret,
    lifecycle: &Lifecycle,
) -> anyhow::Result<Client> {
    let resolver = Resolver::watch(addresses, transport.clone(), lifecycle)?;
    Client::new(resolver, transport, token)
}

/// A client of [`serve`] that sends this token.
pub fn client_with_token(
    address: &str,
    token: &Secret,
    lifecycle: &Lifecycle,
) -> anyhow::Result<Client> {
    let addresses = Addresses::List(vec![address.to_owned()]);
    Ok(connect(addresses, Transport::plain(), token, lifecycle)?.with_default_deadline(LONG))
}
