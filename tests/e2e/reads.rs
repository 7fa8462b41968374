//! Rules for every list and single read (§2.2 to §2.5, §4.1, §4.2), checked with one table. The tests of catalogue-svc cover orders, words and counts
//! in all cases.
//!
//! Comparisons of whole lists use the samples, which never change, while other tests change the live listings at any time.

use contracts::public::{
    CountryRow, Creator, CreatorRow, Event, Game, GameRow, GenreRow, RankingRow, SearchResult,
};
use e2e::Fleet;
use serde_json::Value;

use crate::lists::{live, sample};

/// A list. `path` has the parameters that show all of its rows.
struct List {
    path: &'static str,
    /// The field of a row that names it in the path of a single read.
    name: Option<&'static str>,
    /// Filters, each with the field of a row by which it filters.
    filters: &'static [(&'static str, &'static str)],
    /// Invalid queries, each with the parameter that the error names.
    refused: &'static [(&'static str, &'static str)],
}

#[rustfmt::skip]
const LISTS: [List; 8] = [
    List {
        path: "/games?q=", name: Some("slug"),
        filters: &[("genre", "genres"), ("platform", "platforms"), ("country", "country_code"), ("stage", "stage"), ("creator", "creator")],
        refused: &[
            ("genre=cooking-with-fire", "genre"), ("platform=abacus", "platform"), ("stage=done", "stage"), ("country=FR", "country"),
            ("country=Kenya", "country"),
        ],
    },
    List {
        path: "/creators?q=", name: Some("handle"),
        filters: &[("kind", "kind"), ("role", "roles"), ("country", "country_code"), ("city", "city_slug")],
        refused: &[("kind=company", "kind"), ("country=FR", "country")],
    },
    List {
        path: "/events?when=all", name: Some("slug"),
        filters: &[("kind", "kind"), ("country", "country_code"), ("city", "city_slug")],
        refused: &[
            ("kind=party", "kind"), ("country=FR", "country"), ("when=past", "when"), ("from=2026-02-30", "from"), ("to=2026-2-3", "to"),
            ("from=2026-02-03&to=2026-02-02", "to"),
        ],
    },
    List { path: "/countries?empty=true", name: Some("code"), filters: &[], refused: &[("empty=true", "empty")] },
    List { path: "/cities?", name: None, filters: &[("country", "country_code")], refused: &[("country=FR", "country")] },
    List {
        path: "/search?q=sample", name: None, filters: &[("type", "type"), ("country", "country_code")],
        refused: &[("type=studios", "type"), ("country=FR", "country"), ("q=again", "q")],
    },
    List { path: "/rankings/games/week?", name: None, filters: &[], refused: &[] },
    List { path: "/rankings/creators/all?", name: None, filters: &[], refused: &[] },
];

/// Queries that every list refuses.
const REFUSED: [(&str, &str); 5] = [
    ("limit=0", "limit"),
    ("limit=101", "limit"),
    ("limit=ten", "limit"),
    ("limit=5&limit=5", "limit"),
    ("cursor=nonsense", "cursor"),
];

/// The values of a field, which may be a list or a creator.
fn values(row: &Value, field: &str) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match &row[field] {
        Value::Array(values) => values.iter().map(text).collect(),
        Value::Object(creator) => vec![text(&creator["handle"])],
        value => vec![text(value)],
    }
}

fn sorted(mut rows: Vec<Value>) -> Vec<String> {
    let mut rows: Vec<String> = rows.drain(..).map(|row| row.to_string()).collect();
    rows.sort_unstable();
    rows
}

#[tokio::test]
async fn pages_of_any_size_make_up_the_whole_list() {
    let client = sample(&Fleet::shared());
    for List { path, .. } in &LISTS {
        let whole = client.all(path, 100).await;
        for (place, row) in whole.iter().enumerate() {
            assert!(!whole[..place].contains(row), "{path}: {row} comes twice");
        }
        for limit in [1, 7, 99] {
            assert_eq!(client.all(path, limit).await, whole, "{path} by {limit}");
        }
        let first = client.get(path).await;
        let expected = &whole[..whole.len().min(20)];
        assert_eq!(first.data().as_array().unwrap()[..], *expected, "{path}");
    }
}

