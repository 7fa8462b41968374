//! The seed data of a fleet: test accounts with keys, and the real directory.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hasher};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::folder::Folder;
use crate::manifest::{Account, Manifest};
use crate::process::{self, Output};
use crate::say::say;
use crate::wait::Signals;

/// The files of the directory, each after the files that it refers to. Genres, countries and cities come with listings-svc. Two files have
/// incomplete rows: the import rejects each of them with its line and a reason, and staff can complete them.
const FILES: [&str; 5] = [
    "creators",
    "games",
    "games-without-year",
    "events",
    "events-incomplete",
];

/// The accounts: name and plan.
const ACCOUNTS: [(&str, &str); 4] = [
    ("free", "free"),
    ("build", "build"),
    ("partner", "partner"),
    ("other", "free"),
];

/// The keys of each account: name, mode, and kind. `revoked` comes first of the live keys, so that it is revoked before the others count
/// against the plan.
const KEYS: [(&str, &str, SeedKey); 8] = [
    ("test", "test", SeedKey::ReadOnly),
    ("test_write", "test", SeedKey::MayWrite),
    ("revoked", "live", SeedKey::Revoked),
    ("live", "live", SeedKey::ReadOnly),
    ("live_write", "live", SeedKey::MayWrite),
    ("live_secret", "live", SeedKey::Game("secret")),
    ("live_public", "live", SeedKey::Game("public")),
    ("test_secret", "test", SeedKey::Game("secret")),
];

/// The names of the currencies of the accounts' games.
const CURRENCIES: [&str; 4] = ["Cowrie", "Manilla", "Kissi Penny", "Bead"];

/// The number of attempts to register a currency, and the pause between them: economy-svc learns of an imported game after a moment.
const CURRENCY_ATTEMPTS: u32 = 50;
const CURRENCY_PAUSE: Duration = Duration::from_millis(200);

#[derive(Clone, Copy)]
enum SeedKey {
    ReadOnly,
    MayWrite,
    Revoked,
    /// A key of a game, `secret` or `public`.
    Game(&'static str),
}

/// Runs the staff tool against the fleet.
pub(crate) struct Staff<'a> {
    pub(crate) folder: &'a Folder,
    pub(crate) binaries: &'a Path,
    pub(crate) signals: &'a Signals,
    pub(crate) gateway: String,
    pub(crate) listings: String,
    pub(crate) economy: String,
}

impl Staff<'_> {
    fn run(&self, token: &str, args: &[&str]) -> Result<Output> {
        let mut command = Command::new(self.binaries.join("staff"));
        // In a folder without a `.fleet`, where the tool would look for another fleet.
        command.current_dir(self.folder.path());
        command.arg("--json").args(args).envs([
            ("STAFF_TOKEN", token),
            ("STAFF_GATEWAY", &self.gateway),
            ("STAFF_LISTINGS", &self.listings),
            ("STAFF_ECONOMY", &self.economy),
        ]);
        process::capture(&mut command, "", self.signals)
    }

    /// Runs a command that must succeed; returns its JSON output.
    fn run_json(&self, token: &str, args: &[&str]) -> Result<Value> {
        let output = self.run(token, args)?;
        let shown = args.iter().take(2).copied().collect::<Vec<_>>().join(" ");
        if !output.status.success() {
            bail!("`staff {shown}` failed: {}", last_line(&output));
        }
        serde_json::from_str(&output.stdout)
            .with_context(|| format!("`staff {shown}` did not print JSON"))
    }
}

fn last_line(output: &Output) -> &str {
    output
        .stderr
        .trim()
        .lines()
        .last()
        .unwrap_or("no reason given")
}

/// Imports the directory, unless the same data are already imported.
pub(crate) fn import(staff: &Staff<'_>, data: &Path, manifest: &mut Manifest) -> Result<()> {
    let fingerprint = fingerprint(data)?;
    if manifest.memory.imported.as_deref() == Some(&fingerprint) {
        say("Directory data: already imported");
        return Ok(());
    }
    say("Importing the directory");
    for file in FILES {
        let path = data.join(format!("{file}.ndjson"));
        let shown = path.display().to_string();
        let output = staff.run(&manifest.staff_token, &["listing", "import", &shown])?;
        // Some rows may be rejected. Without counts, the import itself has failed.
        let Some(counts) = counts(&output.stdout) else {
            bail!(
                "`staff listing import {shown}` failed: {}",
                last_line(&output)
            );
        };
        say(format!("  {file:<20} {counts}"));
    }
    manifest.memory.imported = Some(fingerprint);
    manifest.save(staff.folder)
}

