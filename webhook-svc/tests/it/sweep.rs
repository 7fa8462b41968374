//! The sweep at 04:00 UTC (§6.2).

use contracts::webhook::v1::DeliveryState;
use sqlx::PgPool;
use testing::wait_until;
use time::Duration;

use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, replica, start};

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
