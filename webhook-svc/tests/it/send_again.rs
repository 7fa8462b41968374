//! *Send again*: when the try is made.

use contracts::listings::v1::State::Published;
use contracts::webhook::v1::{DeliveryState, SendAgainRequest};
use sqlx::{Connection as _, PgConnection, PgPool};
use time::Duration;
use tokio::task::JoinSet;
use uuid::Uuid;
use webhook::domain::schedule::Schedule;
use webhook::store::attempts;
use webhook::store::deliveries::DeliveryState as Stored;
use webhook::store::{endpoints, queue};

use crate::receiver::{Behaviour, Receiver};
use crate::recording::attempt;
use crate::support::{ADA, LEASE, START, TAKEN, game, is_waiting_for_a_lock, start};

#[testing::database_test(webhook::MIGRATOR)]
async fn a_resend_waits_while_the_endpoint_is_paused(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool, &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    let id = service.ping(ADA, endpoint).await.id;
    service.attempted(ADA, endpoint, id, 1).await;
    service.set_paused(ADA, endpoint, true).await;
    service.send_again(ADA, endpoint, id).await.unwrap();
    service.test_event(ADA, endpoint).await;
    assert_eq!(receiver.received().len(), 1, "nothing is sent");
    service.set_paused(ADA, endpoint, false).await;
    receiver.wait_for(3).await;
    service.attempted(ADA, endpoint, id, 2).await;
    service.send_again(ADA, endpoint, id).await.unwrap();
    receiver.wait_for(4).await;
}

/// The form names the attempts that its page has shown.
#[testing::database_test(webhook::MIGRATOR)]
async fn a_form_that_is_sent_twice_sends_once(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool, &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    let id = service.ping(ADA, endpoint).await.id;
    service.attempted(ADA, endpoint, id, 1).await;
    let send = async |tries: u32| {
        let (mut deliveries, request) = service.send_again_request(ADA, endpoint, id);
        let request = SendAgainRequest { read_tries: Some(tries), ..request };
        deliveries.send_again(request).await.unwrap().into_inner().unchanged
    };
    assert!(!send(1).await);
    service.attempted(ADA, endpoint, id, 2).await;
    // The second sending comes once the attempt has ended. A page from before the first shows none.
    for tries in [1, 0] {
        assert!(send(tries).await, "{tries}");
    }
    // Nor is one added to a delivery that waits for its retry.
    receiver.set_behaviour(Behaviour::Status(500));
    let failing = service.ping(ADA, endpoint).await.id;
    let shown = service.attempted(ADA, endpoint, failing, 1).await.delivery.unwrap();
    assert_eq!(shown.state(), DeliveryState::Waiting);
    let (mut deliveries, request) = service.send_again_request(ADA, endpoint, failing);
    let request = SendAgainRequest { read_tries: Some(0), ..request };
    assert!(deliveries.send_again(request).await.unwrap().into_inner().unchanged);
    let listed = service.list(ADA, endpoint).await;
    let tries: Vec<u32> = listed.iter().map(|delivery| delivery.tries).collect();
    assert_eq!(tries, [1, 2]);
    assert_eq!(receiver.received().len(), 3);
    receiver.set_behaviour(Behaviour::Status(200));
    assert!(!send(2).await);
    service.attempted(ADA, endpoint, id, 3).await;
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_resend_during_a_failing_attempt_is_made_at_once(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Hang).await;
    let service = start(pool, &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    let id = service.ping(ADA, endpoint).await.id;
    receiver.wait_for(1).await;
    service.clock.advance(Duration::SECOND);
    service.send_again(ADA, endpoint, id).await.unwrap();
    receiver.set_behaviour(Behaviour::Status(500));
    let shown = service.attempted(ADA, endpoint, id, 2).await;
    let delivery = shown.delivery.unwrap();
    assert_eq!((delivery.state(), delivery.tries), (DeliveryState::Waiting, 2));
    assert_eq!(receiver.received().len(), 2);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_resend_during_the_last_attempt_adds_one(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Hang).await;
    let mut service = start(pool, &[&receiver]).await.delivering();
    // A schedule without retries: each delivery has one attempt.
    service.publisher.schedule = Schedule::new(Vec::new());
    let events = ["listing.updated"];
    let endpoint = service.added(ADA, &receiver.url(), &events).await;
    service.listings(&[game(2, "updated", Published)], TAKEN).await;
    let id = service.list(ADA, endpoint).await.remove(0).id;
    receiver.wait_for(1).await;
    service.clock.advance(Duration::SECOND);
    service.send_again(ADA, endpoint, id).await.unwrap();
    receiver.set_behaviour(Behaviour::Status(500));
    let shown = service.attempted(ADA, endpoint, id, 2).await;
    assert_eq!(shown.delivery.unwrap().state(), DeliveryState::Failed);
    let health = service.endpoint(ADA, endpoint).await.health.unwrap();
    assert_eq!(health.failures, 1, "a delivery fails once");
}

/// The running attempt is recorded in a transaction that has not ended yet when *Send again* is pressed.
#[testing::database_test(webhook::MIGRATOR)]
async fn a_resend_during_the_record_of_an_attempt_follows_only_a_failure(pool: PgPool) {
    const HOLDER: Uuid = Uuid::from_u128(1);
    let service = start(pool.clone(), &[]).await;
    let url = "https://hooks.example/";
    let endpoint = service.added(ADA, url, &["tip.paid"]).await;
    // The pool of the test is small.
    let mut connection = PgConnection::connect_with(&pool.connect_options()).await.unwrap();
    for (state, waiting) in [(Stored::Delivered, 0), (Stored::Failed, 1)] {
        let id = service.ping(ADA, endpoint).await.id;
        let claimed = queue::claim(&mut connection, HOLDER, 9, START, LEASE).await;
        let done = attempt(claimed.unwrap()[0], id, state, None);
        let mut recording = connection.begin().await.unwrap();
        let locked = endpoints::lock_all(&mut recording, &[endpoint]).await.unwrap();
        attempts::complete(&mut recording, HOLDER, &[done], START).await.unwrap();
        let (deliveries, request) = service.send_again_request(ADA, endpoint, id);
        let mut pressing = JoinSet::new();
        pressing.spawn(async move { deliveries.clone().send_again(request).await });
        is_waiting_for_a_lock(&pool).await;
        // A failure may disable the endpoint, which makes it due.
        endpoints::set_state(&mut recording, &locked[0], START).await.unwrap();
        recording.commit().await.unwrap();
        let answer = pressing.join_next().await.unwrap().unwrap();
        answer.unwrap();
        let listed = service.list(ADA, endpoint).await;
        let shown: Vec<_> = listed.iter().filter(|it| it.id == id).collect();
        assert_eq!((shown.len(), shown[0].tries), (1, 1), "{shown:?}");
        let found = sqlx::query_scalar!(r#"select count(*) as "count!" from webhook.waiting"#);
        assert_eq!(found.fetch_one(&pool).await.unwrap(), waiting, "{state:?}");
    }
}