/// The counts of an import, such as `{"files":[{"kind":…,"created":1,"refused":2,…}]}`, as text; `None` without counts.
fn counts(output: &str) -> Option<String> {
    let value: Value = serde_json::from_str(output).ok()?;
    let count = |name: &str| sum(&value, name);
    let (created, updated, unchanged) = (count("created"), count("updated"), count("unchanged"));
    let refused = count("refused");
    if [created, updated, unchanged, refused]
        .iter()
        .all(Option::is_none)
    {
        return None;
    }
    let loaded = [created, updated, unchanged]
        .into_iter()
        .flatten()
        .sum::<u64>();
    Some(match refused.unwrap_or(0) {
        0 => format!("{loaded} rows"),
        refused => format!("{loaded} rows, {refused} refused because they are incomplete"),
    })
}

/// The sum of a count over a JSON value, at any depth.
fn sum(value: &Value, name: &str) -> Option<u64> {
    let inner: Vec<u64> = match value {
        Value::Object(fields) => fields
            .iter()
            .filter_map(|(key, value)| {
                if key == name {
                    value.as_u64()
                } else {
                    sum(value, name)
                }
            })
            .collect(),
        Value::Array(items) => items.iter().filter_map(|item| sum(item, name)).collect(),
        _ => Vec::new(),
    };
    (!inner.is_empty()).then(|| inner.iter().sum())
}

