//! An endpoint that keeps failing is switched off.

use contracts::listings::v1::State::Published;
use contracts::webhook::v1::{DeliveryState, EndpointState};
use sqlx::PgPool;
use time::Duration;
use uuid::Uuid;
use webhook::domain::schedule::Schedule;

use crate::address::change_url;
use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, START, TAKEN, Webhook, game, notices, start};

/// Advances the clock until the newest delivery has no attempts left.
async fn run_out_of_attempts(service: &Webhook, endpoint: Uuid) {
    for attempts in 1..=6 {
        let delivery = service.newest_attempted(ADA, endpoint, attempts).await;
        match delivery.due_at {
            Some(due) => {
                let due = kit::api::timestamp::decode(due).unwrap();
                service.clock.advance(due - service.clock.now());
            }
            None => assert_eq!((delivery.state(), attempts), (DeliveryState::Failed, 6)),
        }
    }
}

#[testing::database_test(webhook::MIGRATOR)]
async fn five_days_of_failures_switch_an_endpoint_off(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(500)).await;
    let service = start(pool.clone(), &[&receiver]).await.delivering();
    let events = ["listing.updated"];
    let endpoint = service.added(ADA, &receiver.url(), &events).await;
    for (seq, day) in [(1, 0), (2, 1), (3, 2), (4, 3), (5, 5)] {
        let on = service.endpoint(ADA, endpoint).await;
        assert_eq!(on.state(), EndpointState::On, "before day {day}");
        let morning = START + Duration::days(day);
        service.clock.advance(morning - service.clock.now());
        let change = game(seq, "updated", Published);
        service.listings(&[change], TAKEN).await;
        run_out_of_attempts(&service, endpoint).await;
    }
    let off = service.endpoint(ADA, endpoint).await;
    assert_eq!(off.state(), EndpointState::Off);
    assert!(off.reason.contains("resume"), "{}", off.reason);
    let notices = notices(&pool).await;
    let events: Vec<&str> = notices.iter().map(|(event, _)| event.as_str()).collect();
    assert_eq!(events.first(), Some(&"deliveries_failed"));
    assert_eq!(events.last(), Some(&"disabled_after_failures"));

    // A disabled endpoint gets no deliveries until the owner resumes it.
    let change = game(6, "updated", Published);
    service.listings(&[change], TAKEN).await;
    assert_eq!(service.list(ADA, endpoint).await.len(), 5);
    receiver.set_behaviour(Behaviour::Status(200));
    service.set_paused(ADA, endpoint, false).await;
    let resumed = service.endpoint(ADA, endpoint).await;
    assert_eq!((resumed.state(), resumed.reason.as_str()), (EndpointState::On, ""));
    let change = game(7, "updated", Published);
    service.listings(&[change], TAKEN).await;
    let delivery = service.newest_attempted(ADA, endpoint, 1).await;
    assert_eq!(delivery.state(), DeliveryState::Delivered);
}

/// A success between two failures allows no second mail.
#[testing::database_test(webhook::MIGRATOR)]
async fn an_endpoint_that_fails_now_and_then_makes_one_notice_a_day(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(500)).await;
    let mut service = start(pool.clone(), &[&receiver]).await.delivering();
    // Each delivery has one attempt.
    service.publisher.schedule = Schedule::new(Vec::new());
    let events = ["listing.updated"];
    let endpoint = service.added(ADA, &receiver.url(), &events).await;
    let mut seq = 0;
    for hours in [0, 1, 30] {
        let time = START + Duration::hours(hours);
        service.clock.advance(time - service.clock.now());
        for status in [500, 200] {
            receiver.set_behaviour(Behaviour::Status(status));
            seq += 1;
            let change = game(seq, "updated", Published);
            service.listings(&[change], TAKEN).await;
            service.newest_attempted(ADA, endpoint, 1).await;
        }
    }
    let notices = notices(&pool).await;
    let failed: Vec<u32> = notices.iter().map(|(_, notice)| notice.failed).collect();
    assert_eq!(failed, [1, 2]);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_new_address_resets_the_failures(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(500)).await;
    let mut service = start(pool.clone(), &[&receiver]).await.delivering();
    service.publisher.schedule = Schedule::new(Vec::new());
    let events = ["listing.updated"];
    let endpoint = service.added(ADA, &receiver.url(), &events).await;
    let fail = async |seq: i64, days: i64| {
        let time = START + Duration::days(days);
        service.clock.advance(time - service.clock.now());
        let change = game(seq, "updated", Published);
        service.listings(&[change], TAKEN).await;
        service.newest_attempted(ADA, endpoint, 1).await;
    };
    for (seq, days) in [(1, 0), (2, 3)] {
        fail(seq, days).await;
    }
    let change = async |url: String| {
        change_url(&service, endpoint, &url).await.unwrap();
        let changed = service.endpoint(ADA, endpoint).await;
        changed.health.unwrap().failures
    };
    assert_eq!(change(receiver.url()).await, 2, "the same address");
    assert_eq!(change(format!("{}/repaired", receiver.origin)).await, 0);
    for (seq, days) in [(3, 4), (4, 5), (5, 6)] {
        fail(seq, days).await;
    }
    let found = service.endpoint(ADA, endpoint).await;
    assert_eq!(found.state(), EndpointState::On);
    assert_eq!(found.health.unwrap().failures, 3);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn an_attempt_to_the_old_address_does_not_count_for_the_new_one(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Hang).await;
    let mut service = start(pool.clone(), &[&receiver]).await.delivering();
    service.publisher.schedule = Schedule::new(Vec::new());
    let events = ["listing.updated"];
    let endpoint = service.added(ADA, &receiver.url(), &events).await;
    let change = game(2, "updated", Published);
    service.listings(&[change], TAKEN).await;
    receiver.wait_for(1).await;
    let repaired = format!("{}/repaired", receiver.origin);
    change_url(&service, endpoint, &repaired).await.unwrap();
    receiver.set_behaviour(Behaviour::Status(500));
    let delivery = service.newest_attempted(ADA, endpoint, 1).await;
    assert_eq!(delivery.state(), DeliveryState::Failed);
    let found = service.endpoint(ADA, endpoint).await;
    assert_eq!(found.state(), EndpointState::On);
    assert_eq!(found.health.unwrap().failures, 0);
    assert!(notices(&pool).await.is_empty());
}

/// The delivery has a single try, and the 410 does not use it up.
#[testing::database_test(webhook::MIGRATOR)]
async fn a_delivery_that_the_old_address_refused_by_410_goes_to_the_new_one(pool: PgPool) {
    let old = Receiver::start(Behaviour::Hang).await;
    let new = Receiver::start(Behaviour::Status(200)).await;
    let mut service = start(pool.clone(), &[&old, &new]).await.delivering();
    service.publisher.schedule = Schedule::new(Vec::new());
    let events = ["listing.updated"];
    let endpoint = service.added(ADA, &old.url(), &events).await;
    service.listings(&[game(2, "updated", Published)], TAKEN).await;
    old.wait_for(1).await;
    change_url(&service, endpoint, &new.url()).await.unwrap();
    old.set_behaviour(Behaviour::Status(410));
    let delivery = service.newest_attempted(ADA, endpoint, 2).await;
    assert_eq!(delivery.state(), DeliveryState::Delivered);
    let found = service.endpoint(ADA, endpoint).await;
    assert_eq!(found.state(), EndpointState::On);
    assert!(notices(&pool).await.is_empty());
}
