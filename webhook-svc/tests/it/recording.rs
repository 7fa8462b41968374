//! Recording the results of attempts.

use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;
use webhook::store::attempts::{self, Completion};
use webhook::store::deliveries::DeliveryState;
use webhook::store::queue::{self, Claim};

use crate::support::{ADA, LEASE, START, start};

const HOLDER: Uuid = Uuid::from_u128(1);

/// The result of a delivery's first attempt; the next attempt is at `due_at`.
pub(crate) fn attempt(
    claim: Claim,
    delivery_id: i64,
    state: DeliveryState,
    due_at: Option<OffsetDateTime>,
) -> Completion {
    Completion {
        claim,
        delivery_id,
        number: 1,
        at: START,
        duration_ms: 1,
        status: None,
        reason: String::new(),
        answer: Vec::new(),
        state,
        attempts_left: 5,
        was_due_at: START,
        due_at,
    }
}

/// A worker that panics loses its deliveries before it records their results. If the release fails too, the next worker has the same claim and sends
/// them again.
#[testing::database_test(webhook::MIGRATOR)]
async fn a_repeated_attempt_in_a_batch_is_recorded_once(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let endpoint = service.added(ADA, "https://hooks.example/", &["tip.paid"]).await;
    let mut ids = Vec::new();
    for _ in 0..4 {
        ids.push(service.ping(ADA, endpoint).await.id);
    }
    let mut connection = pool.acquire().await.unwrap();
    let claimed = queue::claim(&mut connection, HOLDER, 9, START, LEASE).await;
    let claim = claimed.unwrap()[0];
    let later = Some(START + Duration::MINUTE);
    let outcomes = [
        (DeliveryState::Delivered, None),
        (DeliveryState::Waiting, later),
        (DeliveryState::Failed, None),
    ];
    for (id, (first, second)) in ids.iter().zip([(0, 0), (1, 1), (0, 1), (2, 0)]) {
        let batch = [outcomes[first], outcomes[second]]
            .map(|(state, due_at)| attempt(claim, *id, state, due_at));
        attempts::complete(&mut connection, HOLDER, &batch, START).await.unwrap();
    }
    let logged: Vec<_> = sqlx::query!(
        r#"select delivery_id, count(*) as "count!" from webhook.attempt_log group by 1 order by 1"#
    )
    .fetch_all(&pool)
    .await
    .unwrap()
    .into_iter()
    .map(|row| (row.delivery_id, row.count))
    .collect();
    assert_eq!(logged, ids.iter().map(|id| (*id, 1)).collect::<Vec<_>>());
    for delivery in service.list(ADA, endpoint).await {
        assert_eq!(delivery.tries, 1, "{delivery:?}");
    }
}
