//! Rate limits of endpoints.

use contracts::listings::v1::State::{Published, Removed};
use contracts::webhook::v1::{self as proto, DeliveryState};
use sqlx::PgPool;
use testing::wait_until;
use time::Duration;
use uuid::Uuid;

use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, BOB, TAKEN, Webhook, game, numbered_game, start};

/// An endpoint without a limit. When one of its deliveries has arrived, a replica that did not hold back would have sent the others too.
struct Unlimited {
    receiver: Receiver,
    endpoint: Uuid,
}

/// A replica with a limited endpoint of Ada's and an unlimited one of Bob's.
async fn start_limited(pool: PgPool, limit: u32) -> (Webhook, Receiver, Uuid, Unlimited) {
    let limited = Receiver::start(Behaviour::Status(200)).await;
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool, &[&limited, &receiver]).await.delivering();
    let request = proto::AddEndpointRequest {
        account_id: ADA.to_string(),
        url: limited.url(),
        events: vec!["listing.updated".to_owned()],
        rate_limit: Some(limit),
    };
    let added = service.endpoints.clone().add_endpoint(request).await;
    let added = added.unwrap().into_inner().endpoint.unwrap();
    assert_eq!(added.rate_limit, Some(limit));
    let endpoint = service.added(BOB, &receiver.url(), &["tip.paid"]).await;
    let unlimited = Unlimited { receiver, endpoint };
    (service, limited, added.id.parse().unwrap(), unlimited)
}

/// The next delivery arrives when the clock has moved by `interval`, and not before.
async fn arrives_after(
    service: &Webhook,
    interval: Duration,
    limited: &Receiver,
    unlimited: &Unlimited,
) {
    let arrived = limited.received().len();
    service.clock.advance(interval - Duration::MILLISECOND);
    let others = unlimited.receiver.received().len();
    service.ping(BOB, unlimited.endpoint).await;
    unlimited.receiver.wait_for(others + 1).await;
    assert_eq!(limited.received().len(), arrived);
    service.clock.advance(Duration::MILLISECOND);
    limited.wait_for(arrived + 1).await;
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_rate_limit_holds_a_queue_back(pool: PgPool) {
    let (service, limited, _, unlimited) = start_limited(pool, 5).await;
    let changes = [1, 2, 3, 4, 5, 6].map(|seq| game(seq, "updated", Published));
    service.listings(&changes, TAKEN).await;
    limited.wait_for(1).await;
    for _ in 2..=6 {
        arrives_after(&service, Duration::milliseconds(200), &limited, &unlimited).await;
    }
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_delivery_that_the_limit_holds_back_is_cancelled_with_its_listing(pool: PgPool) {
    let (service, limited, endpoint, _) = start_limited(pool, 1).await;
    let another = Uuid::from_u128(0x12);
    let changes = [
        game(1, "updated", Published),
        numbered_game(2, "updated", Published, another),
    ];
    service.listings(&changes, TAKEN).await;
    limited.wait_for(1).await;
    let removed = numbered_game(3, "removed", Removed, another);
    service.listings(&[removed], TAKEN).await;
    // New work makes the worker look again.
    service.ping(ADA, endpoint).await;
    wait_until("the delivery is cancelled", async || {
        service.list(ADA, endpoint).await[1].state() == DeliveryState::Cancelled
    })
    .await;
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_rate_limit_holds_when_events_come_singly(pool: PgPool) {
    let (service, limited, endpoint, unlimited) = start_limited(pool, 2).await;
    service.ping(ADA, endpoint).await;
    limited.wait_for(1).await;
    for attempts in 2..=8 {
        // The delivery before is recorded: nothing waits, and the claim may end.
        service.newest_attempted(ADA, endpoint, 1).await;
        service.ping(ADA, endpoint).await;
        arrives_after(&service, Duration::milliseconds(500), &limited, &unlimited).await;
        assert_eq!(limited.received().len(), attempts);
    }
}
