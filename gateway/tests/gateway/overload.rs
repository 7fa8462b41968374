//! More calls than can be answered, and a service that hangs: whoever comes beyond the bound is told so at once, and nobody else waits.

use std::time::Duration;

use futures::FutureExt as _;
use futures::future::join_all;
use gateway::lookup::Bounds;
use gateway::upstream;
use sqlx::PgPool;

use crate::support::{Answer, Held, Script, Test, UPSTREAM, With, lock};

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
    let (hung, [beyond, next, me]) = while_two_hang(&test, &key, async || {
        let beyond = test.get(&key, "/games/kora").await;
        // One has waited in vain, so the next does not wait.
        let next = test.get(&key, "/games/kora").now_or_never();
        [beyond, next.unwrap(), test.get(&key, "/me").await]
    })
    .await;
    for answer in &hung {
        assert_eq!(answer.refusal(), (503, "unavailable"));
        assert_eq!(answer.header("retry-after"), "1");
    }
    assert_turned_away(&beyond);
    assert_turned_away(&next);
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

/// At the settings that we ship: more strangers than catalogue-svc has permits, whose keys PostgreSQL is slow to look up.
#[sqlx::test]
async fn strangers_whose_keys_are_looked_up_hold_no_permit(pool: PgPool) {
    let with = With {
        upstream: upstream::Bounds {
            deadline: Duration::from_secs(2),
            write_deadline: Duration::from_secs(10),
            calls: 256,
            patience: Duration::from_millis(500),
        },
        bounds: Bounds {
            outage: Duration::from_hours(1),
            deadline: Duration::from_secs(2),
            unknown_a_minute: 30,
        },
        ..With::default()
    };
    let test = Test::with(pool, with).await;
    let known = test.live_key().await;
    assert!(test.get(&known, "/games").await.is_ok());
    let keys = lock(&test.pool, "gateway.key").await;
    let strangers = (0..300).map(|n| {
        let address = format!("192.0.{}.{}", n / 200, n % 200);
        let call = test.guess().get_from(&address);
        test.call(call)
    });
    let mut strangers = Box::pin(join_all(strangers));
    assert!(futures::poll!(&mut strangers).is_pending());
    let read = test.get(&known, "/games").await;
    assert!(read.is_ok(), "{}", read.text);
    drop(keys);
}
