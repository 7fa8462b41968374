//! A replica stops while receivers still owe it a response.

use contracts::webhook::v1::DeliveryState;
use sqlx::PgPool;
use testing::wait_until;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, LEASE, START, replica, start};

async fn leased_until(pool: &PgPool, endpoint: Uuid) -> Option<OffsetDateTime> {
    let until = sqlx::query_scalar!(
        "select leased_until from webhook.queue where endpoint_id = $1",
        endpoint
    );
    until.fetch_one(pool).await.unwrap()
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_stopping_replica_releases_each_endpoint_and_renews_the_leases_of_the_others(
    pool: PgPool,
) {
    let (hanging, slow) =
        (Receiver::start(Behaviour::Hang).await, Receiver::start(Behaviour::Hang).await);
    let receivers = [&hanging, &slow];
    let first = start(pool.clone(), &receivers).await.delivering();
    let of_hanging = first.added(ADA, &hanging.url(), &["tip.paid"]).await;
    let of_slow = first.added(ADA, &slow.url(), &["tip.paid"]).await;
    for (endpoint, receiver) in [(of_hanging, &hanging), (of_slow, &slow)] {
        first.ping(ADA, endpoint).await;
        receiver.wait_for(1).await;
    }
    let second = replica(pool.clone(), first.clock.clone(), &receivers).await.delivering();
    first.stop();
    slow.set_behaviour(Behaviour::Status(200));
    second.newest_attempted(ADA, of_slow, 1).await;
    second.ping(ADA, of_slow).await;
    slow.wait_for(2).await;

    // The first replica keeps the other endpoint until its receiver responds.
    second.clock.advance(Duration::seconds(9));
    wait_until("the lease is renewed", async || {
        leased_until(&pool, of_hanging).await > Some(START + LEASE)
    })
    .await;
    second.clock.advance(Duration::seconds(2));
    hanging.set_behaviour(Behaviour::Status(200));
    let delivery = second.newest_attempted(ADA, of_hanging, 1).await;
    assert_eq!(delivery.state(), DeliveryState::Delivered);
    assert_eq!(hanging.received().len(), 1);
}
