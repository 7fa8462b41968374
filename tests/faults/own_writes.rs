//! Every read that follows a write shows it (§1), through any gateway and any replica of catalogue-svc.

use contracts::public::{
    CityRow, Country, Creator, CreatorRow, Game, GameRow, GenreRow, SearchResult,
};
use e2e::{Client, SmallFleet, Staff, long_form};
use futures::future::join_all;
use serde_json::{Value, json};

const COUNTRY: &str = "TD";
const CITY: &str = "Own Writes";
const GENRE: &str = "puzzle";

/// The number of rounds of writes and reads; set by `OWN_WRITES_ROUNDS`.
fn rounds() -> u64 {
    long_form("OWN_WRITES_ROUNDS", 30)
}

fn creator(word: &str) -> Value {
    json!({
        "handle": format!("maker-{word}"), "name": format!("Maker {word}"), "kind": "studio", "roles": ["developer"],
        "country_code": COUNTRY, "city": CITY,
    })
}

fn game(slug: &str, word: &str, creator: &str) -> Value {
    json!({
        "slug": slug, "title": format!("Game {word}"), "tagline": format!("Line {word}"), "genres": [GENRE],
        "platforms": ["web"], "stage": "released", "release_year": 2026, "creator": format!("maker-{creator}"),
    })
}

/// The texts of a game after a change.
fn words(word: &str) -> Value {
    json!({"title": format!("Game {word}"), "tagline": format!("Line {word}")})
}

/// Those that write at once.
const WRITERS: u64 = 16;

/// A word for each round. No word is a prefix of another.
fn word(round: u64) -> String {
    format!("w{round:06}x")
}

/// The counts before the first round.
#[derive(Debug, Clone, Copy)]
struct Before {
    creators: u64,
    games: u64,
    genre: u64,
}

async fn country(client: &Client) -> Country {
    client.one(&format!("/countries/{COUNTRY}")).await
}

async fn games_of_genre(client: &Client) -> u64 {
    let answer = client.get("/genres").await;
    let genres: Vec<GenreRow> = serde_json::from_value(answer.data().clone()).unwrap();
    let genre = genres.iter().find(|genre| genre.key == GENRE);
    genre.unwrap().games
}

async fn found(client: &Client, word: &str) -> Vec<(String, String)> {
    let rows: Vec<SearchResult> = client.rows(&format!("/search?q={word}"), 20).await;
    rows.into_iter().map(|row| (row.kind, row.name)).collect()
}

/// Asserts that every read shows the creator of this round.
async fn shows_creator(client: &Client, round: u64, before: Before) {
    let word = word(round);
    let single = format!("/creators/maker-{word}");
    let list = format!("/creators?q={word}");
    let cities = format!("/cities?country={COUNTRY}");
    let (single, listed, place, cities, search) = tokio::join!(
        client.one::<Creator>(&single),
        client.rows::<CreatorRow>(&list, 20),
        country(client),
        client.rows::<CityRow>(&cities, 100),
        found(client, &word),
    );
    let name = format!("Maker {word}");
    assert_eq!(single.row.name, name);
    assert_eq!(listed, [single.row]);
    assert_eq!(place.row.creators, before.creators + round);
    let city = cities.into_iter().find(|city| city.name == CITY);
    // The city had one creator before the first round.
    assert_eq!(city.unwrap().creators, round + 1);
    assert_eq!(search, [("creators".to_owned(), name)]);
}

/// Asserts that every read shows the new game of this round, and the game that each round changes.
async fn shows_games(client: &Client, round: u64, before: Before) {
    let word = word(round);
    let new = format!("/games/new-{word}");
    let list = format!("/games?q={word}&genre={GENRE}");
    let (new, changed, listed, place, genre, search) = tokio::join!(
        client.one::<Game>(&new),
        client.one::<Game>("/games/changed"),
        client.rows::<GameRow>(&list, 20),
        country(client),
        games_of_genre(client),
        found(client, &word),
    );
    let title = format!("Game {word}");
    assert_eq!((&new.row.title, &changed.row.title), (&title, &title));
    let mut slugs: Vec<&str> = listed.iter().map(|row| row.slug.as_str()).collect();
    slugs.sort_unstable();
    assert_eq!(slugs, ["changed", &format!("new-{word}")]);
    assert_eq!(place.row.games, before.games + round);
    assert_eq!(genre, before.genre + round);
    let games = search
        .iter()
        .filter(|(kind, name)| kind == "games" && *name == title);
    assert_eq!((games.count(), search.len()), (2, 3));
}

#[tokio::test]
#[ignore = "long: 30 imports through two gateways and replicas"]
async fn whoever_wrote_reads_it_through_any_replica() {
    let mut small = SmallFleet::patient();
    let replicas = ["--replicas", "gateway=2,catalogue-svc=2"];
    let fleet = small.up_with(&replicas).await;
    let mut staff = Staff::of(&fleet).await;
    let caller = staff.caller(&fleet, "unlimited").await;
    let gateways = fleet.replicas("gateway");
    let clients: Vec<Client> = gateways.map(|gateway| caller.at(gateway)).collect();
    assert_eq!(clients.len(), 2);

    let first = word(0);
    staff.import("page", &[creator(&first)]).await;
    staff
        .import("game", &[game("changed", &first, &first)])
        .await;
    let place = country(&caller).await.row;
    let before = Before {
        creators: place.creators,
        games: place.games,
        genre: games_of_genre(&caller).await,
    };
    for round in 1..=rounds() {
        let word = word(round);
        staff.import("page", &[creator(&word)]).await;
        join_all(
            clients
                .iter()
                .map(|client| shows_creator(client, round, before)),
        )
        .await;
        let new = game(&format!("new-{word}"), &word, &word);
        staff.import("game", &[new]).await;
        staff.edit("game", "changed", &words(&word)).await;
        join_all(
            clients
                .iter()
                .map(|client| shows_games(client, round, before)),
        )
        .await;
    }
    let staff = Staff::of(&fleet).await;
    join_all((0..WRITERS).map(|writer| change_and_read(staff.clone(), &clients, writer))).await;
    fleet.assert_no_read_behind().await;
}

/// A writer changes its game and reads it at once, through both gateways, while fifteen others do the same.
async fn change_and_read(staff: Staff, clients: &[Client], writer: u64) {
    let slug = format!("shared-{writer}");
    for round in 1..=rounds() {
        let word = format!("v{writer:02}{}", word(round));
        if round == 1 {
            let row = game(&slug, &word, &self::word(0));
            staff.import("game", &[row]).await;
        } else {
            staff.edit("game", &slug, &words(&word)).await;
        }
        let title = format!("Game {word}");
        join_all(clients.iter().map(async |client| {
            let single = format!("/games/{slug}");
            let list = format!("/games?q={word}");
            let all = format!("/games?creator=maker-{}", self::word(0));
            let (single, listed, all) = tokio::join!(
                client.one::<Game>(&single),
                client.rows::<GameRow>(&list, 20),
                // Every writer reads this list, so that a response to one may be used for another.
                client.rows::<GameRow>(&all, 20),
            );
            assert_eq!(single.row.title, title);
            assert_eq!(listed, std::slice::from_ref(&single.row));
            assert!(all.contains(&single.row), "{title}");
        }))
        .await;
    }
}
