//! The gRPC services of webhook-svc: `handlers` has the calls, `endpoints`, `deliveries`, `messages` and `receivers` their operations.

mod convert;
mod deliveries;
mod endpoints;
mod handlers;
mod messages;
mod receivers;

use std::sync::Arc;

use contracts::webhook::v1::deliveries_service_server::DeliveriesServiceServer;
use contracts::webhook::v1::endpoints_service_server::EndpointsServiceServer;
use contracts::webhook::v1::messages_service_server::MessagesServiceServer;
use contracts::webhook::v1::receivers_service_server::ReceiversServiceServer;
use contracts::webhook::v1::staff_service_server::StaffServiceServer;
use kit::key_ring::KeyRing;
use kit::wakeup::Wakeup;
use kit::{Clock, Fault};
use sqlx::PgPool;
use tonic::service::RoutesBuilder;
use uuid::Uuid;

use crate::domain::schedule::Schedule;
use crate::http::Sender;

/// The dependencies of the services. Its methods are the operations, in the file of their service.
#[derive(Debug)]
pub struct Dependencies {
    pub pool: PgPool,
    pub clock: Clock,
    /// Wakes the dispatchers.
    pub wakeup: Wakeup,
    /// Sends the requests to addresses that are entered.
    pub sender: Sender,
    pub key_ring: KeyRing,
    pub schedule: Schedule,
    /// How long the old secret signs after a rotation.
    pub rotation: time::Duration,
    /// How long messages can be pulled.
    pub retention: time::Duration,
    /// The base URL of the public pages, for samples.
    pub public_url: String,
}

impl Dependencies {
    /// Adds every service.
    pub fn add_to(self, services: &mut RoutesBuilder) {
        let service = handlers::Service(Arc::new(self));
        services
            .add_service(EndpointsServiceServer::new(service.clone()))
            .add_service(DeliveriesServiceServer::new(service.clone()))
            .add_service(MessagesServiceServer::new(service.clone()))
            .add_service(ReceiversServiceServer::new(service.clone()))
            .add_service(StaffServiceServer::new(service));
    }
}

fn parse_id(field: &str, text: &str) -> Result<Uuid, Fault> {
    text.parse().map_err(|_bad| {
        Fault::invalid_field(
            field,
            "Give an id, a UUID, from the list of accounts or of endpoints.",
        )
    })
}
