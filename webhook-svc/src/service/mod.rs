//! The gRPC services of webhook-svc. Their callers are services of the fleet, which have authenticated the account that they name.

mod convert;
mod deliveries;
mod endpoints;
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

/// All services, a file each.
#[derive(Debug)]
pub struct Service {
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

impl Service {
    /// Adds every service.
    pub fn add_to(self, services: &mut RoutesBuilder) {
        let service = Arc::new(self);
        services
            .add_service(EndpointsServiceServer::from_arc(Arc::clone(&service)))
            .add_service(DeliveriesServiceServer::from_arc(Arc::clone(&service)))
            .add_service(MessagesServiceServer::from_arc(Arc::clone(&service)))
            .add_service(ReceiversServiceServer::from_arc(Arc::clone(&service)))
            .add_service(StaffServiceServer::from_arc(service));
    }
}

/// The account that a request names.
fn account_id(text: &str) -> Result<Uuid, Fault> {
    parse_id("account_id", text)
}

fn parse_id(field: &str, text: &str) -> Result<Uuid, Fault> {
    text.parse().map_err(|_bad| {
        Fault::invalid_field(
            field,
            "Give an id, a UUID, from the list of accounts or of endpoints.",
        )
    })
}