/// A hash of the directory data.
fn fingerprint(data: &Path) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    for file in FILES {
        let path = data.join(format!("{file}.ndjson"));
        hasher.write(&fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// Creates the accounts and keys that do not exist yet.
///
/// Each key is saved before the next is created, because its secret is shown once: a launcher that is killed in between loses no key.
pub(crate) fn accounts(
    staff: &Staff<'_>,
    data: &Path,
    extra: &[(&str, &str)],
    manifest: &mut Manifest,
) -> Result<()> {
    let token = manifest.staff_token.clone();
    let first = first_game(data)?;
    let wanted: Vec<(&str, &str)> = ACCOUNTS.iter().chain(extra).copied().collect();
    let mut creators = creators(data)?.into_iter();
    for (name, plan) in wanted {
        let creator = creators.next();
        let existing = manifest
            .accounts
            .iter()
            .position(|account| account.name == name);
        let index = if let Some(index) = existing {
            index
        } else {
            let account = find_or_create_account(staff, &token, name, plan)?;
            manifest.accounts.push(account);
            manifest.save(staff.folder)?;
            manifest.accounts.len() - 1
        };
        if let (Some(account), Some(creator)) = (manifest.accounts.get_mut(index), creator)
            && account.pages.is_empty()
        {
            let args = [
                "page",
                "add-owner",
                &creator.handle,
                "--account",
                &account.id,
            ];
            staff.run_json(&token, &args)?;
            account.pages.push(creator.handle);
            account.games = creator.games;
            manifest.save(staff.folder)?;
        }
        if let Some(account) = manifest.accounts.get_mut(index)
            && let (None, Some(game)) = (&account.economy_game, account.games.first())
        {
            let name = CURRENCIES.get(index).copied().unwrap_or("Coin");
            register_currency(staff, &token, game, name)?;
            account.economy_game = Some(game.clone());
            manifest.save(staff.folder)?;
        }
        for (key, mode, special) in KEYS {
            let Some(account) = manifest.accounts.get_mut(index) else {
                continue;
            };
            if account.keys.contains_key(key) {
                continue;
            }
            // The keys of a game belong to the first game of the account, or of the directory when it has fewer creators than accounts.
            let game = account.games.first().unwrap_or(&first);
            let secret = create_key(staff, &token, &account.id, (key, mode, special), game)?;
            account.keys.insert(key.to_owned(), secret);
            manifest.save(staff.folder)?;
        }
    }
    Ok(())
}

/// Finds or creates an account: a killed launcher may have created one without saving it.
fn find_or_create_account(
    staff: &Staff<'_>,
    token: &str,
    name: &str,
    plan: &str,
) -> Result<Account> {
    let email = format!("{name}@fleet.example");
    let accounts = staff.run_json(token, &["account", "list"])?;
    let id = if let Some(id) = find_id(&accounts, &email) {
        id
    } else {
        let created = staff.run_json(
            token,
            &[
                "account", "create", "--name", name, "--email", &email, "--plan", plan,
            ],
        )?;
        text(&created, "id").context("`staff account create` printed no id")?
    };
    let (name, plan) = (name.to_owned(), plan.to_owned());
    Ok(Account {
        name,
        id,
        plan,
        email,
        ..Account::default()
    })
}

/// Registers the currency of a game.
fn register_currency(staff: &Staff<'_>, token: &str, game: &str, name: &str) -> Result<()> {
    let args = ["currency", "set", game, name];
    for _ in 1..CURRENCY_ATTEMPTS {
        if staff.run(token, &args)?.status.success() {
            return Ok(());
        }
        std::thread::sleep(CURRENCY_PAUSE);
    }
    staff.run_json(token, &args).map(drop)
}

fn create_key(
    staff: &Staff<'_>,
    token: &str,
    account: &str,
    (name, mode, special): (&str, &str, SeedKey),
    game: &str,
) -> Result<String> {
    let mut args = vec![
        "key",
        "create",
        "--account",
        account,
        "--name",
        name,
        "--mode",
        mode,
    ];
    match special {
        SeedKey::ReadOnly | SeedKey::Revoked => {}
        SeedKey::MayWrite => args.push("--may-write"),
        SeedKey::Game(kind) => args.extend(["--kind", kind, "--game", game]),
    }
    let created = staff.run_json(token, &args)?;
    let secret = text(&created, "secret").context("`staff key create` printed no secret")?;
    if matches!(special, SeedKey::Revoked) {
        let id = text(&created, "id").context("`staff key create` printed no id")?;
        staff.run_json(token, &["key", "revoke", &id, "--yes"])?;
    }
    Ok(secret)
}

/// A text field, at any depth.
fn text(value: &Value, name: &str) -> Option<String> {
    match value {
        Value::Object(fields) => fields
            .get(name)
            .and_then(Value::as_str)
            .map(str::to_owned)
            .or_else(|| fields.values().find_map(|value| text(value, name))),
        Value::Array(items) => items.iter().find_map(|item| text(item, name)),
        _ => None,
    }
}

/// The id of the account with this address, in a list of accounts.
fn find_id(value: &Value, email: &str) -> Option<String> {
    match value {
        Value::Object(fields) if fields.get("email").and_then(Value::as_str) == Some(email) => {
            text(value, "id")
        }
        Value::Object(fields) => fields.values().find_map(|value| find_id(value, email)),
        Value::Array(items) => items.iter().find_map(|item| find_id(item, email)),
        _ => None,
    }
}

/// A creator of the directory, and the slugs of its games.
struct Creator {
    handle: String,
    games: Vec<String>,
}

/// The creators with games, in the order of their first game. Each account owns the page of one.
fn creators(data: &Path) -> Result<Vec<Creator>> {
    let path = data.join("games.ndjson");
    let rows =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut creators: Vec<Creator> = Vec::new();
    for row in rows
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
    {
        let row: Value = row;
        let (Some(handle), Some(game)) = (text(&row, "creator"), text(&row, "slug")) else {
            continue;
        };
        match creators.iter_mut().find(|creator| creator.handle == handle) {
            Some(creator) => creator.games.push(game),
            None => creators.push(Creator {
                handle,
                games: vec![game],
            }),
        }
    }
    Ok(creators)
}

/// The slug of the first game of the directory.
pub(crate) fn first_game(data: &Path) -> Result<String> {
    let path = data.join("games.ndjson");
    let file = File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut line = String::new();
    BufReader::new(file).read_line(&mut line)?;
    let row: Value =
        serde_json::from_str(&line).with_context(|| format!("{} is not NDJSON", path.display()))?;
    text(&row, "slug").with_context(|| format!("the first line of {} has no slug", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_rows_are_counted() {
        let answer = r#"[{"file":"a","created":2,"updated":0,"unchanged":1,"refused":4,"refusals":[{"line":1}]}]"#;
        assert_eq!(
            counts(answer).unwrap(),
            "3 rows, 4 refused because they are incomplete"
        );
        assert_eq!(counts(r#"{"created":2}"#).unwrap(), "2 rows");
        assert_eq!(counts(r#"{"error":"unreachable"}"#), None);
    }

    #[test]
    fn an_account_is_found_by_its_address() {
        let list: Value = serde_json::from_str(
            r#"{"accounts":[{"id":"1","email":"a@x"},{"id":"2","email":"b@x"}]}"#,
        )
        .unwrap();
        assert_eq!(find_id(&list, "b@x").as_deref(), Some("2"));
        assert_eq!(find_id(&list, "c@x"), None);
    }

    #[test]
    fn the_directory_has_a_first_game_and_all_its_files() {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data");
        assert!(!first_game(&data).unwrap().is_empty());
        assert_eq!(fingerprint(&data).unwrap(), fingerprint(&data).unwrap());
    }
}
