//! What the tests of all lists share: who asks, and what holds of every list (§4.1).

use e2e::{Client, Fleet, Staff};

/// A caller who sees the real listings.
pub(crate) async fn live(fleet: &Fleet) -> Client {
    Staff::of(fleet).await.caller(fleet, "unlimited").await
}

/// A caller who sees the samples. They are the same for all, so the ready-made account without limits will do.
pub(crate) fn sample(fleet: &Fleet) -> Client {
    Client::new(fleet, &fleet.account("unlimited").keys.test)
}

/// Asserts that pages of any size make up the whole list, none of whose rows comes twice, and that a page has 20 rows by itself.
pub(crate) async fn assert_pages(client: &Client, path: &str) {
    let whole = client.all(path, 100).await;
    for (place, row) in whole.iter().enumerate() {
        assert!(!whole[..place].contains(row), "{path}: {row} comes twice");
    }
    for limit in [1, 7, 99] {
        assert_eq!(client.all(path, limit).await, whole, "{path} by {limit}");
    }
    let first = client.get(path).await;
    let expected = &whole[..whole.len().min(20)];
    assert_eq!(first.data().as_array().unwrap()[..], *expected, "{path}");
}

/// Asserts that `path` with each of these queries is refused, naming the field, beside whatever every list refuses.
pub(crate) async fn assert_refused(client: &Client, path: &str, cases: &[(&str, &str)]) {
    let every = [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=ten", "limit"),
        ("limit=5&limit=5", "limit"),
        ("cursor=nonsense", "cursor"),
    ];
    let join = if path.contains('?') { '&' } else { '?' };
    for (query, field) in every.iter().chain(cases) {
        let answer = client.get(&format!("{path}{join}{query}")).await;
        answer.assert_error(400, "invalid");
        let reason = answer.body["fields"][field].as_str();
        assert!(
            reason.is_some_and(|reason| reason.len() > 8),
            "{path}, {query}: {}",
            answer.text
        );
    }
}

/// Asserts that the cursor of a list with one set of filters is refused with another.
pub(crate) async fn assert_cursor_is_bound(client: &Client, path: &str, other: &str) {
    let join = |path: &str| if path.contains('?') { '&' } else { '?' };
    let first = client.get(&format!("{path}{}limit=1", join(path))).await;
    let cursor = first.body["meta"]["next_cursor"].as_str().unwrap();
    let answer = client
        .get(&format!("{other}{}cursor={cursor}", join(other)))
        .await;
    answer.assert_error(400, "invalid");
    assert!(
        answer.body["fields"]["cursor"].is_string(),
        "{path} and {other}: {}",
        answer.text
    );
}

/// Asserts that nothing is found, and that this is no mistake.
pub(crate) async fn assert_empty(client: &Client, path: &str) {
    assert_eq!(client.all(path, 20).await, [] as [serde_json::Value; 0]);
}
