//! Which check speaks first (§7.1), and modules that are off.

use e2e::{Client, Fleet, Response};
use reqwest::Method;

async fn call(client: &Client, method: Method, path: &str, origin: bool) -> Response {
    let mut request = client.request(method, path);
    if origin {
        request = request.header("origin", "https://page.example");
    }
    client.send(request).await
}

#[tokio::test]
async fn a_call_from_a_page_is_refused() {
    let fleet = Fleet::shared();
    let keys = &fleet.account("unlimited").keys;
    let client = Client::new(&fleet, &keys.live);
    call(&client, Method::GET, "/games", true)
        .await
        .assert_error(403, "server_only");
    call(&client, Method::GET, "/nowhere", true)
        .await
        .assert_error(403, "server_only");
    let preflight = Client::anonymous(&fleet);
    call(&preflight, Method::OPTIONS, "/games", true)
        .await
        .assert_error(403, "server_only");
    // Who is calling comes first.
    call(&preflight, Method::GET, "/games", true)
        .await
        .assert_error(401, "missing_key");
    let revoked = Client::new(&fleet, &keys.revoked);
    call(&revoked, Method::GET, "/games", true)
        .await
        .assert_error(401, "invalid_key");
}

#[tokio::test]
async fn economy_calls_need_the_secret_key_of_a_game() {
    let fleet = Fleet::shared();
    let keys = &fleet.account("unlimited").keys;
    for path in ["/economy/rates", "/economy/currencies"] {
        for key in [&keys.live, &keys.live_write, &keys.live_public, &keys.test] {
            let client = Client::new(&fleet, key);
            call(&client, Method::GET, path, false)
                .await
                .assert_error(403, "secret_key_required");
        }
        for key in [&keys.live_secret, &keys.test_secret] {
            let client = Client::new(&fleet, key);
            call(&client, Method::GET, path, true)
                .await
                .assert_error(403, "secret_key_required");
            let answer = call(&client, Method::GET, path, false).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
        }
    }
    for key in [&keys.live, &keys.live_write, &keys.live_public, &keys.test] {
        let client = Client::new(&fleet, key);
        call(&client, Method::POST, "/economy/report", false)
            .await
            .assert_error(403, "secret_key_required");
    }
}

#[tokio::test]
async fn a_key_that_only_reads_writes_nothing() {
    let fleet = Fleet::shared();
    let keys = &fleet.account("unlimited").keys;
    for key in [&keys.live, &keys.test, &keys.live_public] {
        let client = Client::new(&fleet, key);
        for (method, path) in [
            (Method::POST, "/games"),
            (Method::PATCH, "/games/a-day-in-the-woods"),
            (Method::POST, "/events"),
            (Method::PATCH, "/events/some-jam"),
        ] {
            call(&client, method, path, false)
                .await
                .assert_error(403, "write_not_allowed");
        }
    }
}
