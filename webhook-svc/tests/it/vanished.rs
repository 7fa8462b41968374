//! PostgreSQL vanishes without closing its connections, as after a power failure.

use std::pin::pin;
use std::time::Duration;

use kit::config::Database;
use sqlx::PgPool;
use testing::silent_proxy::SilentProxy;
use tokio::time::timeout;

use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, LEASE, Webhook, replica, start};

const STATEMENT_TIMEOUT: Duration = Duration::from_secs(1);

/// Waits for that many requests. The answer to a claim may be lost, or come too late on a slow machine: then the endpoint is claimed again when
/// the lease has ended.
async fn wait_for(receiver: &Receiver, count: usize, service: &Webhook) {
    let mut arriving = pin!(receiver.wait_for(count));
    while timeout(STATEMENT_TIMEOUT, &mut arriving).await.is_err() {
        service.clock.advance(LEASE.try_into().unwrap());
    }
}

#[testing::database_test(webhook::MIGRATOR)]
async fn delivery_continues_on_new_connections(direct: PgPool) {
    let mut proxy = SilentProxy::start(&direct).await.unwrap();
    let settings = Database {
        database_url: String::new().into(),
        database_connections: 4,
        database_deadline: Duration::from_secs(5),
        database_statement_timeout: Duration::from_secs(30),
        database_lock_timeout: Duration::from_secs(5),
        database_idle_in_transaction_timeout: Duration::from_secs(10),
    };
    let through = kit::pg::pool(proxy.options(&direct), &settings, &[]);
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(direct, &[&receiver]).await;
    let delivering = replica(through, service.clock.clone(), &[&receiver]).await;
    let _delivering = delivering.with_statement_timeout(STATEMENT_TIMEOUT).delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    service.ping(ADA, endpoint).await;
    wait_for(&receiver, 1, &service).await;
    proxy.fall_silent();
    proxy.dropped.changed().await.unwrap();
    // The proxy accepts new connections again.
    proxy.recover();
    service.ping(ADA, endpoint).await;
    wait_for(&receiver, 2, &service).await;
}
