//! Overload while a service hangs: excess requests are shed at once, and other routes are not delayed.

use std::time::Duration;

use gateway::upstream;
use kit::Fault;
use sqlx::PgPool;

use crate::support::{Script, Test, TestConfig, TestKey, TestResponse, UPSTREAM};

/// Makes two reads that hang in catalogue-svc, and runs `meanwhile`, which must set the script that ends them.
async fn while_two_hang<T>(
    test: &Test,
    key: &TestKey,
    meanwhile: impl AsyncFn() -> T,
) -> ([TestResponse; 2], T) {
    test.catalogue.script(Script::Hang);
    let (first, second, meanwhile) =
        tokio::join!(test.get(key, "/games"), test.get(key, "/creators"), async {
            while test.catalogue.calls() < 2 {
                tokio::task::yield_now().await;
            }
            meanwhile().await
        });
    ([first, second], meanwhile)
}

fn assert_shed(response: &TestResponse) {
    assert_eq!(response.error(), (503, "unavailable"));
    assert_eq!(response.header("retry-after"), "1");
    assert_eq!(response.json["meta"]["request_id"], response.header("x-request-id"));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_hanging_service_does_not_delay_other_routes(pool: PgPool) {
    let with = TestConfig {
        upstream: upstream::CallLimits {
            calls: 2,
            queue_timeout: Duration::from_millis(1),
            ..UPSTREAM
        },
        ..TestConfig::default()
    };
    let test = Test::with(pool, with).await;
    let key = test.live_key().await;
    let (hung, [beyond, next, me]) = while_two_hang(&test, &key, async || {
        let beyond = test.get(&key, "/games/kora").await;
        let next = test.get(&key, "/games/kora").await;
        let me = test.get(&key, "/me").await;
        let unavailable = Fault::unavailable("catalogue-svc");
        test.catalogue.script(Script::Refuse(unavailable));
        [beyond, next, me]
    })
    .await;
    for response in &hung {
        assert_eq!(response.error(), (503, "unavailable"));
        assert_eq!(response.header("retry-after"), "1");
    }
    assert_shed(&beyond);
    assert_shed(&next);
    assert!(me.is_ok());
    // Shed and failed requests count against the quota.
    assert_eq!(test.catalogue.calls(), 2);
    test.catalogue.script(Script::Answer);
    let response = test.get(&key, "/games").await;
    assert!(
        response.header("ratelimit").starts_with("\"minute\";r=54;"),
        "{}",
        response.header("ratelimit")
    );
}