#[tokio::test]
async fn a_cursor_belongs_to_its_list_and_filters() {
    let client = sample(&Fleet::shared());
    for (path, other) in [
        ("/games?", "/games?genre=puzzle"),
        ("/games?", "/creators?"),
        ("/creators?", "/creators?kind=studio"),
        ("/events?when=past", "/events?when=all"),
        ("/countries?", "/countries?empty=true"),
        ("/cities?", "/cities?country=KE"),
        ("/search?q=sample", "/search?q=sample&type=games"),
        ("/rankings/games/week?", "/rankings/games/month?"),
    ] {
        let first = client.get(&format!("{path}&limit=1")).await;
        let cursor = first.body["meta"]["next_cursor"].as_str().unwrap();
        let answer = client.get(&format!("{other}&cursor={cursor}")).await;
        answer.assert_error(400, "invalid");
        assert!(answer.body["fields"]["cursor"].is_string(), "{other}");
    }
}

#[tokio::test]
async fn each_filter_gives_the_matching_rows_of_the_whole_list() {
    let client = sample(&Fleet::shared());
    for List { path, filters, .. } in &LISTS {
        let whole = client.all(path, 100).await;
        for (parameter, field) in *filters {
            let found = whole.iter().find_map(|row| {
                let mut values = values(row, field).into_iter();
                values.rfind(|value| !value.is_empty())
            });
            let value = found.unwrap();
            let expected = whole
                .iter()
                .filter(|row| values(row, field).contains(&value))
                .cloned()
                .collect::<Vec<_>>();
            // Country codes are case-insensitive.
            let sent = match *parameter {
                "country" => value.to_lowercase(),
                _ => value,
            };
            let path = format!("{path}&{parameter}={sent}");
            assert_eq!(client.all(&path, 3).await, expected, "{path}");
        }
    }
    // A range includes its first and last day. An event takes place on each day from its start to its end.
    let whole = client.all("/events?when=all", 100).await;
    let last = |event: &Value| {
        event["ends_at"].as_str().or_else(|| event["starts_at"].as_str()).map(ToOwned::to_owned)
    };
    let day = last(&whole[whole.len() / 2]).unwrap();
    let is_then = |event: &&Value| {
        event["starts_at"].as_str() <= Some(&*day) && last(event).as_deref() >= Some(&*day)
    };
    let expected: Vec<Value> = whole.iter().filter(is_then).cloned().collect();
    let path = format!("/events?when=all&from={day}&to={day}");
    assert_eq!(client.all(&path, 3).await, expected, "{path}");
    // An event is either past or upcoming.
    let mut both = client.all("/events?when=past", 100).await;
    both.extend(client.all("/events", 100).await);
    assert_eq!(sorted(both), sorted(whole));
}

#[tokio::test]
async fn a_wrong_parameter_is_named() {
    let client = sample(&Fleet::shared());
    for List { path, refused, .. } in &LISTS {
        for (query, field) in REFUSED.iter().chain(*refused) {
            let answer = client.get(&format!("{path}&{query}")).await;
            answer.assert_error(400, "invalid");
            assert!(answer.body["fields"][field].is_string(), "{path}&{query}");
        }
    }
    // One response names all invalid parameters: those that the gateway checks, and those that only catalogue-svc can check.
    for (wrong, fields) in [
        ("country=KE&country=NG&limit=e&q=%", &["country", "limit", "q"][..]),
        ("genre=a&platform=b&stage=c&cursor=f", &["cursor", "genre", "platform", "stage"]),
    ] {
        let answer = client.get(&format!("/games?{wrong}")).await;
        answer.assert_error(400, "invalid");
        let named: Vec<&String> = answer.body["fields"].as_object().unwrap().keys().collect();
        assert_eq!(named, fields);
    }
    for path in ["/search", "/search?q=%20"] {
        client.get(path).await.assert_error(400, "invalid");
    }
    // A name that no listing has gives an empty list, not an error.
    for nothing in
        ["/games?creator=nobody&colour=blue", "/creators?city=atlantis", "/search?q=%21%3F"]
    {
        assert_eq!(client.all(nothing, 20).await, [] as [Value; 0], "{nothing}");
    }
}

