//! `staff apply`: a file that describes accounts, keys, pages, currencies and listings.

use std::fs;
use std::path::PathBuf;

use e2e::{Client, Fleet};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::staff_tool::answer;

/// A folder with a file to apply. Its names are unique.
struct Folder {
    directory: TempDir,
    unique: String,
    /// The id of the account in the file.
    account: String,
}

impl Folder {
    fn new() -> Self {
        let unique = format!("a{}", kit::ids::row_id().simple());
        let directory = TempDir::new().unwrap();
        let page = json!({"handle": unique, "name": unique, "kind": "studio", "country_code": "NG", "city": "Lagos"});
        let game = json!({"slug": unique, "title": unique, "tagline": "A puzzle.", "genres": ["puzzle"], "platforms": ["web"], "stage": "released", "release_year": 2020, "creator": unique});
        fs::write(directory.path().join("pages.ndjson"), page.to_string()).unwrap();
        fs::write(directory.path().join("games.ndjson"), game.to_string()).unwrap();
        let account = kit::ids::row_id().to_string();
        Self { directory, unique, account }
    }

    fn path(&self, name: &str) -> String {
        let path = self.directory.path().join(name);
        path.to_str().unwrap().to_owned()
    }

    /// Writes a file with an account that has these keys.
    fn write(&self, plan: &str, keys: &str) {
        let (unique, account) = (&self.unique, &self.account);
        let text = format!(
            r#"
            import = ["games.ndjson", "pages.ndjson"]
            [[account]]
            id = "{account}"
            name = "Ada"
            plan = "{plan}"
            pages = ["{unique}"]
            keys = [{keys}]
            [[currency]]
            game = "{unique}"
            name = "{unique} Coin"
            "#
        );
        fs::write(self.path("fleet.toml"), text).unwrap();
    }

    /// Applies the file; returns the report as JSON.
    async fn apply(&self, fleet: &Fleet) -> Value {
        let (file, secrets) = (self.path("fleet.toml"), self.path("secrets.json"));
        answer(fleet, &["apply", &file, "--secrets", &secrets]).await
    }

    fn secret(&self, key: &str) -> String {
        let text = fs::read(PathBuf::from(self.path("secrets.json"))).unwrap();
        let secrets: Value = serde_json::from_slice(&text).unwrap();
        secrets[&self.account][key].as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn a_file_that_is_applied_again_changes_nothing() {
    let fleet = Fleet::shared();
    let folder = Folder::new();
    let game = &folder.unique;
    folder.write(
        "unlimited",
        &format!(
            r#"{{ name = "reads", mode = "live" }},
               {{ name = "ended", mode = "live", revoked = true }},
               {{ name = "game", mode = "live", kind = "secret", game = "{game}" }}"#
        ),
    );

    let first = folder.apply(&fleet).await;
    let account = &first["accounts"][0];
    assert_eq!(account["id"], folder.account);
    assert_eq!(account["games"], json!([game]));
    // The account, three keys and a revocation, the page, and the currency.
    assert_eq!(first["changes"].as_array().unwrap().len(), 7, "{first}");
    assert_eq!(first["unchanged"], 0);
    let secrets = ["reads", "ended", "game"].map(|key| folder.secret(key));
    for secret in &secrets {
        assert!(!first.to_string().contains(secret), "a secret is shown");
    }
    let me = Client::new(&fleet, &secrets[0]).get("/me").await;
    assert_eq!(me.status, 200);
    let ended = Client::new(&fleet, &secrets[1]).get("/me").await;
    ended.assert_error(401, "invalid_key");

    let second = folder.apply(&fleet).await;
    assert_eq!(second["changes"], json!([]));
    assert_eq!(second["unchanged"], 6);
    assert_eq!(second["accounts"], first["accounts"]);
    assert_eq!(second["files"][1]["unchanged"], 1);
    assert_eq!(["reads", "ended", "game"].map(|key| folder.secret(key)), secrets);
}

#[tokio::test]
async fn a_change_of_the_file_changes_only_that() {
    let fleet = Fleet::shared();
    let folder = Folder::new();
    folder.write("free", r#"{ name = "k", mode = "test" }"#);
    folder.apply(&fleet).await;

    folder.write("build", r#"{ name = "k", mode = "test" }, { name = "l", mode = "test" }"#);
    let report = folder.apply(&fleet).await;
    let expected = ["Ada: moved from free to build", "Ada: created the key l"];
    assert_eq!(report["changes"], json!(expected));

    // Nobody can use a key whose secret is lost, so the key is created again.
    fs::remove_file(folder.path("secrets.json")).unwrap();
    let report = folder.apply(&fleet).await;
    assert_eq!(report["changes"].as_array().unwrap().len(), 2, "{report}");
    assert_eq!(folder.apply(&fleet).await["changes"], json!([]));
}

#[tokio::test]
async fn a_rotated_key_is_created_again_and_revoked_with_its_successor() {
    let fleet = Fleet::shared();
    let folder = Folder::new();
    folder.write("free", r#"{ name = "k", mode = "test" }"#);
    folder.apply(&fleet).await;
    let rotate = async || {
        let list = ["key", "list", "--account", &folder.account];
        let listed = answer(&fleet, &list).await;
        // The newest key comes first.
        let newest = listed["keys"].as_array().unwrap().first().unwrap();
        let id = newest["id"].as_str().unwrap();
        let rotated = answer(&fleet, &["key", "rotate", id]).await;
        rotated["secret"].as_str().unwrap().to_owned()
    };
    let first = rotate().await;
    let report = folder.apply(&fleet).await;
    let created = json!(["Ada: created the key k"]);
    assert_eq!(report["changes"], created);
    let of_file = folder.secret("k");
    let second = rotate().await;
    folder.write("free", r#"{ name = "k", mode = "test", revoked = true }"#);
    let report = folder.apply(&fleet).await;
    assert_eq!(report["changes"].as_array().unwrap().len(), 1, "{report}");
    for secret in [first, of_file, second] {
        let refused = Client::new(&fleet, &secret).get("/me").await;
        refused.assert_error(401, "invalid_key");
    }
    assert_eq!(folder.apply(&fleet).await["changes"], json!([]));
}
