//! Beyond the limit, guessed keys cause no work behind the gateway (§5.1). This test has a fleet of its own with a limit; the shared fleet
//! has none.

use e2e::{Client, SmallFleet, guess};
use reqwest::Method;

const LIMIT: u64 = 60;

#[tokio::test]
#[ignore = "long: thousands of guesses"]
async fn a_guesser_has_so_many_look_ups_a_minute_and_nothing_beyond() {
    let mut small = SmallFleet::patient();
    small.set("GATEWAY_REFUSED_CALLS", &LIMIT.to_string());
    small.set("GATEWAY_TRUSTED_PROXIES", "127.0.0.1, ::1");
    let fleet = small.up().await;
    let keys = &fleet.account("partner").keys;
    let known = Client::new(&fleet, &keys.live);
    assert_eq!(known.get("/games?limit=1").await.status, 200);
    let count = async |name| fleet.metric("gateway", name).await;
    let decided = "quota_decisions_total";
    assert_eq!(count(decided).await, [1]);

    // Send all guesses over one connection.
    let guesser = Client::anonymous(&fleet);
    let attempt = async |address: &str| {
        let request = guesser.request(Method::GET, "/games?limit=1");
        let request = request.header("x-forwarded-for", format!("1.1.1.1, {address}"));
        guesser.send(request.bearer_auth(guess())).await
    };
    for _ in 0..LIMIT {
        attempt("192.0.2.1").await.assert_error(401, "invalid_key");
    }
    for _ in 0..200 {
        attempt("192.0.2.1").await.assert_error(429, "rate_limited");
    }
    let looked_up = r#"key_lookups_total{outcome="unknown"}"#;
    assert_eq!(count(looked_up).await, [LIMIT]);
    assert_eq!(count("refused_calls_limited_total").await, [200]);
    assert_eq!(count(decided).await, [1], "a quota was looked at");

    attempt("192.0.2.2").await.assert_error(401, "invalid_key");
    // Of two valid keys, the one in the gateway's cache works from the address, and one that nobody has used yet waits.
    for (key, status) in [(&keys.live, 200), (&keys.live_write, 429)] {
        let client = Client::new(&fleet, key);
        let request = client.request(Method::GET, "/games?limit=1");
        let request = request.header("x-forwarded-for", "192.0.2.1");
        assert_eq!(client.send(request).await.status, status);
    }
}
