//! The gRPC services of economy-svc, one file for each.

mod calls;
mod currencies;
mod games;
mod history;
mod own_reports;
mod page;
mod rates;
mod render;
mod reports;
mod snapshot;
mod snapshots;
mod staff;
mod swap_import;
mod tips;

use std::sync::Arc;

use contracts::economy::v1::currencies_service_server::CurrenciesServiceServer;
use contracts::economy::v1::history_service_server::HistoryServiceServer;
use contracts::economy::v1::rates_service_server::RatesServiceServer;
use contracts::economy::v1::reports_service_server::ReportsServiceServer;
use contracts::economy::v1::staff_service_server::StaffServiceServer;
use contracts::economy::v1::tips_service_server::TipsServiceServer;
use kit::Clock;
use kit::audit::Audit;
use kit::feed::Producer;
use kit::lifecycle::Lifecycle;
use sqlx::PgPool;
use time::Duration;
use tonic::service::RoutesBuilder;

use crate::SCHEMA;
use crate::domain::report_policy::ReportPolicy;
use snapshots::Snapshots;

/// The dependencies of the services.
#[derive(Debug)]
pub struct Dependencies {
    pub pool: PgPool,
    pub clock: Clock,
    pub producer: Producer,
    pub policy: ReportPolicy,
    /// A currency without a counted report for this long is late.
    pub late_after: Duration,
    pub lifecycle: Lifecycle,
}

impl Dependencies {
    /// Adds every service.
    pub fn add_to(self, services: &mut RoutesBuilder) {
        let (pool, clock) = (self.pool.clone(), self.clock.clone());
        let service = Arc::new(Service {
            snapshots: Snapshots::start(pool, clock, self.late_after, &self.lifecycle),
            audit: Audit::new(self.pool.clone(), SCHEMA, self.clock.clone()),
            pool: self.pool,
            clock: self.clock,
            producer: self.producer.clone(),
            policy: self.policy,
        });
        let service = || Arc::clone(&service);
        services
            .add_service(self.producer.service())
            .add_service(ReportsServiceServer::from_arc(service()))
            .add_service(TipsServiceServer::from_arc(service()))
            .add_service(RatesServiceServer::from_arc(service()))
            .add_service(CurrenciesServiceServer::from_arc(service()))
            .add_service(HistoryServiceServer::from_arc(service()))
            .add_service(StaffServiceServer::from_arc(service()));
    }
}

/// Every service: each file implements one of them.
#[derive(Debug)]
struct Service {
    pool: PgPool,
    clock: Clock,
    producer: Producer,
    policy: ReportPolicy,
    snapshots: Snapshots,
    audit: Audit,
}
