//! An account that changes to a plan without real events, or to one that is not known yet.

use contracts::listings::v1::State::Published;
use contracts::webhook::v1::DeliveryState;
use kit::Code;
use sqlx::PgPool;
use uuid::Uuid;
use webhook::store::{accounts, plans};

use crate::receiver::{Behaviour, Receiver};
use crate::recover::recover;
use crate::support::{ADA, START, TAKEN, game, plan, start};

async fn downgrade(pool: &PgPool) {
    put_on_plan(pool, "free").await;
}

async fn put_on_plan(pool: &PgPool, plan: &str) {
    let row = accounts::Row { id: ADA, plan: plan.to_owned() };
    let mut connection = pool.acquire().await.unwrap();
    accounts::upsert(&mut connection, Uuid::nil(), vec![row]).await.unwrap();
}

#[testing::database_test(webhook::MIGRATOR)]
async fn after_a_downgrade_real_events_are_cancelled_and_tests_are_sent(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool.clone(), &[&receiver]).await;
    let events = ["listing.updated"];
    let endpoint = service.added(ADA, &receiver.url(), &events).await;
    let changes = [game(2, "updated", Published)];
    service.listings(&changes, TAKEN).await;
    let real = service.list(ADA, endpoint).await.remove(0);
    let test = service.ping(ADA, endpoint).await;

    downgrade(&pool).await;
    let service = service.delivering();
    service.newest_attempted(ADA, endpoint, 1).await;
    let sent = service.delivery(ADA, endpoint, test.id).await.delivery.unwrap();
    assert_eq!(sent.state(), DeliveryState::Delivered);
    let cancelled = service.attempted(ADA, endpoint, real.id, 1).await;
    assert_eq!(cancelled.delivery.unwrap().state(), DeliveryState::Cancelled);
    assert_eq!(cancelled.attempts[0].reason, "The account's plan has only test events.");
    assert_eq!(receiver.received().len(), 1);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn while_a_plan_is_not_known_deliveries_wait(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool.clone(), &[&receiver]).await;
    let events = ["listing.updated"];
    let endpoint = service.added(ADA, &receiver.url(), &events).await;
    service.listings(&[game(2, "updated", Published)], TAKEN).await;
    put_on_plan(&pool, "studio").await;
    // This message is made while the plan is not known.
    service.listings(&[game(3, "updated", Published)], TAKEN).await;
    let service = service.delivering();
    // The worker has claimed the endpoint, found no plan, and released it.
    testing::wait_until("the endpoint is released", async || {
        let tokens = sqlx::query_scalar!("select token from webhook.queue where holder is null")
            .fetch_all(&pool)
            .await
            .unwrap();
        tokens.iter().any(|token| *token > 0)
    })
    .await;
    let refused = service.send_again(ADA, endpoint, 1).await.unwrap_err();
    assert_eq!(refused.code, Code::Unavailable);
    let waiting = service.list(ADA, endpoint).await;
    let states = waiting.iter().map(|it| (it.state(), it.tries));
    assert!(states.eq([(DeliveryState::Waiting, 0); 2]), "{waiting:?}");

    let mut connection = pool.acquire().await.unwrap();
    plans::replace(&mut connection, Uuid::nil(), &[plan("studio", 5, true)]).await.unwrap();
    for delivery in waiting {
        let sent = service.attempted(ADA, endpoint, delivery.id, 1).await;
        assert_eq!(sent.delivery.unwrap().state(), DeliveryState::Delivered);
    }
}

#[testing::database_test(webhook::MIGRATOR)]
async fn after_a_downgrade_only_tests_are_sent_again(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool.clone(), &[&receiver]).await.delivering();
    let events = ["listing.updated"];
    let endpoint = service.added(ADA, &receiver.url(), &events).await;
    let changes = [game(2, "updated", Published)];
    service.listings(&changes, TAKEN).await;
    let real = service.newest_attempted(ADA, endpoint, 1).await.id;
    service.ping(ADA, endpoint).await;
    let test = service.newest_attempted(ADA, endpoint, 1).await.id;

    downgrade(&pool).await;
    let refused = service.send_again(ADA, endpoint, real).await.unwrap_err();
    assert_eq!(refused.code, Code::PlanRequired);
    let recover = async |dry_run| recover(&service, endpoint, Some(START), dry_run).await;
    assert_eq!(recover(false).await.unwrap_err().code, Code::PlanRequired);
    assert_eq!(recover(true).await.unwrap().deliveries, 0);

    service.send_again(ADA, endpoint, test).await.unwrap();
    service.attempted(ADA, endpoint, test, 2).await;
    assert_eq!(receiver.received().len(), 3);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_test_that_is_sent_again_is_queued_as_a_test(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool.clone(), &[&receiver]).await.delivering();
    let events = ["listing.updated"];
    let endpoint = service.added(ADA, &receiver.url(), &events).await;
    let changes = [game(2, "updated", Published)];
    service.listings(&changes, TAKEN).await;
    let real = service.newest_attempted(ADA, endpoint, 1).await.id;
    service.ping(ADA, endpoint).await;
    let test = service.newest_attempted(ADA, endpoint, 1).await.id;
    service.set_paused(ADA, endpoint, true).await;
    for id in [real, test] {
        service.send_again(ADA, endpoint, id).await.unwrap();
    }
    let waiting: Vec<(i64, bool)> =
        sqlx::query!("select id, is_test from webhook.waiting order by id")
            .fetch_all(&pool)
            .await
            .unwrap()
            .iter()
            .map(|row| (row.id, row.is_test))
            .collect();
    assert_eq!(waiting, [(real, false), (test, true)]);
}
