//! The gRPC services of economy-svc, one file for each.

mod balances;
mod calls;
mod currencies;
mod exchange;
mod games;
mod history;
mod methodology;
mod own_reports;
mod page;
mod past_snapshots;
mod rate_lists;
mod rate_series;
mod rates;
mod render;
mod report_message;
mod reports;
mod snapshots;
mod staff;
mod swap_message;
mod tips;

use std::sync::Arc;

use contracts::economy::v1::currencies_service_server::CurrenciesServiceServer;
use contracts::economy::v1::exchange_service_server::ExchangeServiceServer;
use contracts::economy::v1::history_service_server::HistoryServiceServer;
use contracts::economy::v1::methodology_service_server::MethodologyServiceServer;
use contracts::economy::v1::rates_service_server::RatesServiceServer;
use contracts::economy::v1::reports_service_server::ReportsServiceServer;
use contracts::economy::v1::staff_service_server::StaffServiceServer;
use contracts::economy::v1::tips_service_server::TipsServiceServer;
use kit::Clock;
use kit::audit::Audit;
use kit::feed::{Producer, Writer};
use sqlx::PgPool;
use time::Duration;
use tonic::service::RoutesBuilder;

use crate::SCHEMA;
use crate::domain::report_policy::ReportPolicy;
use crate::write::CommandHandler;
use calls::CommandRunner;
use snapshots::SnapshotCache;

/// The dependencies of the services.
#[derive(Debug)]
pub struct Dependencies {
    pub pool: PgPool,
    pub clock: Clock,
    pub producer: Producer,
    pub writer: Writer<CommandHandler>,
    pub policy: ReportPolicy,
    /// A currency without a counted report for this long is late.
    pub late_after: Duration,
    /// The most past moments, besides the cached one, whose rates are in memory at once.
    pub past_rates: usize,
}

impl Dependencies {
    /// Adds every service: those of the internal port, and that for exchanges, which has a port of its own.
    pub fn add_to(self, services: &mut RoutesBuilder, to_exchanges: &mut RoutesBuilder) {
        let Self {
            pool,
            clock,
            producer,
            writer,
            policy,
            late_after,
            past_rates,
        } = self;
        let snapshots = SnapshotCache::new(pool.clone(), clock.clone(), late_after, past_rates);
        let snapshots = Arc::new(snapshots);
        let commands = CommandRunner::new(pool.clone(), writer.clone(), clock.clone(), policy);
        let audit = Audit::new(pool.clone(), SCHEMA, clock.clone());
        to_exchanges.add_service(ExchangeServiceServer::new(exchange::Service {
            pool: pool.clone(),
            writer: writer.clone(),
            clock: clock.clone(),
        }));
        services
            .add_service(producer.service())
            .add_service(ReportsServiceServer::new(reports::Service {
                commands: commands.clone(),
            }))
            .add_service(TipsServiceServer::new(tips::Service { commands }))
            .add_service(RatesServiceServer::new(rates::Service {
                snapshots: Arc::clone(&snapshots),
                pool: pool.clone(),
                clock: clock.clone(),
            }))
            .add_service(CurrenciesServiceServer::new(currencies::Service {
                pool: pool.clone(),
                writer: writer.clone(),
                snapshots,
            }))
            .add_service(HistoryServiceServer::new(history::Service {
                pool: pool.clone(),
                clock: clock.clone(),
            }))
            .add_service(MethodologyServiceServer::new(methodology::Service {
                policy,
                late_after,
            }))
            .add_service(StaffServiceServer::new(staff::Service {
                pool,
                writer,
                audit,
                clock,
            }));
    }
}
