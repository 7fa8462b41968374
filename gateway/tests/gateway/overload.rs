//! More calls than can be answered, and a service that hangs: whoever comes beyond the bound is told so at once, and nobody else waits.

use std::time::Duration;

use gateway::upstream;
use sqlx::PgPool;

use crate::support::{Answer, Held, Script, Test, UPSTREAM, With};

/// Two reads that catalogue-svc never answers, and what comes of `meanwhile`, which runs while both wait there.
async fn while_two_hang<T>(
    test: &Test,
    key: &Held,
    meanwhile: impl AsyncFn() -> T,
) -> ([Answer; 2], T) {
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

fn assert_turned_away(answer: &Answer) {
    assert_eq!(answer.refusal(), (503, "unavailable"));
    assert_eq!(answer.header("retry-after"), "1");
    assert_eq!(
        answer.json["meta"]["request_id"],
        answer.header("x-request-id")
    );
}

#[sqlx::test]
async fn a_service_that_hangs_is_given_up_and_holds_up_no_other_route(pool: PgPool) {
    let with = With {
        upstream: upstream::Bounds {
            deadline: Duration::from_secs(1),
            write_deadline: Duration::from_secs(1),
            calls: 2,
            patience: Duration::from_millis(1),
        },
        ..With::default()
    };
    let test = Test::with(pool, with).await;
    let key = test.live_key().await;
    let (hung, [beyond, me]) = while_two_hang(&test, &key, async || {
        [
            test.get(&key, "/games/kora").await,
            test.get(&key, "/me").await,
        ]
    })
    .await;
    for answer in &hung {
        assert_eq!(answer.refusal(), (503, "unavailable"));
        assert_eq!(answer.header("retry-after"), "1");
    }
    assert_turned_away(&beyond);
    assert!(me.is_ok());
    // What was turned away was not counted, and what was not answered is given back.
    assert_eq!(test.catalogue.calls(), 2);
    test.catalogue.script(Script::Answer);
    let answer = test.get(&key, "/games").await;
    assert!(
        answer.header("ratelimit").starts_with("\"minute\";r=58;"),
        "{}",
        answer.header("ratelimit")
    );
}

#[sqlx::test]
async fn a_call_beyond_waits_for_its_turn(pool: PgPool) {
    let with = With {
        upstream: upstream::Bounds {
            deadline: Duration::from_secs(1),
            write_deadline: Duration::from_secs(1),
            calls: 2,
            ..UPSTREAM
        },
        ..With::default()
    };
    let test = Test::with(pool, with).await;
    let key = test.live_key().await;
    let (hung, beyond) = while_two_hang(&test, &key, async || {
        test.catalogue.script(Script::Answer);
        test.get(&key, "/games").await
    })
    .await;
    assert!(hung.iter().all(|answer| !answer.is_ok()));
    assert!(beyond.is_ok(), "{}", beyond.text);
}
