//! Plans on the feed: told when they are news, and once.

use contracts::gateway::v1 as proto;
use prost::Message as _;
use sqlx::PgPool;

use crate::support::{Test, With, plans};

/// The rows about plans: name, event, revision, calls a minute.
async fn told(pool: &PgPool) -> Vec<(String, String, i64, Option<u32>)> {
    let rows = sqlx::query!(
        "select id, event, revision, state from gateway.feed where entity = 'plan' order by seq"
    );
    let rows = rows.fetch_all(pool).await.unwrap();
    rows.into_iter()
        .map(|row| {
            let plan = proto::Plan::decode(row.state.as_slice()).unwrap();
            (row.id, row.event, row.revision, plan.calls_per_minute)
        })
        .collect()
}

fn row(
    name: &str,
    event: &str,
    revision: i64,
    minute: Option<u32>,
) -> (String, String, i64, Option<u32>) {
    (name.to_owned(), event.to_owned(), revision, minute)
}

#[sqlx::test]
async fn plans_are_told_when_they_change_and_only_then(pool: PgPool) {
    // Two replicas start together.
    let (one, other) = (Test::new(pool.clone()), Test::new(pool.clone()));
    futures::future::join(one, other).await;
    Test::new(pool.clone()).await;
    let mut expected = vec![
        row("build", "created", 1, Some(300)),
        row("free", "created", 1, Some(60)),
        row("partner", "created", 1, Some(1_200)),
    ];
    assert_eq!(told(&pool).await, expected);

    let with = With {
        plans: plans("calls_per_minute = 90"),
        ..With::default()
    };
    Test::with(pool.clone(), with).await;
    expected.extend([
        row("build", "updated", 2, None),
        row("free", "updated", 2, Some(90)),
        row("partner", "removed", 2, Some(1_200)),
    ]);
    assert_eq!(told(&pool).await, expected);

    Test::new(pool.clone()).await;
    expected.extend([
        row("build", "updated", 3, Some(300)),
        row("free", "updated", 3, Some(60)),
        row("partner", "updated", 3, Some(1_200)),
    ]);
    assert_eq!(told(&pool).await, expected);
}
