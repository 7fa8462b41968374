//! Times in queries (§2): every parameter that takes one refuses the same texts, and says how to write a `+`.

use e2e::{AccountTokens, Client, Fleet, Staff};
use reqwest::Method;
use serde_json::{Value, json};

/// A `+` that became a space, times of the years -1 and 10000 in UTC, and a text that is no time.
const NO_TIMES: [&str; 4] = [
    "2026-03-01T08:00:00+01:00",
    "0000-01-01T00:00:00%2B00:01",
    "9999-12-31T23:59:59-00:01",
    "soon",
];

/// The parameters of the document that take a time: method, path and name.
async fn parameters(fleet: &Fleet) -> Vec<(Method, String, String)> {
    let document = reqwest::get(format!("{}/openapi.json", fleet.base_url)).await;
    let document = document.unwrap().text().await.unwrap();
    let document: Value = serde_json::from_str(&document).unwrap();
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let format = parameter["schema"]["format"].as_str();
                if matches!(format, Some("time-or-day" | "time-or-now")) {
                    let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
                    let name = parameter["name"].as_str().unwrap().to_owned();
                    found.push((method, path.clone(), name));
                }
            }
        }
    }
    found
}

#[tokio::test]
async fn every_parameter_refuses_what_is_no_time_in_the_same_words() {
    let fleet = Fleet::shared();
    let account = Staff::of(&fleet).await.account("unlimited").await;
    let mut tokens = AccountTokens::of(&fleet).await;
    let token = tokens.create(&account, &AccountTokens::ALL_SCOPES).await;
    let program = Client::new(&fleet, &token.secret);
    let keys = &fleet.account("unlimited").keys;
    let caller = Client::new(&fleet, &keys.live);
    let game = Client::new(&fleet, &keys.live_secret);
    let body = json!({"name": "ci", "mode": "test"});
    let request = program.request(Method::POST, "/account/keys").json(&body);
    let made = program.send(request).await;
    let key = made.data()["key"]["id"].as_str().unwrap().to_owned();
    let parameters = parameters(&fleet).await;
    assert!(parameters.len() >= 11, "{parameters:?}");
    for (method, path, name) in parameters {
        let client = match path.split('/').nth(1) {
            Some("account") => &program,
            Some("economy") => &game,
            _ => &caller,
        };
        let path = path.replace("{id}", &key);
        for text in NO_TIMES {
            let request = client.request(method.clone(), &format!("{path}?{name}={text}"));
            let refused = client.send(request).await;
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
