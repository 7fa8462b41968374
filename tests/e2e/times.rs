//! Times in queries (§2): every parameter that takes one takes a day too, refuses the same texts, and says how to write a `+`.

use e2e::{Client, Fleet};
use serde_json::Value;

/// A `+` that became a space, times of the years -1 and 10000 in UTC, and a text that is no time.
const NO_TIMES: [&str; 4] = [
    "2026-03-01T08:00:00+01:00",
    "0000-01-01T00:00:00%2B00:01",
    "9999-12-31T23:59:59-00:01",
    "soon",
];

/// The parameters of the document that take a time: path and name.
async fn parameters(fleet: &Fleet) -> Vec<(String, String)> {
    let document = reqwest::get(format!("{}/openapi.json", fleet.base_url)).await;
    let document = document.unwrap().text().await.unwrap();
    let document: Value = serde_json::from_str(&document).unwrap();
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let parameters = item["get"]["parameters"].as_array().into_iter().flatten();
        for parameter in parameters {
            let format = parameter["schema"]["format"].as_str();
            if matches!(format, Some("time-or-day" | "time-or-now")) {
                let name = parameter["name"].as_str().unwrap().to_owned();
                found.push((path.clone(), name));
            }
        }
    }
    found
}

/// Who calls this path.
fn caller(fleet: &Fleet, path: &str) -> Client {
    let keys = &fleet.account("unlimited").keys;
    let key = if path.starts_with("/economy/") {
        &keys.test_secret
    } else {
        &keys.live
    };
    Client::new(fleet, key)
}

#[tokio::test]
async fn every_parameter_refuses_what_is_no_time_in_the_same_words() {
    let fleet = Fleet::shared();
    let parameters = parameters(&fleet).await;
    assert!(parameters.len() >= 6, "{parameters:?}");
    for (path, name) in parameters {
        let client = caller(&fleet, &path);
        for text in NO_TIMES {
            let refused = client.get(&format!("{path}?{name}={text}")).await;
            refused.assert_error(400, "invalid");
            let reason = refused.body["fields"][&name].as_str().unwrap_or_default();
            assert!(
                reason.contains("write + as %2B"),
                "{path} {name}={text}: {}",
                refused.text
            );
        }
    }
}

#[tokio::test]
async fn every_parameter_takes_a_day() {
    let fleet = Fleet::shared();
    for (path, name) in parameters(&fleet).await {
        let others = match path.as_str() {
            "/economy/history" => "&game=sample-baobab-runner",
            _ => "",
        };
        let query = format!("{name}=2024-02-29{others}");
        let client = caller(&fleet, &path);
        let accepted = client.get(&format!("{path}?{query}")).await;
        assert_eq!(accepted.status, 200, "{path}?{query}: {}", accepted.text);
    }
}
