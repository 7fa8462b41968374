//! The table of plans reaches followers of the feed.

use contracts::gateway::v1 as proto;
use gateway::write;
use kit::{Clock, Lifecycle};
use prost::Message as _;
use sqlx::PgPool;

use crate::support::{START, TestConfig, plans, producer};

/// The names of the plans that each published table has.
async fn published(pool: &PgPool) -> Vec<(i64, Vec<String>)> {
    let rows = sqlx::query!(
        "select revision, state from gateway.feed where entity = 'plans' order by seq"
    )
    .fetch_all(pool)
    .await
    .unwrap()
    .into_iter();
    rows.map(|row| {
        let table = proto::Plans::decode(row.state.as_slice()).unwrap();
        let names = table.plans.into_iter().map(|plan| plan.name);
        (row.revision, names.collect())
    })
    .collect()
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_table_is_published_when_it_changes_and_only_then(pool: PgPool) {
    let (lifecycle, _supervisor) = Lifecycle::new();
    let producer = producer(&pool, &Clock::fixed(START), &lifecycle);
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let built_in = TestConfig::default().plans;
    for _ in 0..2 {
        write::plans::publish(&producer, &built_in).await.unwrap();
    }
    let mut expected = vec![(1, names(&["free", "build", "partner"]))];
    assert_eq!(published(&pool).await, expected);

    for _ in 0..2 {
        write::plans::publish(&producer, &plans("")).await.unwrap();
    }
    expected.push((2, names(&["free", "build"])));
    assert_eq!(published(&pool).await, expected);
    lifecycle.stopping().cancel();
}
