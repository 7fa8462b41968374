//! A replica that has lost its claim of an endpoint.

use contracts::webhook::v1::DeliveryState;
use sqlx::PgPool;
use uuid::Uuid;
use webhook::store::queue;

use crate::receiver::{Behaviour, Received, Receiver};
use crate::support::{ADA, LEASE, START, start};

const OTHER: Uuid = Uuid::from_u128(2);

#[testing::database_test(webhook::MIGRATOR)]
async fn a_result_under_a_lost_claim_is_discarded(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Hang).await;
    let service = start(pool.clone(), &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    service.ping(ADA, endpoint).await;
    receiver.wait_for(1).await;
    // For PostgreSQL the lease has expired: another replica claims the endpoint while the first still waits for the response.
    let mut connection = pool.acquire().await.unwrap();
    let taken = queue::claim(&mut connection, OTHER, 9, START + LEASE, LEASE).await.unwrap();
    assert_eq!((taken.len(), taken[0].token), (1, 2));
    receiver.set_behaviour(Behaviour::Status(200));
    queue::release(&pool, OTHER, &[endpoint], START).await.unwrap();
    // The first replica claims the endpoint again and repeats the request, because the result of its old claim was discarded.
    let received = receiver.wait_for(2).await;
    let ids: Vec<Uuid> = received.iter().map(Received::id).collect();
    assert_eq!(ids[0], ids[1]);
    let delivery = service.newest_attempted(ADA, endpoint, 1).await;
    assert_eq!((delivery.state(), delivery.tries), (DeliveryState::Delivered, 1));
    let shown = service.delivery(ADA, endpoint, delivery.id).await;
    assert_eq!(shown.attempts.len(), 1);
}
