//! Whoever guesses keys (§5.1): so many look-ups a minute and address, and nothing at all beyond.

use futures::future::join_all;
use gateway::lookup::Bounds;
use sqlx::PgPool;
use time::Duration;

use crate::support::{Answer, Held, Test, With, another, lock};

const WRONG: (u16, &str) = (401, "invalid_key");
const LIMITED: (u16, &str) = (429, "rate_limited");
const HERE: &str = "192.0.2.1";

/// A gateway that looks three unknown keys up for an address.
fn three() -> With {
    let usual = With::default();
    With {
        bounds: Bounds {
            unknown_a_minute: 3,
            ..usual.bounds
        },
        ..usual
    }
}

async fn guess(test: &Test, address: &str) -> Answer {
    test.call(test.guess().get_from(address)).await
}

/// Uses up what an address may have looked up.
async fn use_up(test: &Test, address: &str) {
    for _ in 0..3 {
        assert_eq!(guess(test, address).await.refusal(), WRONG);
    }
    assert_eq!(guess(test, address).await.refusal(), LIMITED);
}

#[sqlx::test]
async fn beyond_its_limit_an_address_is_answered_without_a_look_up(pool: PgPool) {
    let test = Test::with(pool, three()).await;
    let known = test.live_key().await;
    assert!(test.call(known.get_from(HERE)).await.is_ok());
    let calls = test.catalogue.calls();
    let wrong = test.guess();
    assert_eq!(test.call(wrong.get_from(HERE)).await.refusal(), WRONG);
    test.clock.advance(Duration::milliseconds(10_500));
    for _ in 0..2 {
        assert_eq!(guess(&test, HERE).await.refusal(), WRONG);
    }

    // Nobody can read keys now: a look-up would wait in vain.
    let keys = lock(&test.pool, "gateway.key").await;
    for _ in 0..50 {
        let answer = guess(&test, HERE).await;
        assert_eq!(answer.refusal(), LIMITED);
        assert_eq!(answer.header("retry-after"), "50");
        assert_eq!(answer.json["meta"]["mode"], "live");
        assert_eq!(answer.header("ratelimit"), "", "it is nobody's quota");
    }
    // What is remembered needs no look-up, wrong or right; a mistyped key neither.
    assert_eq!(test.call(wrong.get_from(HERE)).await.refusal(), WRONG);
    let mistyped = Held {
        id: String::new(),
        secret: format!("svc_live_{}", "x".repeat(38)),
    };
    assert_eq!(test.call(mistyped.get_from(HERE)).await.refusal(), WRONG);
    assert_eq!(test.catalogue.calls(), calls);
    assert!(test.call(known.get_from(HERE)).await.is_ok());
    drop(keys);

    assert_eq!(guess(&test, "192.0.2.2").await.refusal(), WRONG);
    test.clock.advance(Duration::milliseconds(49_500));
    assert_eq!(guess(&test, HERE).await.refusal(), WRONG);
}

#[sqlx::test]
async fn a_key_that_was_made_is_looked_up_whatever_its_neighbours_do(pool: PgPool) {
    let before = Test::new(pool.clone()).await;
    let old = before.live_key().await;
    let mut test = Test::with(pool, three()).await;
    use_up(&test, HERE).await;
    assert!(
        test.call(old.get_from(HERE)).await.is_ok(),
        "made before the start"
    );

    // One that was made elsewhere a moment ago is not told from a guess until the feed has told of it.
    let new = before.live_key().await;
    assert_eq!(test.call(new.get_from(HERE)).await.refusal(), LIMITED);
    assert!(test.call(new.get_from("192.0.2.2")).await.is_ok());
    let newer = before.live_key().await;
    test.catch_up().await;
    assert!(test.call(newer.get_from(HERE)).await.is_ok());
    // Which keys there are is not forgotten with whose they are.
    test.app.lookup.forget_all();
    for key in [&old, &new, &newer] {
        assert!(test.call(key.get_from(HERE)).await.is_ok());
    }
}

#[sqlx::test]
async fn keys_that_somebody_has_do_not_count_as_guesses(pool: PgPool) {
    let test = Test::with(pool.clone(), three()).await;
    let elsewhere = Test::new(pool).await;
    for _ in 0..5 {
        // Made a moment ago, so that each is asked for like a guess.
        let key = elsewhere.live_key().await;
        assert!(test.call(key.get_from(HERE)).await.is_ok());
    }
    use_up(&test, HERE).await;
}

#[sqlx::test]
async fn a_burst_with_a_new_key_is_one_look_up(pool: PgPool) {
    let test = Test::with(pool.clone(), three()).await;
    let key = Test::new(pool).await.live_key().await;
    let keys = lock(&test.pool, "gateway.key").await;
    let mut burst = Box::pin(join_all((0..20).map(|_| test.call(key.get_from(HERE)))));
    assert!(futures::poll!(&mut burst).is_pending());
    drop(keys);
    assert!(burst.await.iter().all(Answer::is_ok));
    use_up(&test, HERE).await;
}

