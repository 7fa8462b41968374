//! schemathesis generates valid and invalid requests from the OpenAPI document, and finds no failure in any operation.

use std::path::Path;

use e2e::{Client, Fleet, KeyRequest, Studio};
use serde_json::{Value, json};
use tokio::process::Command;

const PACKAGE: &str = "schemathesis==4.32.5";
const VALIDATOR: &str = "openapi-spec-validator==0.9.0";
/// The folder with the configuration, and with values for formats that JSON Schema does not define.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/e2e/schemathesis");
/// The long form has more examples, and coverage with each key: see README.md.
const EXAMPLES: &str = "5";

/// An account without limits, which has a page and a game with a currency.
struct Caller {
    fleet: Fleet,
    /// A live and a test key that may write, and a live and a test secret key of the game.
    keys: [(&'static str, String); 4],
    values: Value,
}

impl Caller {
    async fn new() -> Self {
        let fleet = Fleet::shared();
        let mut studio = Studio::new(&fleet).await.with_currency().await;
        let (account, game) = (studio.account.clone(), studio.game.clone());
        let mut keys = Vec::new();
        for (name, mode) in [("live", "live"), ("test", "test")] {
            let wanted = KeyRequest { mode, may_write: true, ..KeyRequest::default() };
            keys.push((name, studio.staff.key(&account, wanted).await.1));
        }
        for (name, mode) in [("live secret", "live"), ("test secret", "test")] {
            let key = studio.staff.key_of_game(&account, mode, "secret", &game);
            keys.push((name, key.await));
        }
        let keys: [(&str, String); 4] = keys.try_into().unwrap();
        let secret = Client::new(&fleet, &keys[2].1);
        let report = json!({
            "supply": 1_000, "minted": 0, "burned": 0, "output": 1, "active_players": 1,
            "basket": {"meal": 10, "ride": 5, "wage": 100, "rent": 900},
        });
        let made = secret.post("/economy/report", &report).await;
        assert_eq!(made.status, 201);
        let reader = Client::new(&fleet, &keys[0].1);
        let column = async |path: &str, name: &str| -> Vec<Value> {
            let rows = reader.all(path, 100).await;
            rows.into_iter().map(|row| row[name].clone()).collect()
        };
        let values = json!({
            "genre": column("/genres?x=1", "key").await,
            "country": column("/countries?empty=true", "code").await,
            "currency": [game],
            "page": [studio.handle],
            "own-game": [game],
        });
        Self { fleet, keys, values }
    }

    /// Runs the operations that `filter` selects by tag.
    async fn run(&self, python: &Path, key: &(&str, String), filter: [&str; 4], examples: &str) {
        let mut values = self.values.clone();
        if key.0 == "test secret" {
            // A test key reads samples, which have other currencies.
            let samples = Client::new(&self.fleet, &key.1);
            let currencies = samples.get("/economy/currencies").await;
            let slugs = currencies.data().as_array().unwrap().iter();
            values["currency"] = slugs.map(|row| row["slug"].clone()).collect();
        }
        let output = Command::new(python)
            .args(["-m", "schemathesis.cli", "--config-file", "schemathesis.toml"])
            .args(["run", &self.fleet.openapi_url, "--url", &self.fleet.base_url])
            .args(["--checks", "all", "--seed", "1", "--max-examples", examples])
            .args(["--header", &format!("Authorization: Bearer {}", key.1)])
            .args(filter)
            .current_dir(FOLDER)
            .env("VALUES", values.to_string())
            .env("NO_COLOR", "1")
            // Otherwise Python would write bytecode of hooks.py into the source tree.
            .env("PYTHONPYCACHEPREFIX", concat!(env!("CARGO_TARGET_TMPDIR"), "/bytecode"))
            .env("HYPOTHESIS_STORAGE_DIRECTORY", env!("CARGO_TARGET_TMPDIR"))
            .output()
            .await
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{} key: {said}{complained}", key.0);
    }
}

#[tokio::test]
#[ignore = "long: a validator from the Python package index"]
async fn the_document_is_valid_openapi() {
    let fleet = Fleet::shared();
    let environments = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let environment = testing::python::environment(environments, VALIDATOR, &[]).await;
    let python = environment.unwrap().join("bin/python");
    let folder = tempfile::tempdir().unwrap();
    let document = reqwest::get(&fleet.openapi_url)
        .await
        .unwrap()
        .error_for_status()
        .unwrap()
        .bytes()
        .await
        .unwrap();
    let file = folder.path().join("openapi.json");
    std::fs::write(&file, document).unwrap();
    let output = Command::new(&python)
        .args(["-m", "openapi_spec_validator", "--schema", "3.1"])
        .arg(&file)
        .output()
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{complained}");
}

#[tokio::test]
#[ignore = "long: thousands of requests, by a program from the Python package index"]
#[expect(clippy::disallowed_methods, reason = "the long form")]
async fn schemathesis_finds_no_failure() {
    let long = std::env::var("SCHEMATHESIS_EXAMPLES").ok();
    let examples = long.as_deref().unwrap_or(EXAMPLES);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let environment = testing::python::environment(folder, PACKAGE, &[]).await.unwrap();
    let python = environment.join("bin/python");
    let caller = Caller::new().await;
    // The coverage phase makes the most requests, and the same ones with the live key and the test key.
    let of_test_key = if long.is_some() {
        "examples,coverage,fuzzing,stateful"
    } else {
        "examples,fuzzing,stateful"
    };
    // The economy needs a key of a game. None of its operations links to another one, so the stateful phase has nothing to do.
    let runs = [
        ("--exclude-tag", "examples,coverage,fuzzing,stateful"),
        ("--exclude-tag", of_test_key),
        ("--include-tag", "examples,coverage,fuzzing"),
        ("--include-tag", "examples,coverage,fuzzing"),
    ];
    for (key, (filter, phases)) in caller.keys.iter().zip(runs) {
        let options = [filter, "economy", "--phases", phases];
        caller.run(&python, key, options, examples).await;
    }
}
