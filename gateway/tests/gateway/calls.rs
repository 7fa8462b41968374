//! The calls of an account as its owner sees them: counts by day, and the log.

use axum::body::Body;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::accounts_service_server::AccountsService as _;
use futures::FutureExt as _;
use gateway::call_log::SAMPLE;
use gateway::layers::admission::{ConcurrencyLimits, limit_calls};
use kit::{Code, Fault};
use sqlx::PgPool;
use time::Duration;
use tonic::{Request, Status};
use tower::ServiceExt as _;

use crate::support::{
    CALL_LOG, NO_REDIS, START, Script, Test, TestConfig, TestKey, eventually, plans,
};

async fn list_use(test: &Test, account: &str) -> Result<Vec<proto::DayUse>, Status> {
    let request = proto::AccountsServiceListUseRequest {
        account_id: account.to_owned(),
    };
    let found = test.accounts.list_use(Request::new(request)).await?;
    Ok(found.into_inner().days)
}

/// The days with calls, and their number.
async fn days(test: &Test, account: &str) -> Vec<(String, u64)> {
    let days = list_use(test, account).await.unwrap();
    assert_eq!(days.len(), 31);
    let days = days.into_iter().filter(|day| day.calls > 0);
    days.map(|day| (day.day, day.calls)).collect()
}

fn all(account: &str) -> proto::AccountsServiceListCallsRequest {
    proto::AccountsServiceListCallsRequest {
        account_id: account.to_owned(),
        ..Default::default()
    }
}

async fn list(
    test: &Test,
    request: proto::AccountsServiceListCallsRequest,
) -> Result<proto::AccountsServiceListCallsResponse, Status> {
    let found = test.accounts.list_calls(Request::new(request)).await?;
    Ok(found.into_inner())
}

async fn targets(test: &Test, request: proto::AccountsServiceListCallsRequest) -> Vec<String> {
    let found = list(test, request).await.unwrap().calls.into_iter();
    found.map(|call| call.target).collect()
}

/// Makes calls a second apart, so that their order is known.
async fn call(test: &Test, key: &TestKey, paths: &[&str]) {
    for path in paths {
        test.get(key, path).await;
        test.clock.advance(Duration::SECOND);
    }
    test.call_records.write_log().await;
}

