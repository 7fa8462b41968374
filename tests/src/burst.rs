//! More calls of a key than its minute allows, at each gateway.

use futures::future::join_all;

use crate::{Client, Fleet};

/// The plan `free`.
const CALLS_PER_MINUTE: usize = 60;

/// How many calls passed.
#[derive(Debug, Default)]
pub struct Passed {
    /// Where Redis counted.
    pub by_redis: usize,
    /// At each gateway that counted alone.
    pub alone: Vec<usize>,
}

/// Calls more often than the plan `free` allows, at each gateway.
///
/// # Panics
/// A gateway that counts alone lets more than 60 calls pass, or all of them more than 60 where Redis counts: twice that if a minute has
/// ended in between.
pub async fn burst(fleet: &Fleet, caller: &Client) -> Passed {
    let mut passed = Passed::default();
    for gateway in fleet.replicas("gateway") {
        let caller = caller.at(gateway);
        let calls = (0..CALLS_PER_MINUTE + 10).map(|_| caller.get("/games?limit=1"));
        let (good, refused): (Vec<_>, Vec<_>) = join_all(calls)
            .await
            .into_iter()
            .partition(|answer| answer.status == 200);
        for answer in refused {
            answer.assert_error(429, "rate_limited");
        }
        // Without Redis, the gateway cannot read the month.
        let by_redis = good.iter().filter(|answer| {
            let header = answer.header("ratelimit");
            header.is_some_and(|header| header.contains("month"))
        });
        let by_redis = by_redis.count();
        passed.by_redis += by_redis;
        passed.alone.push(good.len() - by_redis);
    }
    let most = passed.alone.iter().max().copied().unwrap_or_default();
    assert!(most <= CALLS_PER_MINUTE, "{passed:?}");
    assert!(passed.by_redis <= 2 * CALLS_PER_MINUTE, "{passed:?}");
    passed
}
