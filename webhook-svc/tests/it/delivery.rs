//! Deliveries to real receivers, over all attempts.

use contracts::listings::v1::State::{Published, Removed};
use contracts::webhook::v1::{self as proto, DeliveryState, EndpointState};
use sqlx::PgPool;
use testing::wait_until;
use time::Duration;

use crate::receiver::{Behaviour, Received, Receiver};
use crate::recover::recover;
use crate::support::{ADA, BOB, START, TAKEN, game, notices, page, replica, start};

#[testing::database_test(webhook::MIGRATOR)]
async fn an_event_arrives_signed_and_is_shown(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool, &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["listing.published"]).await;
    let changes = [page(1, "published", ADA), game(2, "published", Published)];
    service.listings(&changes, TAKEN).await;

    let received = receiver.wait_for(2).await;
    let of_game = received.iter().find(|it| it.body["data"]["kind"] == "game").unwrap();
    assert_eq!(of_game.event(), "listing.published");
    let header = |name: &str| of_game.headers[name].to_str().unwrap();
    assert_eq!(header("x-service-event"), "listing.published");
    assert_eq!(header("x-service-delivery"), of_game.id().to_string());
    assert_eq!(header("x-service-timestamp"), START.unix_timestamp().to_string());
    assert_eq!(header("x-service-signature").len(), 64);

    let delivery = service.newest_attempted(ADA, endpoint, 1).await;
    assert_eq!(delivery.state(), DeliveryState::Delivered);
    let shown = service.delivery(ADA, endpoint, delivery.id).await;
    assert_eq!(shown.attempts.len(), 1);
    assert_eq!(shown.attempts[0].status, Some(200));
    assert_eq!(shown.attempts[0].answer, "noted");
    assert_eq!(shown.attempts[0].reason, "");
    assert_eq!(
        serde_json::from_slice::<serde_json::Value>(&shown.body).unwrap()["id"],
        delivery.message_id
    );
    let health = service.endpoint(ADA, endpoint).await.health.unwrap();
    assert_eq!((health.failures, health.queued), (0, 0));
    assert!(health.last_success_at.is_some());
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_waiting_delivery_survives_the_deselection_of_its_event(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool, &[&receiver]).await;
    let endpoint = service.added(ADA, &receiver.url(), &["listing.updated"]).await;
    let known = [page(1, "published", ADA), game(2, "published", Published)];
    service.listings(&known, TAKEN).await;
    service.listings(&[game(3, "updated", Published)], TAKEN).await;
    let change = proto::ChangeEndpointRequest {
        account_id: ADA.to_string(),
        id: endpoint.to_string(),
        events: Some(proto::EventList { events: vec!["tip.paid".to_owned()] }),
        ..proto::ChangeEndpointRequest::default()
    };
    let mut endpoints = service.endpoints.clone();
    endpoints.change_endpoint(change).await.unwrap();
    // A later message of the deselected event is not delivered.
    service.listings(&[game(4, "updated", Published)], TAKEN).await;
    let waiting = service.list(ADA, endpoint).await;
    assert_eq!(waiting.len(), 1, "{waiting:?}");

    let service = service.delivering();
    let delivery = service.newest_attempted(ADA, endpoint, 1).await;
    assert_eq!(delivery.state(), DeliveryState::Delivered);
    let received = receiver.received();
    let events: Vec<_> = received.iter().map(Received::event).collect();
    assert_eq!(events, ["listing.updated"]);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_delivery_and_its_attempts_are_read_in_one_snapshot(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool, &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    for _ in 0..50 {
        let sent = service.ping(ADA, endpoint).await;
        loop {
            let shown = service.delivery(ADA, endpoint, sent.id).await;
            let delivery = shown.delivery.unwrap();
            let attempts = u32::try_from(shown.attempts.len()).unwrap();
            assert_eq!(delivery.tries, attempts, "{:?}", delivery.state());
            if delivery.state() == DeliveryState::Delivered {
                break;
            }
        }
    }
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_delivery_has_six_attempts_with_growing_delays(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(500)).await;
    let service = start(pool.clone(), &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    service.ping(ADA, endpoint).await;

    for (attempts, minutes) in [(1, 1), (2, 5), (3, 30), (4, 120), (5, 720)] {
        let delivery = service.newest_attempted(ADA, endpoint, attempts).await;
        assert_eq!(delivery.state(), DeliveryState::Waiting);
        let due = kit::api::timestamp::decode(delivery.due_at.unwrap()).unwrap();
        let wait = due - service.clock.now();
        let usual = Duration::minutes(minutes);
        let (least, most) = if attempts == 5 { (usual * 0.9, usual) } else { (usual, usual * 1.1) };
        assert!(wait >= least && wait <= most, "{attempts}: {wait}");
        assert_eq!(receiver.received().len(), usize::try_from(attempts).unwrap());
        service.clock.advance(wait);
    }
    let delivery = service.newest_attempted(ADA, endpoint, 6).await;
    assert_eq!(delivery.state(), DeliveryState::Failed);
    let ids: Vec<_> = receiver.received().iter().map(Received::id).collect();
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    let attempts = service.delivery(ADA, endpoint, delivery.id).await.attempts;
    assert_eq!(attempts.len(), 6);
    assert!(attempts.iter().all(|it| it.status == Some(500) && !it.reason.is_empty()));

    let notices = notices(&pool).await;
    let notice = proto::EndpointNotice {
        account_id: ADA.to_string(),
        endpoint_id: endpoint.to_string(),
        url: receiver.url(),
        failed: 1,
    };
    assert_eq!(notices, [("deliveries_failed".to_owned(), notice)]);
    let health = service.endpoint(ADA, endpoint).await.health.unwrap();
    assert_eq!(health.failures, 1);

    // The receiver is repaired: a dry run counts the failed deliveries, then they are recovered.
    receiver.set_behaviour(Behaviour::Status(204));
    for dry_run in [true, false] {
        let answer = recover(&service, endpoint, Some(START), dry_run).await;
        assert_eq!(answer.unwrap().deliveries, 1);
    }
    assert_eq!(service.newest_attempted(ADA, endpoint, 7).await.state(), DeliveryState::Delivered);
    service.send_again(ADA, endpoint, delivery.id).await.unwrap();
    assert_eq!(service.newest_attempted(ADA, endpoint, 8).await.state(), DeliveryState::Delivered);
    assert_eq!(service.endpoint(ADA, endpoint).await.health.unwrap().failures, 0);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn retry_after_delays_the_next_attempt(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::RetryAfter(1_000)).await;
    let service = start(pool, &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    service.ping(ADA, endpoint).await;
    let delivery = service.newest_attempted(ADA, endpoint, 1).await;
    let due = kit::api::timestamp::decode(delivery.due_at.unwrap()).unwrap();
    assert_eq!(due - START, Duration::seconds(1_000));
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_410_switches_the_endpoint_off_until_it_is_resumed(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(410)).await;
    let service = start(pool.clone(), &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    service.ping(ADA, endpoint).await;
    let delivery = service.newest_attempted(ADA, endpoint, 1).await;
    // It waits with all its attempts.
    assert_eq!(delivery.state(), DeliveryState::Waiting);
    let left = sqlx::query_scalar!("select attempts_left from webhook.waiting");
    assert_eq!(left.fetch_one(&pool).await.unwrap(), 6);
    let off = service.endpoint(ADA, endpoint).await;
    assert_eq!(off.state(), EndpointState::Off);
    assert!(off.reason.contains("410"), "{}", off.reason);
    let notices = notices(&pool).await;
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert_eq!(notices[0].0, "disabled_by_gone");

    receiver.set_behaviour(Behaviour::Status(200));
    service.set_paused(ADA, endpoint, false).await;
    let sent = service.attempted(ADA, endpoint, delivery.id, 2).await;
    assert_eq!(sent.delivery.unwrap().state(), DeliveryState::Delivered);
    assert_eq!(receiver.received().len(), 2);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn an_attempt_for_a_listing_that_was_taken_down_is_cancelled(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(500)).await;
    let service = start(pool, &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["listing.updated"]).await;
    service.listings(&[game(2, "updated", Published)], TAKEN).await;
    let delivery = service.newest_attempted(ADA, endpoint, 1).await;
    assert_eq!(delivery.state(), DeliveryState::Waiting);

    service.listings(&[game(3, "removed", Removed)], TAKEN).await;
    service.clock.advance(Duration::minutes(2));
    wait_until("the delivery is cancelled", async || {
        service.list(ADA, endpoint).await[0].state() == DeliveryState::Cancelled
    })
    .await;
    assert_eq!(receiver.received().len(), 1);
    // The second attempt records the reason. After the listing is restored, sending again continues the same delivery.
    let shown = service.delivery(ADA, endpoint, delivery.id).await;
    let reasons: Vec<&str> = shown.attempts.iter().map(|it| &*it.reason).collect();
    assert_eq!(reasons, ["answered 500", "The listing is no longer published."]);
    receiver.set_behaviour(Behaviour::Status(200));
    service.listings(&[game(4, "restored", Published)], TAKEN).await;
    service.send_again(ADA, endpoint, delivery.id).await.unwrap();
    let delivered = service.newest_attempted(ADA, endpoint, 3).await;
    assert_eq!(delivered.state(), DeliveryState::Delivered);
    assert_eq!(service.list(ADA, endpoint).await.len(), 1);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_paused_endpoint_keeps_its_queue(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool, &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["listing.updated"]).await;
    service.set_paused(ADA, endpoint, true).await;
    let paused = service.endpoint(ADA, endpoint).await;
    assert_eq!(paused.state(), EndpointState::Paused);
    let changes = [2, 3, 4].map(|seq| game(seq, "updated", Published));
    service.listings(&changes, TAKEN).await;
    service.clock.advance(Duration::days(1));
    let health = service.endpoint(ADA, endpoint).await.health.unwrap();
    assert_eq!(health.queued, 3);
    assert_eq!(health.queued_since, Some(kit::api::timestamp::encode(START)));
    assert_eq!(receiver.received().len(), 0);

    service.set_paused(ADA, endpoint, false).await;
    receiver.wait_for(3).await;
}

/// The longer an outage, the later the next attempt of its first delivery.
#[testing::database_test(webhook::MIGRATOR)]
async fn the_oldest_delivery_is_named_also_if_another_is_due_first(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(500)).await;
    let service = start(pool, &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["listing.updated"]).await;
    service.listings(&[game(2, "updated", Published)], TAKEN).await;
    service.newest_attempted(ADA, endpoint, 1).await;
    service.set_paused(ADA, endpoint, true).await;
    service.clock.advance(Duration::seconds(1));
    service.listings(&[game(3, "updated", Published)], TAKEN).await;
    let health = service.endpoint(ADA, endpoint).await.health.unwrap();
    assert_eq!(health.queued, 2);
    assert_eq!(health.queued_since, Some(kit::api::timestamp::encode(START)));
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_hanging_endpoint_does_not_hold_up_another(pool: PgPool) {
    let (hanging, good) =
        (Receiver::start(Behaviour::Hang).await, Receiver::start(Behaviour::Status(200)).await);
    let service = start(pool, &[&hanging, &good]).await.delivering();
    service.added(ADA, &hanging.url(), &["listing.updated"]).await;
    service.added(ADA, &good.url(), &["listing.updated"]).await;
    let changes: Vec<_> = (2..102).map(|seq| game(seq, "updated", Published)).collect();
    service.listings(&changes, TAKEN).await;
    good.wait_for(100).await;
    let in_flight = hanging.received().len();
    assert!(in_flight <= 16, "{in_flight}");
}

#[testing::database_test(webhook::MIGRATOR)]
async fn two_replicas_deliver_each_message_once(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let first = start(pool.clone(), &[&receiver]).await.delivering();
    let second = replica(pool.clone(), first.clock.clone(), &[&receiver]).await.delivering();
    let mut endpoints = Vec::new();
    for account in [ADA, ADA, BOB, BOB] {
        let endpoint = first.added(account, &receiver.url(), &["listing.updated"]).await;
        endpoints.push((account, endpoint));
    }
    let changes: Vec<_> = (2..52).map(|seq| game(seq, "updated", Published)).collect();
    for (number, change) in changes.chunks(10).enumerate() {
        let replica = if number % 2 == 0 { &first } else { &second };
        replica.listings(change, TAKEN).await;
    }
    receiver.wait_for(200).await;
    for (account, endpoint) in endpoints {
        let is_done = |delivery: &proto::Delivery| delivery.state() == DeliveryState::Delivered;
        wait_until("all deliveries are recorded", async || {
            first.list(account, endpoint).await.iter().all(is_done)
        })
        .await;
        let deliveries = first.list(account, endpoint).await;
        assert_eq!(deliveries.len(), 50);
        assert!(deliveries.iter().all(|delivery| delivery.tries == 1));
    }
    assert_eq!(receiver.received().len(), 200);
}
