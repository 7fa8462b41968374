//! The first contents of a fleet: ready-made accounts with keys, and the real directory.

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

/// The files of the directory, each after those it refers to. Genres, countries and cities are not among them: listings-svc begins
/// with those. Two hold rows that lack what the service needs: the import
/// refuses each of them with its line and reason, and staff can complete them.
const FILES: [&str; 5] = [
    "creators",
    "games",
    "games-without-year",
    "events",
    "events-incomplete",
];

/// The ready-made accounts by name and plan.
const ACCOUNTS: [(&str, &str); 4] = [
    ("free", "free"),
    ("build", "build"),
    ("partner", "partner"),
    ("other", "free"),
];

/// The ready-made keys of every account: name, mode, and what else they are. `revoked` comes before the other live keys, so
/// that it never counts against the plan together with them.
const KEYS: [(&str, &str, Special); 8] = [
    ("test", "test", Special::No),
    ("test_write", "test", Special::MayWrite),
    ("revoked", "live", Special::Revoked),
    ("live", "live", Special::No),
    ("live_write", "live", Special::MayWrite),
    ("live_secret", "live", Special::Game("secret")),
    ("live_public", "live", Special::Game("public")),
    ("test_secret", "test", Special::Game("secret")),
];

/// The currencies of the accounts' games.
const CURRENCIES: [&str; 4] = ["Cowrie", "Manilla", "Kissi Penny", "Bead"];

/// How often economy-svc is asked, and how long in between, until it has heard of a game that was loaded a moment ago.
const ASKED: u32 = 50;
const BETWEEN: Duration = Duration::from_millis(200);

#[derive(Clone, Copy)]
enum Special {
    No,
    MayWrite,
    Revoked,
    /// Bound to one game, of this kind.
    Game(&'static str),
}

/// The staff tool, pointed at the running fleet.
pub(crate) struct Staff<'a> {
    pub(crate) folder: &'a Folder,
    pub(crate) binaries: &'a Path,
    pub(crate) signals: &'a Signals,
    pub(crate) gateway: String,
    pub(crate) listings: String,
    pub(crate) economy: String,
}

impl Staff<'_> {
    fn call(&self, token: &str, args: &[&str]) -> Result<Output> {
        let mut command = Command::new(self.binaries.join("staff"));
        // In a folder without a `.fleet`: the tool would look for another fleet there.
        command.current_dir(self.folder.path());
        command.arg("--json").args(args).envs([
            ("STAFF_TOKEN", token),
            ("STAFF_GATEWAY", &self.gateway),
            ("STAFF_LISTINGS", &self.listings),
            ("STAFF_ECONOMY", &self.economy),
        ]);
        process::capture(&mut command, "", self.signals)
    }

    /// A call that must succeed; its answer.
    fn demand(&self, token: &str, args: &[&str]) -> Result<Value> {
        let output = self.call(token, args)?;
        let shown = args.iter().take(2).copied().collect::<Vec<_>>().join(" ");
        if !output.status.success() {
            bail!("`staff {shown}` failed: {}", last_line(&output));
        }
        serde_json::from_str(&output.stdout)
            .with_context(|| format!("`staff {shown}` answered no JSON"))
    }
}

fn last_line(output: &Output) -> &str {
    output
        .stderr
        .trim()
        .lines()
        .last()
        .unwrap_or("it gives no reason")
}

/// Imports the directory, unless this very data is already in.
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
        let output = staff.call(&manifest.staff_token, &["listing", "import", &shown])?;
        // Rows may be refused; only without counts did the import itself fail.
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

/// `{"files":[{"kind":…,"created":1,"refused":2,…}]}` in words; `None` when there are no counts in it.
fn counts(answer: &str) -> Option<String> {
    let value: Value = serde_json::from_str(answer).ok()?;
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
        refused => format!("{loaded} rows, {refused} refused for what they lack"),
    })
}

/// The sum of a count over a JSON text, at whatever depth the tool puts it.
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

