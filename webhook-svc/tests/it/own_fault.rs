//! Faults of our own network do not count against an endpoint.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use contracts::webhook::v1::DeliveryState;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use sqlx::PgPool;
use testing::wait_until;
use time::Duration;
use uuid::Uuid;
use webhook::http::resolver::{Resolve, ResolveError};

use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, HOST, Webhook, replica_with, start};

/// Name servers that answer or not, as the test says.
#[derive(Debug, Default)]
struct NameServers {
    answer: AtomicBool,
    asked: AtomicUsize,
}

impl Resolve for NameServers {
    fn resolve<'a>(
        &'a self,
        _: &'a str,
        port: u16,
    ) -> BoxFuture<'a, Result<Vec<SocketAddr>, ResolveError>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let found = if self.answer.load(Ordering::SeqCst) {
            Ok(vec![SocketAddr::from(([127, 0, 0, 1], port))])
        } else {
            Err(ResolveError::Unanswered("SERVFAIL".to_owned()))
        };
        async { found }.boxed()
    }
}

/// A replica with one endpoint, whose name the servers do not resolve yet.
async fn with_endpoint(pool: PgPool, receiver: &Receiver) -> (Webhook, Arc<NameServers>, Uuid) {
    let servers = Arc::new(NameServers::default());
    let first = start(pool.clone(), &[receiver]).await;
    let clock = first.clock.clone();
    let service = replica_with(
        pool,
        clock,
        &[receiver],
        Arc::<NameServers>::clone(&servers),
    )
    .await;
    let service = service.delivering();
    let url = receiver.url().replace("127.0.0.1", HOST);
    let endpoint = service.added(ADA, &url, &["tip.paid"]).await;
    (service, servers, endpoint)
}

/// Moves the clock by `step` until the condition holds.
async fn advance_until(
    what: &str,
    service: &Webhook,
    step: Duration,
    holds: impl AsyncFn() -> bool,
) {
    wait_until(what, async || {
        let holds = holds().await;
        if !holds {
            service.clock.advance(step);
        }
        holds
    })
    .await;
}

#[testing::database_test(webhook::MIGRATOR)]
async fn an_outage_of_our_name_servers_costs_no_attempt(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let (service, servers, endpoint) = with_endpoint(pool, &receiver).await;
    service.ping(ADA, endpoint).await;
    let asked = || servers.asked.load(Ordering::SeqCst);
    advance_until(
        "the name is looked up again and again",
        &service,
        Duration::seconds(1),
        async || asked() > 3,
    )
    .await;
    let delivery = service.list(ADA, endpoint).await.remove(0);
    assert_eq!(
        (delivery.state(), delivery.tries),
        (DeliveryState::Waiting, 0)
    );

    servers.answer.store(true, Ordering::SeqCst);
    let is_delivered = async || service.list(ADA, endpoint).await[0].tries > 0;
    advance_until(
        "the delivery is made",
        &service,
        Duration::seconds(1),
        is_delivered,
    )
    .await;
    let delivery = service.list(ADA, endpoint).await.remove(0);
    assert_eq!(
        (delivery.state(), delivery.tries),
        (DeliveryState::Delivered, 1)
    );
    assert_eq!(receiver.received().len(), 1);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn an_earlier_outage_does_not_count_once_another_replica_has_reached_the_endpoint(
    pool: PgPool,
) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let (service, servers, endpoint) = with_endpoint(pool.clone(), &receiver).await;
    let asked = || servers.asked.load(Ordering::SeqCst);
    service.ping(ADA, endpoint).await;
    advance_until(
        "the name is looked up again and again",
        &service,
        Duration::seconds(1),
        async || asked() > 3,
    )
    .await;
    // Another replica delivers.
    let reached = sqlx::query!(
        "update webhook.endpoint set last_success_at = $1",
        service.clock.now() + Duration::MINUTE
    );
    reached.execute(&pool).await.unwrap();
    service.clock.advance(Duration::hours(2));
    let before = asked();
    advance_until(
        "the name is looked up again and again",
        &service,
        Duration::seconds(1),
        async || asked() > before + 3,
    )
    .await;
    assert_eq!(service.list(ADA, endpoint).await[0].tries, 0);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_fault_of_yesterday_does_not_count_today(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let (service, servers, endpoint) = with_endpoint(pool.clone(), &receiver).await;
    let asked = || servers.asked.load(Ordering::SeqCst);
    service.ping(ADA, endpoint).await;
    wait_until("the name is looked up", async || asked() > 0).await;
    // Another replica delivers what waits; this one learns nothing of it.
    let gone = sqlx::query!("delete from webhook.waiting");
    gone.execute(&pool).await.unwrap();
    service.clock.advance(Duration::DAY);
    let before = asked();
    service.ping(ADA, endpoint).await;
    advance_until(
        "the name is looked up again and again",
        &service,
        Duration::seconds(1),
        async || asked() > before + 3,
    )
    .await;
    assert_eq!(service.list(ADA, endpoint).await[0].tries, 0);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_secret_that_stays_unreadable_is_told_to_its_owner(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool.clone(), &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    let damaged = sqlx::query!("update webhook.endpoint set secret = substr(secret, 1, 20)");
    damaged.execute(&pool).await.unwrap();
    service.ping(ADA, endpoint).await;
    let has_attempt = async || service.list(ADA, endpoint).await[0].tries > 0;
    advance_until(
        "an attempt counts",
        &service,
        Duration::minutes(10),
        has_attempt,
    )
    .await;
    let delivery = service.list(ADA, endpoint).await.remove(0);
    let reason = delivery.last_attempt.unwrap().reason;
    assert!(reason.contains("make a new secret"), "{reason}");
    assert!(service.clock.now() >= crate::support::START + Duration::HOUR);
    assert_eq!(receiver.received().len(), 0);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_domain_that_stays_broken_is_a_failure_of_its_owner(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let (service, _servers, endpoint) = with_endpoint(pool, &receiver).await;
    service.ping(ADA, endpoint).await;
    let has_attempt = async || service.list(ADA, endpoint).await[0].tries > 0;
    advance_until(
        "an attempt counts",
        &service,
        Duration::minutes(10),
        has_attempt,
    )
    .await;
    let delivery = service.list(ADA, endpoint).await.remove(0);
    let reason = delivery.last_attempt.unwrap().reason;
    assert!(reason.contains("could not resolve the name"), "{reason}");
    assert!(service.clock.now() >= crate::support::START + Duration::HOUR);
}
