//! Taking down and restoring, by staff (§3). It moves what lists show and count, which other tests compare whole: so this one has a
//! fleet of its own.

use std::collections::BTreeMap;

use e2e::{Client, KeyRequest, SmallFleet, Staff, eventually};
use serde_json::{Value, json};

const CREATOR: &str = r#"{"handle":"zzyzzy-studio","name":"Zzyzzy Studio","kind":"studio","country_code":"TD","city":"Faraway"}"#;
const GAME: &str = r#"{"slug":"zzyzzy-game","title":"Zzyzzy Game","genres":["puzzle"],"release_year":2024,"creator":"zzyzzy-studio"}"#;
const EVENT: &str = r#"{"slug":"zzyzzy-jam","title":"Zzyzzy Jam","kind":"jam","starts_at":"2030-01-01","country_code":"TD","city":"Faraway"}"#;

const ONE_GAME: &str = "/games/zzyzzy-game";
const ONE_CREATOR: &str = "/creators/zzyzzy-studio";
const ONE_EVENT: &str = "/events/zzyzzy-jam";
const GAMES: &str = "/games?creator=zzyzzy-studio";
const CREATORS: &str = "/creators?q=zzyzzy";
const EVENTS: &str = "/events?q=zzyzzy&when=all";
const GENRES: &str = "/genres";
const COUNTRY: &str = "/countries/TD";
const SEARCH: &str = "/search?q=zzyzzy";

const PATHS: [&str; 9] = [
    ONE_GAME,
    ONE_CREATOR,
    ONE_EVENT,
    GAMES,
    CREATORS,
    EVENTS,
    GENRES,
    COUNTRY,
    SEARCH,
];

/// What all these paths answer.
type Seen = BTreeMap<&'static str, Value>;

async fn seen(client: &Client) -> Seen {
    let mut seen = Seen::new();
    for path in PATHS {
        let answer = client.get(path).await;
        let shown = json!({
            "status": answer.status.as_u16(),
            "data": answer.body["data"],
            "total": answer.body["meta"]["total"],
        });
        seen.insert(path, shown);
    }
    seen
}

/// Where two views differ.
fn changed(before: &Seen, after: &Seen) -> Vec<&'static str> {
    PATHS
        .into_iter()
        .filter(|path| before[path] != after[path])
        .collect()
}

fn puzzles(seen: &Seen) -> i64 {
    let genres = seen[GENRES]["data"].as_array().unwrap();
    let puzzle = genres.iter().find(|genre| genre["key"] == "puzzle");
    puzzle.unwrap()["games"].as_i64().unwrap()
}

/// Creators, games and cities of the country.
fn counts(seen: &Seen) -> (i64, i64, usize) {
    let country = &seen[COUNTRY]["data"];
    (
        country["creators"].as_i64().unwrap(),
        country["games"].as_i64().unwrap(),
        country["cities"].as_array().unwrap().len(),
    )
}

async fn until_status(client: &Client, path: &str, status: u16) {
    eventually("the listing is gone, or back", async || {
        (client.get(path).await.status == status).then_some(())
    })
    .await;
}

#[tokio::test]
async fn what_is_taken_down_is_gone_everywhere_and_comes_back_as_it_was() {
    let mut small = SmallFleet::new();
    let fleet = small.up().await;
    let client = Client::new(&fleet, &fleet.account("partner").keys.live);
    for (name, row) in [("creators", CREATOR), ("games", GAME), ("events", EVENT)] {
        let file = small.write(&format!("{name}.ndjson"), row);
        small.staff(&["import", &file]).await;
    }
    for path in [ONE_GAME, ONE_CREATOR, ONE_EVENT] {
        until_status(&client, path, 200).await;
    }
    let before = seen(&client).await;
    assert_eq!(before[SEARCH]["total"], 3, "{before:?}");

    let mut staff = Staff::of(&fleet).await;
    let account = staff.account("partner").await;
    let secret = eventually("the gateway knows the game", async || {
        let request = KeyRequest {
            mode: "live",
            kind: "secret",
            game: Some("zzyzzy-game".to_owned()),
            ..KeyRequest::default()
        };
        staff.try_key(&account, request).await.ok()
    })
    .await;
    let owner = Client::new(&fleet, &secret.1);
    until_status(&owner, "/me", 200).await;

    for (kind, name, path) in [
        ("game", "zzyzzy-game", ONE_GAME),
        ("creator", "zzyzzy-studio", ONE_CREATOR),
        ("event", "zzyzzy-jam", ONE_EVENT),
    ] {
        let down = ["--json", "take-down", kind, name, "--reason", "A test"];
        let stands: Value = serde_json::from_str(&small.staff(&down).await).unwrap();
        assert_eq!(stands["listing"]["state"], "removed");
        until_status(&client, path, 404).await;
        let gone = seen(&client).await;
        let (creators, games, cities) = counts(&before);
        match kind {
            "game" => {
                let expected = [ONE_GAME, ONE_CREATOR, GAMES, GENRES, COUNTRY, SEARCH];
                assert_eq!(changed(&before, &gone), expected);
                assert_eq!(gone[ONE_CREATOR]["data"]["games"], json!([]));
                assert_eq!(gone[GAMES]["total"], 0);
                assert_eq!(puzzles(&gone), puzzles(&before) - 1);
                assert_eq!(counts(&gone), (creators, games - 1, cities));
                assert_eq!(gone[SEARCH]["total"], 2);
                until_status(&owner, "/me", 401).await;
                owner.get("/me").await.assert_error(401, "invalid_key");
            }
            "creator" => {
                let expected = [
                    ONE_GAME,
                    ONE_CREATOR,
                    GAMES,
                    CREATORS,
                    GENRES,
                    COUNTRY,
                    SEARCH,
                ];
                assert_eq!(changed(&before, &gone), expected);
                assert_eq!(gone[ONE_GAME]["status"], 404);
                assert_eq!(gone[GAMES]["total"], 0);
                assert_eq!(gone[CREATORS]["total"], 0);
                assert_eq!(puzzles(&gone), puzzles(&before) - 1);
                assert_eq!(counts(&gone), (creators - 1, games - 1, cities - 1));
                assert_eq!(gone[SEARCH]["total"], 1);
                assert_eq!(owner.get("/me").await.status, 200, "its game stands");
            }
            _ => {
                assert_eq!(changed(&before, &gone), [ONE_EVENT, EVENTS, SEARCH]);
                assert_eq!(gone[EVENTS]["total"], 0);
                assert_eq!(gone[SEARCH]["total"], 2);
            }
        }

        let up = ["--json", "restore", kind, name];
        let stands: Value = serde_json::from_str(&small.staff(&up).await).unwrap();
        assert_eq!(stands["listing"]["state"], "published");
        assert_eq!(stands["listing"]["revision"], 3);
        until_status(&client, path, 200).await;
        assert_eq!(seen(&client).await, before, "as it was");
        until_status(&owner, "/me", 200).await;
        let show = ["--json", "show", kind, name];
        let shown: Value = serde_json::from_str(&small.staff(&show).await).unwrap();
        assert_eq!(shown, stands);
    }
}