/// What tells one state of the directory data from another.
fn fingerprint(data: &Path) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    for file in FILES {
        let path = data.join(format!("{file}.ndjson"));
        hasher
            .write(&fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// Makes the ready-made accounts and keys that are not there yet.
///
/// Every key is written down before the next is made: its secret is shown once, and a launcher that is killed in between
/// loses none.
pub(crate) fn accounts(
    staff: &Staff<'_>,
    data: &Path,
    extra: &[(&str, &str)],
    manifest: &mut Manifest,
) -> Result<()> {
    let token = manifest.staff_token.clone();
    let first = first_game(data)?;
    let wanted: Vec<(&str, &str)> = ACCOUNTS.iter().chain(extra).copied().collect();
    let mut makers = makers(data)?.into_iter();
    for (name, plan) in wanted {
        let maker = makers.next();
        let known = manifest
            .accounts
            .iter()
            .position(|account| account.name == name);
        let index = if let Some(index) = known {
            index
        } else {
            let account = account(staff, &token, name, plan)?;
            manifest.accounts.push(account);
            manifest.save(staff.folder)?;
            manifest.accounts.len() - 1
        };
        if let (Some(account), Some(maker)) = (manifest.accounts.get_mut(index), maker)
            && account.pages.is_empty()
        {
            let args = ["page", "add-owner", &maker.handle, "--account", &account.id];
            staff.demand(&token, &args)?;
            account.pages.push(maker.handle);
            account.games = maker.games;
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
            // Keys of a game are of a game of the account's own; with more accounts than pages in the directory, of the first of all.
            let game = account.games.first().unwrap_or(&first);
            let secret = make_key(staff, &token, &account.id, (key, mode, special), game)?;
            account.keys.insert(key.to_owned(), secret);
            manifest.save(staff.folder)?;
        }
    }
    Ok(())
}

/// The account of that name: the one a killed launcher had made but not written down, else a new one.
fn account(staff: &Staff<'_>, token: &str, name: &str, plan: &str) -> Result<Account> {
    let email = format!("{name}@fleet.example");
    let known = staff.demand(token, &["account", "list"])?;
    let id = if let Some(id) = find_id(&known, &email) {
        id
    } else {
        let made = staff.demand(
            token,
            &[
                "account", "create", "--name", name, "--email", &email, "--plan", plan,
            ],
        )?;
        text(&made, "id").context("`staff account create` answered no id")?
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

/// Gives a game a currency.
fn register_currency(staff: &Staff<'_>, token: &str, game: &str, name: &str) -> Result<()> {
    let args = ["currency", "set", game, name];
    for _ in 1..ASKED {
        if staff.call(token, &args)?.status.success() {
            return Ok(());
        }
        std::thread::sleep(BETWEEN);
    }
    staff.demand(token, &args).map(drop)
}

fn make_key(
    staff: &Staff<'_>,
    token: &str,
    account: &str,
    (name, mode, special): (&str, &str, Special),
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
        Special::No | Special::Revoked => {}
        Special::MayWrite => args.push("--may-write"),
        Special::Game(kind) => args.extend(["--kind", kind, "--game", game]),
    }
    let made = staff.demand(token, &args)?;
    let secret = text(&made, "secret").context("`staff key create` answered no secret")?;
    if matches!(special, Special::Revoked) {
        let id = text(&made, "id").context("`staff key create` answered no id")?;
        staff.demand(token, &["key", "revoke", &id, "--yes"])?;
    }
    Ok(secret)
}

/// A text field, at whatever depth.
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

/// The id of the account with that address in a list of accounts.
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

/// A page of the directory and the games under it.
struct Maker {
    handle: String,
    games: Vec<String>,
}

/// The pages of the directory that have games, in the order of their first: each ready-made account is given one.
fn makers(data: &Path) -> Result<Vec<Maker>> {
    let path = data.join("games.ndjson");
    let rows =
        fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut makers: Vec<Maker> = Vec::new();
    for row in rows
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
    {
        let row: Value = row;
        let (Some(handle), Some(game)) = (text(&row, "creator"), text(&row, "slug")) else {
            continue;
        };
        match makers.iter_mut().find(|maker| maker.handle == handle) {
            Some(maker) => maker.games.push(game),
            None => makers.push(Maker {
                handle,
                games: vec![game],
            }),
        }
    }
    Ok(makers)
}

/// The slug of the first game of the directory: keys of a game need one that is published.
pub(crate) fn first_game(data: &Path) -> Result<String> {
    let path = data.join("games.ndjson");
    let file = File::open(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut line = String::new();
    BufReader::new(file).read_line(&mut line)?;
    let row: Value =
        serde_json::from_str(&line).with_context(|| format!("{} is no NDJSON", path.display()))?;
    text(&row, "slug").with_context(|| format!("{} begins with no game", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_rows_are_counted_and_said() {
        let answer = r#"[{"file":"a","created":2,"updated":0,"unchanged":1,"refused":4,"refusals":[{"line":1}]}]"#;
        assert_eq!(
            counts(answer).unwrap(),
            "3 rows, 4 refused for what they lack"
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
