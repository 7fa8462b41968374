//! The table of plans: it takes effect, and its changes are published on the feed once.

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_server::StaffService as _;
use kit::Code;
use prost::Message as _;
use sqlx::PgPool;

use crate::support::{Test, TestConfig, account_key, by_operator, plans};

/// The plans on the feed: name, event, revision, calls per minute.
async fn published(pool: &PgPool) -> Vec<(String, String, i64, Option<u32>)> {
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

#[testing::database_test(gateway::MIGRATOR)]
async fn plans_are_published_when_they_change_and_only_then(pool: PgPool) {
    // Two replicas start concurrently.
    let (one, other) = (Test::new(pool.clone()), Test::new(pool.clone()));
    futures::future::join(one, other).await;
    Test::new(pool.clone()).await;
    let mut expected = vec![
        row("build", "created", 1, Some(300)),
        row("free", "created", 1, Some(60)),
        row("partner", "created", 1, Some(1_200)),
    ];
    assert_eq!(published(&pool).await, expected);

    let with = TestConfig {
        plans: plans("calls_per_minute = 90"),
        ..TestConfig::default()
    };
    Test::with(pool.clone(), with).await;
    expected.extend([
        row("build", "updated", 2, None),
        row("free", "updated", 2, Some(90)),
        row("partner", "removed", 2, Some(1_200)),
    ]);
    assert_eq!(published(&pool).await, expected);

    Test::new(pool.clone()).await;
    expected.extend([
        row("build", "updated", 3, Some(300)),
        row("free", "updated", 3, Some(60)),
        row("partner", "updated", 3, Some(1_200)),
    ]);
    assert_eq!(published(&pool).await, expected);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn limits_working_keys_and_webhooks_come_from_the_table(pool: PgPool) {
    let limits = "calls_per_minute = 5\ncalls_per_month = 2\nworking_keys = 1\nwrites_per_day = 4\nwebhook_endpoints = 3";
    let with = TestConfig {
        plans: plans(limits),
        ..TestConfig::default()
    };
    let test = Test::with(pool, with).await;
    let listed = test
        .staff
        .list_plans(by_operator(proto::ListPlansRequest {}));
    let listed = listed.await.unwrap().into_inner().plans;
    let (own, open) = (&listed[0], &listed[1]);
    assert_eq!(
        (own.working_keys, own.writes_per_day, own.webhook_endpoints),
        (Some(1), Some(4), Some(3))
    );
    assert_eq!((own.webhook_events, open.webhook_events), (false, true));
    assert_eq!(open.webhook_endpoints, None);

    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    let another = test.key_like(account_key(&account, "live")).await;
    let refused = another.err().unwrap();
    assert_eq!(refused.code, Code::PlanRequired);
    assert!(refused.message.contains("1 live keys"), "{refused}");
    for _ in 0..2 {
        let response = test.get(&key, "/games").await;
        let policy = "\"minute\";q=5;w=60, \"month\";q=2";
        assert_eq!(
            response.header("ratelimit-policy"),
            policy,
            "{}",
            response.text
        );
    }
    let response = test.get(&key, "/games").await;
    assert_eq!(response.error(), (429, "quota_exceeded"));
}