#[testing::database_test(gateway::MIGRATOR)]
async fn calls_of_the_month_are_counted_by_day(pool: PgPool) {
    let here = Test::new(pool.clone()).await;
    let there = Test::new(pool).await;
    let (account, other) = (here.account("free").await, here.account("free").await);
    let live = here.key(&account, "live").await;
    let sample = here.key(&account, "test").await;
    for test in [&here, &there] {
        test.get(&live, "/games").await;
        test.get(&live, "/games?limit=no").await;
        // Neither uses the month.
        test.get(&sample, "/games").await;
        test.call(live.request("POST", "/games")).await;
    }
    here.clock.advance(Duration::DAY);
    call(&here, &live, &["/games"]).await;
    let used = |day: &str, calls| (day.to_owned(), calls);
    let (first, second) = (used("2026-03-22", 4), used("2026-03-23", 1));
    assert_eq!(days(&here, &account).await, [first.clone(), second.clone()]);
    assert_eq!(days(&here, &other).await, []);
    here.clock.advance(Duration::DAY * 29);
    assert_eq!(days(&here, &account).await, [first, second.clone()]);
    here.clock.advance(Duration::DAY);
    assert_eq!(days(&here, &account).await, [second]);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_log_tells_a_closed_connection_from_an_error(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    // The gateway knows the key from now on, so that the next call is that of its account at once.
    test.get(&key, "/games").await;
    test.clock.advance(Duration::SECOND);
    // The caller closes the connection while the service hangs.
    test.catalogue.script(Script::Hang);
    assert!(test.get(&key, "/games").now_or_never().is_none());
    let broken = Fault::new(Code::Internal, "The service is broken.");
    test.catalogue.script(Script::Refuse(broken));
    test.clock.advance(Duration::SECOND);
    call(&test, &key, &["/games"]).await;
    let calls = list(&test, all(&account)).await.unwrap().calls;
    let codes: Vec<(u32, &str)> = calls
        .iter()
        .map(|call| (call.status, call.code.as_str()))
        .collect();
    assert_eq!(codes, [(500, "internal"), (499, ""), (200, "")]);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_log_has_each_call_newest_first(pool: PgPool) {
    let test = Test::new(pool).await;
    let (account, other) = (test.account("free").await, test.account("free").await);
    let (live, sample) = (
        test.key(&account, "live").await,
        test.key(&account, "test").await,
    );
    let leaked = format!("/games?key={}", live.secret);
    call(&test, &live, &["/games?q=x", &leaked]).await;
    let answer = test.get(&sample, "/games?limit=0").await;
    test.call_records.write_log().await;

    let response = list(&test, all(&account)).await.unwrap();
    assert_eq!((response.most, response.left_out), (CALL_LOG, 0));
    assert_eq!(response.next_cursor, None);
    let [refused, leaked, first] = response.calls.try_into().unwrap();
    assert_eq!(refused.code, answer.error().1);
    assert_eq!(refused.request_id, answer.header("x-request-id"));
    assert_eq!((refused.status, refused.mode.as_str()), (400, "test"));
    assert_eq!((&refused.key_id, &first.key_id), (&sample.id, &live.id));
    assert_eq!(first.at, Some(kit::api::timestamp::encode(START)));
    assert_eq!(first.target, "/v1/games?q=x");
    assert_eq!(
        (first.method.as_str(), first.route.as_str()),
        ("GET", "/v1/games")
    );
    assert_eq!((first.status, first.code.as_str()), (200, ""));
    assert_eq!(leaked.target, "/v1/games?key=svc_live_…");

    let of_key = proto::AccountsServiceListCallsRequest {
        key_id: live.id.clone(),
        ..all(&account)
    };
    assert_eq!(targets(&test, of_key).await.len(), 2);
    let errors = proto::AccountsServiceListCallsRequest {
        only_errors: true,
        ..all(&account)
    };
    assert_eq!(targets(&test, errors).await, ["/v1/games?limit=0"]);
    assert_eq!(targets(&test, all(&other)).await, [""; 0]);
    let key_of_other = proto::AccountsServiceListCallsRequest {
        key_id: live.id.clone(),
        ..all(&other)
    };
    assert_eq!(targets(&test, key_of_other).await, [""; 0]);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn an_encoded_key_is_in_no_log_and_in_no_error(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let live = test.key(&account, "live").await;
    let (first, rest) = live.secret.split_at(1);
    assert_eq!(first, "s");
    let all_encoded = live.secret.bytes().map(|it| format!("%{it:02x}"));
    let all_encoded = all_encoded.collect::<Vec<_>>().concat();
    let paths = [
        format!("/games?limit={all_encoded}"),
        format!("/games?cursor={}", live.secret.replace('_', "%5F")),
        format!("/games?{all_encoded}=1&limit=0"),
        format!("/games/%73{rest}"),
        format!("/nothing/{all_encoded}"),
    ];
    // What the key has after its prefix and mode.
    let secret = &live.secret["svc_live_".len()..];
    for path in &paths {
        let answer = test.get(&live, path).await;
        let is_told = !answer.is_ok() && answer.text.contains(secret);
        assert!(!is_told, "{path}: {}", answer.text);
        test.clock.advance(Duration::SECOND);
    }
    test.call_records.write_log().await;
    let targets = targets(&test, all(&account)).await;
    assert_eq!(targets.len(), paths.len());
    for target in targets {
        let decoded = percent_encoding::percent_decode_str(&target).decode_utf8_lossy();
        assert!(!decoded.contains(&secret[..8]), "{target}");
        assert!(decoded.contains("svc_live_…"), "{target}");
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_revoked_key_shows_that_it_is_still_used(pool: PgPool) {
    let mut test = Test::new(pool).await;
    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    call(&test, &key, &["/games"]).await;
    test.revoke(&key).await;
    // By the tombstone, and once the feed is read by the key's own state.
    call(&test, &key, &["/games"]).await;
    test.catch_up().await;
    call(&test, &key, &["/games"]).await;
    let calls = list(&test, all(&account)).await.unwrap().calls;
    let codes: Vec<&str> = calls.iter().map(|call| call.code.as_str()).collect();
    assert_eq!(codes, ["invalid_key", "invalid_key", ""]);
    // A key that does not exist belongs to no account.
    let guess = test.guess();
    call(&test, &guess, &["/games"]).await;
    assert_eq!(targets(&test, all(&account)).await.len(), 3);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_log_is_read_in_pages(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    let paths: Vec<String> = (0..7).map(|n| format!("/games?q={n}")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    call(&test, &key, &paths).await;
    let (mut seen, mut cursor) = (Vec::new(), Some(String::new()));
    while let Some(after) = cursor {
        let request = proto::AccountsServiceListCallsRequest {
            limit: 3,
            cursor: after,
            ..all(&account)
        };
        let page = list(&test, request).await.unwrap();
        assert!(page.calls.len() <= 3);
        seen.extend(page.calls.into_iter().map(|call| call.target));
        cursor = page.next_cursor;
    }
    let expected: Vec<String> = paths
        .iter()
        .rev()
        .map(|path| format!("/v1{path}"))
        .collect();
    assert_eq!(seen, expected);

    let odd = proto::AccountsServiceListCallsRequest {
        key_id: "7".to_owned(),
        limit: 501,
        cursor: "elsewhere".to_owned(),
        ..all("nobody")
    };
    let fault = Fault::from(list(&test, odd).await.unwrap_err());
    let fields: Vec<&str> = fault.fields.keys().map(String::as_str).collect();
    assert_eq!(fields, ["account_id", "cursor", "key_id", "limit"]);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_busy_second_is_sampled_and_the_log_says_so(pool: PgPool) {
    let config = TestConfig {
        plans: plans("calls_per_minute = 30"),
        ..TestConfig::default()
    };
    let test = Test::with(pool, config).await;
    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    for _ in 0..35 {
        test.get(&key, "/games").await;
    }
    test.call_records.write_log().await;
    let response = list(&test, all(&account)).await.unwrap();
    let refused = response.calls.iter().filter(|call| call.status == 429);
    assert_eq!((refused.count(), response.calls.len()), (5, SAMPLE + 5));
    assert_eq!(response.left_out, 30 - SAMPLE as u64);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_log_is_bounded_and_forgets_after_seven_days(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("build").await;
    let key = test.key(&account, "live").await;
    call(&test, &key, &["/me", "/me"]).await;
    test.clock.advance(Duration::DAY * 7 - Duration::SECOND);
    assert_eq!(targets(&test, all(&account)).await.len(), 1);
    call(&test, &key, &["/games"]).await;
    assert_eq!(targets(&test, all(&account)).await, ["/v1/games"]);

    let redis = redis::Client::open(crate::support::redis_url()).unwrap();
    let mut redis = redis.get_multiplexed_async_connection().await.unwrap();
    let log = format!("gateway:{{{account}}}:calls");
    let length = async |redis: &mut redis::aio::MultiplexedConnection| {
        let mut command = redis::cmd("LLEN");
        let length: u32 = command.arg(&log).query_async(redis).await.unwrap();
        length
    };
    assert_eq!(
        length(&mut redis).await,
        1,
        "old calls are removed, not hidden"
    );
    for _ in 0..4 {
        call(&test, &key, &["/games"; SAMPLE]).await;
    }
    assert_eq!(length(&mut redis).await, CALL_LOG);
    let request = proto::AccountsServiceListCallsRequest {
        limit: 500,
        ..all(&account)
    };
    assert_eq!(targets(&test, request).await.len(), CALL_LOG as usize);
    let mut command = redis::cmd("TTL");
    let seconds: i64 = command.arg(&log).query_async(&mut redis).await.unwrap();
    assert!((1..=7 * 86_400).contains(&seconds));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn without_redis_neither_the_days_nor_the_log_can_be_read(pool: PgPool) {
    let config = TestConfig {
        redis: NO_REDIS.to_owned(),
        ..TestConfig::default()
    };
    let test = Test::with(pool, config).await;
    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    assert!(test.get(&key, "/games").await.is_ok());
    test.call_records.write_log().await;
    for away in [
        list(&test, all(&account)).await.unwrap_err(),
        list_use(&test, &account).await.unwrap_err(),
    ] {
        let away = Fault::from(away);
        assert_eq!(away.code, Code::Unavailable);
        assert_eq!(away.retry_after, Some(1));
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_log_the_days_and_the_month_agree_with_what_the_client_counted(pool: PgPool) {
    let config = || TestConfig {
        plans: plans("calls_per_minute = 8\ncalls_per_month = 100"),
        ..TestConfig::default()
    };
    let first = Test::with(pool.clone(), config()).await;
    let account = first.account("free").await;
    let (live, sample, revoked) = (
        first.key(&account, "live").await,
        first.key(&account, "test").await,
        first.key(&account, "live").await,
    );
    first.revoke(&revoked).await;
    drop(first);

    // Calls that use the month, and the statuses of all.
    let mut used: u64 = 0;
    let mut statuses = Vec::new();
    // Between the rounds, the gateway restarts.
    for round in 0..2 {
        let test = Test::with(pool.clone(), config()).await;
        test.clock.advance(Duration::MINUTE * 2 * round);
        let tag = test.get(&live, "/games").await.header("etag").to_owned();
        let mut made = vec![(200, 200, 1)];
        let known = live.get("/games").header("if-none-match", tag);
        made.push((test.call(known).await.status.as_u16(), 304, 1));
        for (path, status) in [("/games?limit=no", 400), ("/nothing", 404)] {
            made.push((test.get(&live, path).await.status.as_u16(), status, 1));
        }
        // Refused before the quota, failed, and shed, which nobody counts.
        let write = test.call(live.request("POST", "/games")).await;
        made.push((write.status.as_u16(), 403, 0));
        let broken = Fault::new(Code::Internal, "The service is broken.");
        test.catalogue.script(Script::Refuse(broken));
        let failed = test.get(&live, "/creators").await;
        made.push((failed.status.as_u16(), 500, 1));
        test.catalogue.script(Script::Answer);
        let none = ConcurrencyLimits {
            calls: 0,
            queued: 0,
            ..ConcurrencyLimits::new(0)
        };
        let full = limit_calls(test.router.clone(), &test.app, none);
        let shed = live.get("/games").body(Body::empty()).unwrap();
        assert_eq!(full.oneshot(shed).await.unwrap().status(), 503);
        for (status, month) in [(200, 1), (200, 1), (200, 1), (429, 0), (429, 0)] {
            let response = test.get(&live, "/games").await;
            made.push((response.status.as_u16(), status, month));
        }
        let refused = test.get(&revoked, "/games").await;
        made.push((refused.status.as_u16(), 401, 0));
        let free = test.get(&sample, "/games").await;
        made.push((free.status.as_u16(), 200, 0));
        for (status, expected, month) in made {
            assert_eq!(status, expected);
            used += month;
            statuses.push(u32::from(status));
        }
        // As the gateway does when it stops.
        test.call_records.write_log().await;
    }
    assert_eq!((statuses.len(), used), (26, 16));

    let test = Test::with(pool.clone(), config()).await;
    test.clock.advance(Duration::MINUTE * 5);
    eventually("the month is written", async || {
        let month = sqlx::query_scalar!("select used from gateway.month_use");
        month.fetch_one(&pool).await.unwrap().cast_unsigned() == used
    })
    .await;
    let by_day = days(&test, &account).await;
    assert_eq!(by_day, [("2026-03-22".to_owned(), used)]);
    let me = test.get(&sample, "/me").await;
    assert_eq!(me.json["data"]["month"]["used"], used);
    let log = list(&test, all(&account)).await.unwrap();
    let mut logged: Vec<u32> = log.calls.iter().map(|call| call.status).collect();
    logged.sort_unstable();
    statuses.sort_unstable();
    assert_eq!((logged, log.left_out), (statuses, 0));
}
