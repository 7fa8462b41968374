//! What is around every answer (§2.1). The client checks the envelope of every answer of every test; here are the odd ones.

use e2e::{Client, Fleet};
use reqwest::Method;

#[tokio::test]
async fn every_kind_of_answer_is_in_the_envelope() {
    let fleet = Fleet::shared();
    let client = Client::new(&fleet, &fleet.account("unlimited").keys.test);
    client
        .get("/nothing/here")
        .await
        .assert_error(404, "not_found");
    client.get("/games/").await.assert_error(404, "not_found");
    client
        .get("/rankings/events/week")
        .await
        .assert_error(404, "not_found");

    let deleted = client
        .send(client.request(Method::DELETE, "/games/a"))
        .await;
    deleted.assert_error(405, "method_not_allowed");
    let allowed = deleted.header("allow").unwrap();
    assert!(allowed.contains("GET"), "{allowed}");

    let long = "a".repeat(17 * 1024);
    client
        .get(&format!("/games?q={long}"))
        .await
        .assert_error(414, "uri_too_long");
    let heavy = client
        .request(Method::GET, "/games")
        .header("x-heavy", "a".repeat(33 * 1024));
    client
        .send(heavy)
        .await
        .assert_error(431, "headers_too_large");
    let many = (0..101).fold(client.request(Method::GET, "/games"), |request, n| {
        request.header(format!("x-{n}"), "a")
    });
    client
        .send(many)
        .await
        .assert_error(431, "headers_too_large");
}

#[tokio::test]
async fn mode_is_told_as_soon_as_a_key_was_sent() {
    let fleet = Fleet::shared();
    let keys = &fleet.account("unlimited").keys;
    for (key, mode) in [
        (&keys.live, "live"),
        (&keys.test, "test"),
        (&keys.revoked, "live"),
    ] {
        let answer = Client::new(&fleet, key).get("/nothing").await;
        let shown = answer.body["meta"]["mode"].as_str().unwrap();
        assert!(shown == mode || key == &keys.revoked, "{}", answer.text);
    }
    let without = Client::anonymous(&fleet).get("/games").await;
    assert!(
        without.body["meta"].get("mode").is_none(),
        "{}",
        without.text
    );
}

#[tokio::test]
async fn head_is_get_without_the_body() {
    let fleet = Fleet::shared();
    let client = Client::new(&fleet, &fleet.account("partner").keys.test);
    let head = client
        .send(client.request(Method::HEAD, "/games?limit=2"))
        .await;
    let get = client.get("/games?limit=2").await;
    assert_eq!(head.status, 200);
    assert_eq!(head.header("content-type"), get.header("content-type"));
    assert!(head.header("ratelimit").is_some());
}
