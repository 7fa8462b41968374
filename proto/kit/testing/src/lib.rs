//! Support for the tests of services: a real gRPC server on a port of its own, inside the test's process.

pub mod postgres;
pub mod redis;

use tonic::service::RoutesBuilder;

use kit::admin::{Condition, Readiness};
use kit::boot::bind;
use kit::config::Identity;
use kit::lifecycle::Lifecycle;
use kit::rpc::client::{Addresses, Client, connect};
use kit::rpc::{Gate, server};

/// The tokens of a test's services.
pub fn identity() -> Identity {
    Identity {
        fleet_token: "fleet-token-of-a-test-0123456789abcdef".to_owned().into(),
        staff_token: "staff-token-of-a-test-0123456789abcdef".to_owned().into(),
    }
}

/// A condition that nobody waits for.
pub fn condition() -> Condition {
    Readiness::default().condition("a test")
}

/// Serves `services` as a service does and returns the address.
pub async fn serve(services: RoutesBuilder, lifecycle: &Lifecycle) -> anyhow::Result<String> {
    serve_behind(Gate::new(identity()), services, lifecycle).await
}

/// The same, with a gate of the test's own.
pub async fn serve_behind(
    gate: Gate,
    services: RoutesBuilder,
    lifecycle: &Lifecycle,
) -> anyhow::Result<String> {
    let listener = bind(([127, 0, 0, 1], 0).into(), "port of the test").await?;
    let address = format!("http://{}", listener.local_addr()?);
    let (draining, ended) = (lifecycle.draining(), lifecycle.ended());
    let serving = server::serve(
        listener,
        services,
        gate,
        Readiness::default(),
        draining,
        ended,
    );
    lifecycle.serve("gRPC server of the test", serving);
    Ok(address)
}

/// A channel to what [`serve`] serves, as another service of the fleet has it.
pub fn client(address: &str, lifecycle: &Lifecycle) -> anyhow::Result<Client> {
    let addresses = Addresses::List(vec![address.to_owned()]);
    connect(addresses, &identity().fleet_token, lifecycle)
}

/// A channel to what [`serve`] serves, as staff has it.
pub fn staff_client(address: &str, lifecycle: &Lifecycle) -> anyhow::Result<Client> {
    let addresses = Addresses::List(vec![address.to_owned()]);
    connect(addresses, &identity().staff_token, lifecycle)
}
