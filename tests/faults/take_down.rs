//! Staff take listings down and restore them (§3). Every later read shows that (§1), through each gateway and each replica of catalogue-svc, in
//! single reads, lists, counts and searches.

use std::collections::BTreeMap;

use e2e::{Client, Fleet, SmallFleet, Staff, eventually};
use futures::future::join_all;
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

const PATHS: [&str; 9] =
    [ONE_GAME, ONE_CREATOR, ONE_EVENT, GAMES, CREATORS, EVENTS, GENRES, COUNTRY, SEARCH];

/// The responses of all [`PATHS`].
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

fn changed(before: &Seen, after: &Seen) -> Vec<&'static str> {
    PATHS.into_iter().filter(|path| before[path] != after[path]).collect()
}

fn puzzles(seen: &Seen) -> i64 {
    let genres = seen[GENRES]["data"].as_array().unwrap();
    let puzzle = genres.iter().find(|genre| genre["key"] == "puzzle");
    puzzle.unwrap()["games"].as_i64().unwrap()
}

/// The numbers of creators, games and cities of the country.
fn counts(seen: &Seen) -> (i64, i64, usize) {
    let country = &seen[COUNTRY]["data"];
    (
        country["creators"].as_i64().unwrap(),
        country["games"].as_i64().unwrap(),
        country["cities"].as_array().unwrap().len(),
    )
}

/// The responses of both gateways, which must be equal although each gateway may call another replica of catalogue-svc.
async fn shown_by(clients: &[Client]) -> Seen {
    let mut views = join_all(clients.iter().map(seen)).await;
    let view = views.remove(0);
    for other in views {
        assert_eq!(other, view, "every gateway shows the same");
    }
    view
}

/// Asserts which responses change, and how, when the listing of this kind is taken down.
fn assert_gone(kind: &str, before: &Seen, gone: &Seen) {
    let (creators, games, cities) = counts(before);
    let changed = changed(before, gone);
    match kind {
        "game" => {
            let expected = [ONE_GAME, ONE_CREATOR, GAMES, GENRES, COUNTRY, SEARCH];
            assert_eq!(changed, expected);
            assert_eq!(gone[ONE_GAME]["status"], 404);
            assert_eq!(gone[ONE_CREATOR]["data"]["games"], json!([]));
            assert_eq!(gone[GAMES]["total"], 0);
            assert_eq!(puzzles(gone), puzzles(before) - 1);
            assert_eq!(counts(gone), (creators, games - 1, cities));
            assert_eq!(gone[SEARCH]["total"], 2);
        }
        "page" => {
            let expected = [ONE_GAME, ONE_CREATOR, GAMES, CREATORS, GENRES, COUNTRY, SEARCH];
            assert_eq!(changed, expected);
            assert_eq!(gone[ONE_CREATOR]["status"], 404);
            assert_eq!(gone[ONE_GAME]["status"], 404);
            assert_eq!(gone[GAMES]["total"], 0);
            assert_eq!(gone[CREATORS]["total"], 0);
            assert_eq!(puzzles(gone), puzzles(before) - 1);
            assert_eq!(counts(gone), (creators - 1, games - 1, cities - 1));
            assert_eq!(gone[SEARCH]["total"], 1);
        }
        _ => {
            assert_eq!(changed, [ONE_EVENT, EVENTS, SEARCH]);
            assert_eq!(gone[ONE_EVENT]["status"], 404);
            assert_eq!(gone[EVENTS]["total"], 0);
            assert_eq!(gone[SEARCH]["total"], 2);
        }
    }
}

/// A client with the secret key of the game.
async fn owner_of_game(fleet: &Fleet) -> Client {
    let mut staff = Staff::new(fleet).await;
    let account = staff.account("partner").await;
    staff.add_owner(&account, "zzyzzy-studio").await;
    let secret = staff.key_of_game(&account, "live", "secret", "zzyzzy-game");
    Client::new(fleet, &secret.await)
}

/// Waits for a status: a gateway notices a change of the game within a second, but not at once.
async fn until_key_answers(owner: &Client, status: u16) {
    eventually("the key of the game works, or does not", async || {
        (owner.get("/me").await.status == status).then_some(())
    })
    .await;
}

pub(crate) async fn what_is_taken_down_is_gone_everywhere_and_comes_back(
    small: &SmallFleet,
    fleet: &Fleet,
) {
    let key = &fleet.account("partner").keys.live;
    let gateways = fleet.by_gateway();
    let clients: Vec<Client> = gateways.iter().map(|it| Client::new(it, key)).collect();
    for (name, row) in [("creators", CREATOR), ("games", GAME), ("events", EVENT)] {
        let file = small.write(&format!("{name}.ndjson"), row);
        small.staff(&["listing", "import", &file]).await;
    }
    let before = shown_by(&clients).await;
    assert_eq!(before[SEARCH]["total"], 3, "{before:?}");
    let owner = owner_of_game(fleet).await;
    until_key_answers(&owner, 200).await;

    for (kind, name) in
        [("game", "zzyzzy-game"), ("page", "zzyzzy-studio"), ("event", "zzyzzy-jam")]
    {
        let down = ["--json", kind, "take-down", name, "--reason", "A test"];
        let stands: Value = serde_json::from_str(&small.staff(&down).await).unwrap();
        assert_eq!(stands["results"][0]["state"], "removed");
        assert_gone(kind, &before, &shown_by(&clients).await);
        // When a page is taken down, its games stay published, so their keys still work.
        until_key_answers(&owner, if kind == "game" { 401 } else { 200 }).await;

        let up = ["--json", kind, "restore", name];
        let stands: Value = serde_json::from_str(&small.staff(&up).await).unwrap();
        assert_eq!(stands["results"][0]["state"], "published");
        assert_eq!(stands["results"][0]["revision"], 3);
        assert_eq!(shown_by(&clients).await, before, "as it was");
        until_key_answers(&owner, 200).await;
    }
}
