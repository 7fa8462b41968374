//! The sweep at 04:00 UTC (§6.2).

use contracts::webhook::v1::DeliveryState;
use kit::ids::row_id;
use sqlx::PgPool;
use testing::wait_until;
use time::Duration;
use webhook::domain::schedule::Schedule;
use webhook::store::queue;

use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, LEASE, is_waiting_for_a_lock, replica, start};

async fn noted(pool: &PgPool) {
    wait_until("the sweep has recorded its first due day", async || {
        let run = sqlx::query!("select done_for from webhook.daily_run where name = 'sweep'");
        run.fetch_optional(pool).await.unwrap().is_some()
    })
    .await;
}

#[testing::database_test(webhook::MIGRATOR)]
async fn the_sweep_finds_deliveries_that_the_queue_has_lost(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool.clone(), &[&receiver]).await.sweeping();
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    noted(&pool).await;
    service.ping(ADA, endpoint).await;
    let lost = sqlx::query!("update webhook.queue set due_at = null");
    assert_eq!(lost.execute(&pool).await.unwrap().rows_affected(), 1);

    let delivering = replica(pool, service.clock.clone(), &[&receiver]).await;
    // When the clock advances, the leader's lease ends and this replica may become leader, so that it needs the job too.
    let delivering = delivering.delivering().sweeping();
    // The clock now shows 03:59; the sweep runs at 04:00.
    service.clock.advance(Duration::minutes(20 * 60 - 1));
    delivering.ping(ADA, delivering.added(ADA, &receiver.url(), &["tip.paid"]).await).await;
    receiver.wait_for(1).await;
    assert_eq!(service.list(ADA, endpoint).await[0].tries, 0);

    service.clock.advance(Duration::minutes(1));
    receiver.wait_for(2).await;
    let delivery = service.newest_attempted(ADA, endpoint, 1).await;
    assert_eq!(delivery.state(), DeliveryState::Delivered);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_clock_that_was_ahead_delays_a_delivery_by_the_schedule_at_most(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(500)).await;
    let service = start(pool.clone(), &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    service.clock.advance(Duration::days(3));
    service.ping(ADA, endpoint).await;
    service.newest_attempted(ADA, endpoint, 1).await;
    receiver.set_behaviour(Behaviour::Status(200));
    service.clock.advance(-Duration::days(3));

    let (now, longest) = (service.clock.now(), Schedule::default().longest_delay());
    let end = async || queue::clamp_future_due_times(&pool, now, longest, LEASE).await.unwrap();
    wait_until("the wait of the future has ended", async || end().await > 0).await;
    let delivery = service.newest_attempted(ADA, endpoint, 2).await;
    assert_eq!(delivery.state(), DeliveryState::Delivered);
    assert_eq!(end().await, 0, "nothing else is touched");
}

#[testing::database_test(webhook::MIGRATOR)]
async fn waits_of_the_future_end_beside_the_release_of_their_endpoint(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool.clone(), &[&receiver]).await;
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    let (now, longest) = (service.clock.now(), Schedule::default().longest_delay());
    service.clock.advance(Duration::days(3));
    service.ping(ADA, endpoint).await;
    let mut connection = pool.acquire().await.unwrap();
    let claimed = queue::claim(&mut connection, row_id(), 1, service.clock.now(), LEASE);
    assert_eq!(claimed.await.unwrap().len(), 1);
    drop(connection);

    let mut release = pool.begin().await.unwrap();
    let released = sqlx::query!("update webhook.queue set leased_until = null");
    released.execute(&mut *release).await.unwrap();
    let committed = async {
        is_waiting_for_a_lock(&pool).await;
        release.commit().await.unwrap();
    };
    let ending = queue::clamp_future_due_times(&pool, now, longest, LEASE);
    let (ended, ()) = tokio::join!(ending, committed);
    assert_eq!(ended.unwrap(), 1);
}
