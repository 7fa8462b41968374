//! The table of plans reaches followers of the feed.

use contracts::gateway::v1 as proto;
use gateway::domain::plan_table;
use gateway::write::plans::{Publication, publish};
use kit::{Clock, Lifecycle};
use prost::Message as _;
use sqlx::PgPool;

use crate::support::{START, producer};

/// The tables on the feed: revision, version, and the names of the plans.
async fn published(pool: &PgPool) -> Vec<(i64, u32, Vec<String>)> {
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
        (row.revision, table.version, names.collect())
    })
    .collect()
}

/// A gateway that starts with a table of these plans.
async fn start(pool: &PgPool, version: u32, plans: &[&str]) -> Publication {
    let plans = plans.iter().map(|name| {
        format!("[[plan]]\nname = \"{name}\"\ntitle = \"{name}\"\nwebhook_events = true\n")
    });
    let table = format!("version = {version}\n{}", plans.collect::<String>());
    let table = plan_table::parse(&table).unwrap();
    let (lifecycle, _supervisor) = Lifecycle::new();
    let producer = producer(pool, &Clock::fixed(START), &lifecycle);
    let publication = publish(&producer, &table).await.unwrap();
    lifecycle.stopping().cancel();
    publication
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_table_with_a_higher_version_replaces_the_published_one(pool: PgPool) {
    let row = |revision, version, names: &[&str]| {
        (revision, version, names.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    for _ in 0..2 {
        assert_eq!(start(&pool, 1, &["free"]).await, Publication::Published);
    }
    let mut expected = vec![row(1, 1, &["free"])];
    assert_eq!(published(&pool).await, expected);

    for _ in 0..2 {
        assert_eq!(start(&pool, 2, &["free", "build"]).await, Publication::Published);
    }
    expected.push(row(2, 2, &["free", "build"]));
    assert_eq!(published(&pool).await, expected);

    // A gateway that was not upgraded restarts, as often as it likes.
    for _ in 0..2 {
        assert_eq!(start(&pool, 1, &["free"]).await, Publication::Older { published: 2 });
    }
    // A gateway has other plans of the same version.
    assert_eq!(start(&pool, 2, &["free", "partner"]).await, Publication::SameVersion);
    assert_eq!(published(&pool).await, expected);

    // A rollback is the old table with a higher version.
    assert_eq!(start(&pool, 3, &["free"]).await, Publication::Published);
    expected.push(row(3, 3, &["free"]));
    assert_eq!(published(&pool).await, expected);
}
