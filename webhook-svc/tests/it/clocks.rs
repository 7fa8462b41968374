//! A replica whose clock is an hour ahead of PostgreSQL's.

use contracts::listings::v1::State::Published;
use kit::Clock;
use kit::api::timestamp;
use sqlx::PgPool;
use time::Duration;

use crate::receiver::{Behaviour, Receiver};
use crate::recover::{insert_failed, recover};
use crate::support::{ADA, START, TAKEN, Webhook, game, insert_accounts, page, replica};

/// Starts a replica for which PostgreSQL's clock is an hour behind.
async fn start_ahead(pool: &PgPool, receivers: &[&Receiver]) -> Webhook {
    insert_accounts(pool).await;
    let behind = testing::postgres::behind(pool, 3_600).await.unwrap();
    replica(behind, Clock::system(), receivers).await
}

#[testing::database_test(webhook::MIGRATOR)]
async fn what_a_transaction_makes_due_is_due_by_postgresqls_clock(pool: PgPool) {
    let service = start_ahead(&pool, &[]).await;
    let endpoint = service.added(ADA, "https://hooks.example/", &["listing.updated"]).await;
    let mut ahead = Vec::new();
    let mut check = async |what| {
        let is_ahead = sqlx::query_scalar!(
            r#"select greatest(
                   (select max(greatest(created_at, due_at)) from webhook.waiting),
                   (select max(due_at) from webhook.queue)
               ) > clock_timestamp() - interval '30 minutes' as "is_ahead!""#
        );
        if is_ahead.fetch_one(&pool).await.unwrap() {
            ahead.push(what);
        }
        sqlx::query!("delete from webhook.waiting").execute(&pool).await.unwrap();
        sqlx::query!("update webhook.queue set due_at = null").execute(&pool).await.unwrap();
    };
    service.listings(&[page(1, "published", ADA), game(2, "updated", Published)], TAKEN).await;
    check("a message").await;
    let delivery = service.ping(ADA, endpoint).await;
    service.send_again(ADA, endpoint, delivery.id).await.unwrap();
    check("a delivery that is sent again").await;
    service.ping(ADA, endpoint).await;
    check("a test event").await;
    insert_failed(&pool, endpoint, 1).await;
    let recovered = recover(&service, endpoint, Some(START - Duration::days(11)), false).await;
    assert_eq!(recovered.unwrap().deliveries, 1);
    check("a recovered delivery").await;
    service.set_paused(ADA, endpoint, true).await;
    check("a paused endpoint").await;
    service.set_paused(ADA, endpoint, false).await;
    check("a resumed endpoint").await;
    assert_eq!(ahead, [] as [&str; 0]);

    let is_ahead = sqlx::query_scalar!(
        r#"select greatest(
               (select max(created_at) from webhook.endpoint),
               (select max(created_at) from webhook.message),
               (select max(address_checks_since) from webhook.account)
           ) > clock_timestamp() - interval '30 minutes' as "is_ahead!""#
    );
    assert!(!is_ahead.fetch_one(&pool).await.unwrap());
}

#[testing::database_test(webhook::MIGRATOR)]
async fn an_attempt_is_made_and_repeated_by_postgresqls_clock(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(500)).await;
    let service = start_ahead(&pool, &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    service.ping(ADA, endpoint).await;
    let failed = service.newest_attempted(ADA, endpoint, 1).await;
    let half_an_hour_ago = service.clock.now() - Duration::minutes(30);
    let attempt = failed.last_attempt.unwrap();
    for at in [attempt.at, failed.due_at] {
        assert!(timestamp::decode(at.unwrap()).unwrap() < half_an_hour_ago, "{at:?}");
    }
}
