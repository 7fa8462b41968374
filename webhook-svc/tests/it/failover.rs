//! A PostgreSQL failover while messages are in flight.

use std::collections::HashMap;

use contracts::listings::v1::State::Published;
use contracts::webhook::v1::DeliveryState;
use sqlx::PgPool;
use testing::postgres::Server;
use testing::wait_until;
use time::Duration;
use uuid::Uuid;

use crate::receiver::{Behaviour, Received, Receiver};
use crate::support::{ADA, TAKEN, Webhook, game, replica, start};

/// How often each message arrived, by id.
fn times(received: &[Received]) -> HashMap<Uuid, usize> {
    let mut times = HashMap::new();
    for one in received {
        *times.entry(one.id()).or_default() += 1;
    }
    times
}

async fn recorded(pool: &PgPool, attempts: i64) {
    wait_until(&format!("{attempts} attempts are recorded"), async || {
        let count = sqlx::query_scalar!(r#"select count(*) as "count!" from webhook.attempt_log"#);
        count.fetch_one(pool).await.unwrap() == attempts
    })
    .await;
}

async fn assert_all_delivered(service: &Webhook, endpoint: Uuid, count: usize) {
    let deliveries = service.list(ADA, endpoint).await;
    assert_eq!(deliveries.len(), count);
    for delivery in deliveries {
        assert_eq!(delivery.state(), DeliveryState::Delivered, "{delivery:?}");
    }
}

#[tokio::test]
async fn a_promoted_standby_neither_loses_nor_repeats_a_message() {
    let mut primary = Server::new().await.unwrap();
    webhook::MIGRATOR.run(&primary.pool).await.unwrap();
    let standby = primary.standby().await.unwrap();
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let first = start(primary.pool.clone(), &[&receiver]).await.delivering();
    let endpoint = first.added(ADA, &receiver.url(), &["listing.updated"]).await;
    let changes: Vec<_> = (1..=40).map(|seq| game(seq, "updated", Published)).collect();
    first.listings(&changes[..30], TAKEN).await;
    recorded(&standby.pool, 30).await;
    receiver.set_behaviour(Behaviour::Status(500));
    first.listings(&changes[30..], TAKEN).await;
    recorded(&standby.pool, 40).await;
    let clock = first.clock.clone();
    primary.kill().unwrap();
    drop(first);

    standby.promote().await.unwrap();
    receiver.set_behaviour(Behaviour::Status(200));
    let second = replica(standby.pool.clone(), clock, &[&receiver]).await.delivering();
    // After the failover the follower applies the same changes again.
    second.listings(&changes, TAKEN).await;
    second.clock.advance(Duration::minutes(2));
    recorded(&standby.pool, 50).await;
    assert_all_delivered(&second, endpoint, 40).await;
    let times = times(&receiver.received());
    let twice = times.values().filter(|times| **times == 2).count();
    assert_eq!((times.len(), twice), (40, 10));
}
