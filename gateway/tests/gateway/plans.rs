//! The table of plans takes effect.

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_server::StaffService as _;
use kit::Code;
use sqlx::PgPool;

use crate::support::{Test, TestConfig, account_key, by_operator, plans};

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