#[sqlx::test]
async fn a_caller_that_hangs_up_leaves_the_look_up_to_the_next(pool: PgPool) {
    let test = Test::with(pool.clone(), three()).await;
    let key = Test::new(pool).await.live_key().await;
    let keys = lock(&test.pool, "gateway.key").await;
    let mut first = Box::pin(test.call(key.get_from(HERE)));
    let mut second = Box::pin(test.call(key.get_from(HERE)));
    assert!(futures::poll!(&mut first).is_pending());
    assert!(futures::poll!(&mut second).is_pending());
    drop(first);
    drop(keys);
    assert!(second.await.is_ok());
}

#[sqlx::test]
async fn the_limit_comes_after_the_shape_and_before_what_keys_may_do(pool: PgPool) {
    let test = Test::with(pool, three()).await;
    use_up(&test, "0.0.0.0").await;
    for path in ["/economy/rates", "/games", "/nowhere"] {
        let call = test
            .guess()
            .get(path)
            .header("origin", "https://example.org");
        assert_eq!(test.call(call).await.refusal(), LIMITED, "{path}");
    }
    let none = http::Request::get("/v1/games");
    assert_eq!(test.call(none).await.refusal(), (401, "missing_key"));
}

#[sqlx::test]
async fn an_ipv6_network_counts_as_one(pool: PgPool) {
    let test = Test::with(pool, three()).await;
    for host in 1..=3 {
        let address = format!("2001:db8:0:1::{host}");
        assert_eq!(guess(&test, &address).await.refusal(), WRONG);
    }
    assert_eq!(
        guess(&test, "2001:db8:0:1:ffff::1").await.refusal(),
        LIMITED
    );
    assert_eq!(guess(&test, "2001:db8:0:2::1").await.refusal(), WRONG);
}

#[sqlx::test]
async fn behind_a_proxy_of_ours_its_callers_count_each_for_itself(pool: PgPool) {
    let with = With {
        proxies: "10.0.0.0/8".parse().unwrap(),
        ..three()
    };
    let test = Test::with(pool, with).await;
    let through = async |forwarded: &str| {
        let call = test.guess().get_from("10.1.2.3");
        let answer = test.call(call.header("x-forwarded-for", forwarded)).await;
        answer.refusal().0
    };
    for forged in ["1.1.1.1", "1.1.1.2", "1.1.1.3"] {
        assert_eq!(
            through(&format!("{forged}, 198.51.100.7, 10.0.0.9")).await,
            401
        );
    }
    assert_eq!(through("198.51.100.7").await, 429);
    assert_eq!(through("198.51.100.8").await, 401);
    // Who is no proxy is believed nothing.
    for forged in ["198.51.100.9", "198.51.100.10", "198.51.100.11"] {
        let call = test.guess().get_from(HERE);
        let answer = test.call(call.header("x-forwarded-for", forged)).await;
        assert_eq!(answer.refusal(), WRONG);
    }
    assert_eq!(guess(&test, HERE).await.refusal(), LIMITED);
}

/// Look-ups of keys that PostgreSQL works on, or holds up.
async fn look_ups(pool: &PgPool) -> i64 {
    #[expect(clippy::disallowed_methods, reason = "the catalogue of the server")]
    let waiting = sqlx::query_scalar(
        "select count(*) from pg_locks l join pg_database d on d.oid = l.database
         where d.datname = current_database() and l.relation = 'gateway.key'::regclass and not l.granted",
    );
    waiting.fetch_one(pool).await.unwrap()
}

#[sqlx::test]
async fn guesses_from_everywhere_leave_connections_to_keys_that_there_are(pool: PgPool) {
    let mut test = Test::new(pool.clone()).await;
    let good = test.live_key().await;
    // The feed tells that there is such a key.
    test.catch_up().await;
    let watching = another(&pool).await;
    let keys = lock(&test.pool, "gateway.key").await;
    let addresses: Vec<String> = (1..=20).map(|host| format!("192.0.2.{host}")).collect();
    let guesses = join_all(addresses.iter().map(|address| guess(&test, address)));
    let seen = async {
        while look_ups(&watching).await < 2 {
            tokio::task::yield_now().await;
        }
        let use_it = test.get(&good, "/me");
        let see = async {
            // The two, and the one that is not a guess.
            while look_ups(&watching).await < 3 {
                tokio::task::yield_now().await;
            }
            drop(keys);
        };
        tokio::join!(use_it, see).0
    };
    let (answers, used) = tokio::join!(guesses, seen);
    assert!(used.is_ok(), "{}", used.text);
    for answer in answers {
        assert_eq!(answer.refusal(), WRONG);
    }
}

#[sqlx::test]
async fn a_guess_whose_turn_does_not_come_is_told_to_come_again(pool: PgPool) {
    let usual = With::default();
    let with = With {
        bounds: Bounds {
            deadline: std::time::Duration::from_millis(200),
            ..usual.bounds
        },
        ..usual
    };
    let test = Test::with(pool, with).await;
    let keys = lock(&test.pool, "gateway.key").await;
    let addresses: Vec<String> = (1..=5).map(|host| format!("192.0.2.{host}")).collect();
    let guesses = join_all(addresses.iter().map(|address| guess(&test, address)));
    for answer in guesses.await {
        assert_eq!(answer.refusal(), (503, "unavailable"));
        assert_eq!(answer.header("retry-after"), "1");
    }
    drop(keys);
    assert_eq!(guess(&test, HERE).await.refusal(), WRONG);
}