#[tokio::test]
async fn a_single_read_has_the_fields_of_its_row() {
    let client = sample(&Fleet::shared());
    for List { path, name, .. } in &LISTS {
        let Some(name) = name else { continue };
        let list = path.split('?').next().unwrap();
        for row in client.all(path, 100).await {
            let address = format!("{list}/{}", row[*name].as_str().unwrap());
            let single = client.get(&address).await;
            for (field, value) in row.as_object().unwrap() {
                assert_eq!(single.data()[field], *value, "{address}: {field}");
            }
        }
        for other in ["no-such-name", "%FF", "a%2Fb"] {
            let answer = client.get(&format!("{list}/{other}")).await;
            answer.assert_error(404, "not_found");
        }
    }
}

/// Each row has the fields of the contract and no others, and known facts of the live directory are there.
#[tokio::test]
async fn rows_have_the_shapes_of_the_contract() {
    let fleet = Fleet::shared();
    let (live, sample) = (live(&fleet).await, sample(&fleet));
    let games: Vec<GameRow> = live.rows("/games", 100).await;
    assert!(games.len() >= 91, "{}", games.len());
    let game: Game = live.one("/games/a-day-in-the-woods").await;
    assert_eq!(
        (game.row.creator.handle.as_str(), game.row.release_year),
        ("retroepic-software", 2015)
    );
    let creators: Vec<CreatorRow> = live.rows("/creators", 100).await;
    assert!(creators.len() >= 250, "{}", creators.len());
    let events: Vec<Event> = live.rows("/events?when=all", 100).await;
    assert!(events.len() >= 45, "{}", events.len());
    let countries: Vec<CountryRow> = live.rows("/countries?empty=true", 100).await;
    assert_eq!(countries.len(), 54);
    let genres: Vec<GenreRow> = live.rows("/genres", 100).await;
    assert_eq!(genres.len(), include_str!("../../deploy/data/genres.ndjson").lines().count());
    let full: Game = sample.one("/games/sample-fifty-four-stops").await;
    assert!(full.trailer_url.is_some() && !full.credits.is_empty() && !full.links.is_empty());
    let creator: Creator = sample.one("/creators/sample-baobab-works").await;
    assert!(!creator.games.is_empty() && creator.links.contains_key("itch"));
    let found: Vec<SearchResult> = sample.rows("/search?q=nairobi", 100).await;
    let kinds: std::collections::BTreeSet<&str> =
        found.iter().map(|row| row.kind.as_str()).collect();
    assert_eq!(kinds.len(), 4, "games, creators, events and cities: {kinds:?}");
    let board: Vec<RankingRow> = sample.rows("/rankings/games/all", 100).await;
    assert!(board.iter().zip(1..).all(|(row, rank)| row.rank == rank));
}

#[tokio::test]
async fn live_and_sample_listings_are_apart() {
    let fleet = Fleet::shared();
    let (live, sample) = (live(&fleet).await, sample(&fleet));
    for (client, other, mode) in [(&live, &sample, "live"), (&sample, &live, "test")] {
        for List { path, name, .. } in &LISTS[..3] {
            let list = path.split('?').next().unwrap();
            let row = client.get(&format!("{path}&limit=1")).await.data()[0].clone();
            let address = format!("{list}/{}", row[name.unwrap()].as_str().unwrap());
            let shown = client.get(&address).await;
            assert_eq!(shown.body["meta"]["mode"], mode, "{address}");
            assert_eq!(shown.status, 200, "{address}");
            other.get(&address).await.assert_error(404, "not_found");
        }
    }
    assert_eq!(sample.all("/search?q=maliyo", 20).await, [] as [Value; 0]);
}
