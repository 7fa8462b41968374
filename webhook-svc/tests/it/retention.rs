//! Old deliveries are removed.

use sqlx::PgPool;
use time::Duration;
use webhook::store::retention;

use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, START, start};

#[sqlx::test(migrator = "webhook::MIGRATOR")]
async fn deliveries_go_with_their_tries_and_then_their_messages(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool.clone(), &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    service.ping(ADA, endpoint).await;
    service.tried(ADA, endpoint, 1).await;
    service.clock.advance(Duration::days(20));
    service.ping(ADA, endpoint).await;
    service.tried(ADA, endpoint, 1).await;

    let rows = async || {
        sqlx::query!(
            r#"select (select count(*) from webhook.delivery) as "deliveries!",
                   (select count(*) from webhook.attempt) as "attempts!",
                   (select count(*) from webhook.message) as "messages!""#
        )
        .fetch_one(&pool)
        .await
        .map(|row| (row.deliveries, row.attempts, row.messages))
        .unwrap()
    };
    assert_eq!(rows().await, (2, 2, 2));
    let kept = retention::remove(&pool, START).await.unwrap();
    assert_eq!((kept, rows().await), (0, (2, 2, 2)));
    let removed = retention::remove(&pool, START + Duration::days(2))
        .await
        .unwrap();
    assert_eq!((removed, rows().await), (1, (1, 1, 1)));
}
