//! Sends more calls with one key than its plan allows per minute, at each gateway.

use futures::future::join_all;

use crate::{Client, Fleet};

/// The limit of the plan `free`.
const CALLS_PER_MINUTE: usize = 60;

#[derive(Debug, Default)]
pub struct Passed {
    /// Counted in Redis, by all gateways together.
    pub by_redis: usize,
    /// Counted by a gateway alone, without Redis: one number per gateway.
    pub alone: Vec<usize>,
}

/// Sends more calls than the plan `free` allows, at each gateway.
///
/// # Panics
/// More than 60 calls pass a gateway that counts alone; or more than 120 pass all the others together, which is 60 a minute if a new minute begins
/// during the burst.
pub async fn burst(fleet: &Fleet, caller: &Client) -> Passed {
    let mut passed = Passed::default();
    for gateway in fleet.replicas("gateway") {
        let caller = caller.at(gateway);
        let calls = (0..CALLS_PER_MINUTE + 10).map(|_| caller.get("/games?limit=1"));
        let (good, refused): (Vec<_>, Vec<_>) =
            join_all(calls).await.into_iter().partition(|answer| answer.status == 200);
        for answer in refused {
            answer.assert_error(429, "rate_limited");
        }
        // A gateway cannot read the use of the month without Redis, so it sends no such limit.
        let by_redis = good
            .iter()
            .filter(|answer| {
                let header = answer.header("ratelimit");
                header.is_some_and(|header| header.contains("month"))
            })
            .count();
        passed.by_redis += by_redis;
        passed.alone.push(good.len() - by_redis);
    }
    let most = passed.alone.iter().max().copied().unwrap_or_default();
    assert!(most <= CALLS_PER_MINUTE, "{passed:?}");
    assert!(passed.by_redis <= 2 * CALLS_PER_MINUTE, "{passed:?}");
    passed
}
