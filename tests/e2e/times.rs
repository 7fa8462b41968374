//! Times in queries (§2): every parameter that takes one takes a day too, refuses the same texts, and says how to write a `+`.

use e2e::{AccountTokens, Client, Fleet, NewAccount, Staff};
use reqwest::Method;
use serde_json::{Value, json};

use crate::staff_tool::once_known;

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

/// The callers of the operations, and a key of the account.
struct Callers {
    program: Client,
    caller: Client,
    game: Client,
    key: String,
}

impl Callers {
    async fn new(fleet: &Fleet, account: &NewAccount) -> Self {
        let mut tokens = AccountTokens::of(fleet).await;
        let token = tokens.create(account, &AccountTokens::ALL_SCOPES).await;
        let program = Client::new(fleet, &token.secret);
        let body = json!({"name": "ci", "mode": "test"});
        let request = program.request(Method::POST, "/account/keys").json(&body);
        let made = program.send(request).await;
        let key = made.data()["key"]["id"].as_str().unwrap().to_owned();
        let keys = &fleet.account("unlimited").keys;
        Self {
            program,
            caller: Client::new(fleet, &keys.live),
            game: Client::new(fleet, &keys.test_secret),
            key,
        }
    }

    /// Who calls this path.
    fn of(&self, path: &str) -> &Client {
        match path.split('/').nth(1) {
            Some("account") => &self.program,
            Some("economy") => &self.game,
            _ => &self.caller,
        }
    }
}

#[tokio::test]
async fn every_parameter_refuses_what_is_no_time_in_the_same_words() {
    let fleet = Fleet::shared();
    let account = Staff::of(&fleet).await.account("unlimited").await;
    let callers = Callers::new(&fleet, &account).await;
    let parameters = parameters(&fleet).await;
    assert!(parameters.len() >= 11, "{parameters:?}");
    for (method, path, name) in parameters {
        let client = callers.of(&path);
        let path = path.replace("{id}", &callers.key);
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

#[tokio::test]
async fn every_parameter_takes_a_day() {
    let fleet = Fleet::shared();
    let account = Staff::of(&fleet).await.account("unlimited").await;
    let callers = Callers::new(&fleet, &account).await;
    let show = ["account", "show", &account.account.id];
    once_known(&fleet, &show).await;
    let body = json!({"url": "https://hooks.example/in", "events": ["tip.paid"]});
    let program = &callers.program;
    let request = program.request(Method::POST, "/account/endpoints");
    let added = program.send(request.json(&body)).await;
    let endpoint = added.data()["endpoint"]["id"].as_str().unwrap();
    for (method, path, name) in parameters(&fleet).await {
        let day = match name.as_str() {
            "expires_at" => "2999-01-01",
            _ => "2024-02-29",
        };
        let others = match path.as_str() {
            "/economy/history" => "&game=sample-baobab-runner".to_owned(),
            deliveries if deliveries.starts_with("/account/deliveries") => {
                format!("&endpoint={endpoint}")
            }
            _ => String::new(),
        };
        let client = callers.of(&path);
        let path = path.replace("{id}", &callers.key);
        let query = format!("{name}={day}{others}");
        let request = client.request(method, &format!("{path}?{query}"));
        let accepted = client.send(request).await;
        assert_eq!(accepted.status, 200, "{path}?{query}: {}", accepted.text);
    }
}
