//! A reader of the documentation who tries its examples: an account with a page, a published game, and a key of each kind.

use std::path::Path;
use std::process::Stdio;

use contracts::public::ApiSettings;
use e2e::{Fleet, KeyRequest, NewAccount, Staff};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use super::blocks::Keys;

pub(super) struct Reader {
    fleet: Fleet,
    /// The variables for examples with test keys, and those for examples with live keys.
    test: Vec<(&'static str, String)>,
    live: Vec<(&'static str, String)>,
    /// Variables that earlier examples have saved, for both kinds.
    common: Vec<(String, String)>,
    handle: String,
    game: String,
    settings: ApiSettings,
}

pub(super) enum Run {
    /// The language is not installed on this machine.
    NoInterpreter,
    /// Standard output, and standard error if the example failed.
    Printed(String),
}

impl Reader {
    pub(super) async fn new() -> Self {
        let fleet = Fleet::shared();
        let mut staff = Staff::new(&fleet).await;
        let account = staff.account("free").await;
        let handle = format!("reader-{}", kit::ids::row_id().simple());
        let game = format!("{handle}-game");
        staff.page(&account, &handle).await;
        let row = json!({
            "slug": game, "title": "A Game", "release_year": 2024, "creator": handle, "platforms": ["web"],
        });
        staff.import("game", &[row]).await;
        let test = variables(&staff, &account, "test", &game).await;
        let live = variables(&staff, &account, "live", &game).await;
        let document: Value = reqwest::get(format!("{}/openapi.json", fleet.base_url))
            .await
            .unwrap()
            .json()
            .await
            .unwrap();
        let settings = document[ApiSettings::EXTENSION].clone();
        Self {
            settings: serde_json::from_value(settings).unwrap(),
            fleet,
            test,
            live,
            common: Vec::new(),
            handle,
            game,
        }
    }

    /// Replaces the placeholders in a text: addresses, settings, and the names of the reader's page and game.
    pub(super) fn fill(&self, text: &str) -> String {
        let limit = |limit: Option<u64>| limit.unwrap().to_string();
        // The reader has the plan of new accounts.
        let plan = self.settings.plan_of_new_accounts().unwrap();
        text.replace("{{api_url}}", &self.fleet.base_url)
            .replace("{{site}}", self.fleet.dashboard_url.trim_end_matches('/'))
            .replace("{{key_prefix}}", &self.settings.key_prefix)
            .replace("{{plan_name}}", &plan.name)
            .replace("{{plan_title}}", &plan.title)
            .replace("{{minute}}", &limit(plan.calls_per_minute.map(u64::from)))
            .replace("{{month}}", &limit(plan.calls_per_month))
            .replace("your-studio", &self.handle)
            .replace("your-game", &self.game)
    }

    /// Stores a field of the JSON that an example printed, such as `data.0.id`, in a variable for later examples.
    pub(super) fn save(&mut self, name: &str, field: &str, printed: &str) {
        let answer: Value = serde_json::from_str(printed).unwrap();
        let value =
            answer.pointer(&format!("/{}", field.replace('.', "/"))).and_then(Value::as_str);
        assert!(value.is_some(), "no text at {field} in {printed}");
        self.common.push((name.to_owned(), value.unwrap().to_owned()));
    }

    pub(super) async fn run(&self, language: &str, code: &str, keys: Keys, folder: &Path) -> Run {
        let (program, file) = match language {
            "sh" => ("bash", "example.sh"),
            "python" => ("python3", "example.py"),
            "js" => ("node", "example.mjs"),
            "go" => ("go", "example.go"),
            // There is no such program, so the test fails.
            other => (other, "example"),
        };
        std::fs::write(folder.join(file), code).unwrap();
        let mut command = Command::new(program);
        match language {
            "sh" => command.args(["-euo", "pipefail", file]),
            "go" => command.args(["run", file]).env("GO111MODULE", "off"),
            _ => command.arg(file),
        };
        let variables = match keys {
            Keys::Test => &self.test,
            Keys::Live => &self.live,
        };
        let variables = variables.iter().map(|(name, value)| (*name, value.as_str()));
        command.env("API", &self.fleet.base_url).envs(variables);
        command.envs(self.common.iter().cloned());
        command.current_dir(folder).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let Ok(mut child) = command.spawn() else {
            assert_eq!(language, "go", "{program} is not installed");
            return Run::NoInterpreter;
        };
        if let Some(mut input) = child.stdin.take() {
            // An example that reads its input gets end of file.
            input.shutdown().await.ok();
        }
        let output = child.wait_with_output().await.unwrap();
        let mut printed = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            printed.push_str(&String::from_utf8_lossy(&output.stderr));
        }
        Run::Printed(printed)
    }
}

/// The variables with keys (§5.8).
async fn variables(
    staff: &Staff,
    account: &NewAccount,
    mode: &'static str,
    game: &str,
) -> Vec<(&'static str, String)> {
    let mut staff = staff.clone();
    let mut variables = Vec::new();
    for (name, may_write) in [("SERVICE_API_KEY", false), ("SERVICE_WRITE_KEY", true)] {
        let wanted = KeyRequest { mode, may_write, ..KeyRequest::default() };
        variables.push((name, staff.key(account, wanted).await.1));
    }
    let secret = staff.key_of_game(account, mode, "secret", game).await;
    variables.push(("SERVICE_SECRET_KEY", secret));
    variables
}
