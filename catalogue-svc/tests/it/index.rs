//! The catalogue in memory: snapshots, addresses, many rows. `property` compares its lists with SQL queries.

use catalogue::domain::facet::Facet;
use catalogue::domain::order::GameKey;
use catalogue::domain::words;
use catalogue::index::{Document as _, Query, Search, Snapshot};
use contracts::common::v1::Change;
use contracts::listings::v1 as listings;
use kit::Mode;

use crate::build::{self, entity, game_change, page_change};

/// Three hundred games, each with a unique word; every tenth is a puzzle.
fn many() -> Vec<Change> {
    let mut changes = vec![page_change(&build::page(0))];
    changes.extend((0..300).map(|number| {
        let mut game = build::game(number);
        game.title = format!("Word{number:03} {}", if number == 7 { "kora" } else { "lute" });
        if number % 10 == 0 {
            game.genres = vec!["puzzle".to_owned()];
        }
        game_change(&game)
    }));
    changes
}

fn total(snapshot: &Snapshot, query: Query<GameKey>) -> u64 {
    let query = Query { limit: 3, ..query };
    snapshot.dataset(Mode::Live).games.search(&query).total
}

fn words(q: &str) -> Query<GameKey> {
    Query { words: Some(words::from_query(q, 10)), ..Query::default() }
}

/// All live games, as JSON.
fn rows(snapshot: &Snapshot) -> String {
    let mut json = Vec::new();
    for game in snapshot.dataset(Mode::Live).games.rows() {
        game.json().push_row(&mut json);
    }
    String::from_utf8(json).unwrap()
}

#[test]
fn rows_are_sorted_and_found_by_their_positions() {
    for mut writer in [build::writer(&many()), build::built(&many())] {
        // One game leaves, one comes, and one moves to the front.
        let gone = listings::Game { state: listings::State::Removed.into(), ..build::game(150) };
        let featured = listings::Game { featured: true, ..build::game(70) };
        for change in [gone, build::game(301), featured] {
            writer.apply(entity(&game_change(&change)));
        }
        writer.flush(1).unwrap();
        let snapshot = writer.snapshot();
        let games = &snapshot.dataset(Mode::Live).games;
        assert!(games.rows().is_sorted_by_key(|game| &game.key));
        let at_positions = (0..games.len()).map(|position| games.nth(position).unwrap());
        assert!(at_positions.map(|game| game.id).eq(games.rows().map(|game| game.id)));
        assert!(games.len() == 300 && games.nth(300).is_none());
    }
}

#[test]
fn a_published_snapshot_does_not_change() {
    for mut writer in [build::writer(&many()), build::built(&many())] {
        let snapshot = writer.snapshot();
        let before = (rows(&snapshot), total(&snapshot, words("lute")));
        let renamed = listings::Page { name: "Renamed".to_owned(), ..build::page(0) };
        let removed = listings::Game { state: listings::State::Removed.into(), ..build::game(1) };
        let changed = listings::Game { title: "Lute".to_owned(), ..build::game(7) };
        for change in [page_change(&renamed), game_change(&removed), game_change(&changed)] {
            writer.apply(entity(&change));
        }
        writer.flush(1).unwrap();
        assert_eq!((rows(&snapshot), total(&snapshot, words("lute"))), before);
        let now = writer.snapshot();
        assert_eq!(rows(&now).matches(r#""name":"Renamed""#).count(), 299);
        assert_eq!(total(&now, words("lute")), 299);
    }
}

#[test]
fn the_address_of_a_removed_listing_belongs_to_its_new_owner() {
    // Another game takes over the slug; then the first game is removed.
    let mut heir =
        listings::Game { slug: "game-1".to_owned(), title: "Heir".to_owned(), ..build::game(2) };
    let gone = listings::Game { state: listings::State::Removed.into(), ..build::game(1) };
    // The second time both games have the same sort key, so that only the id distinguishes them.
    for created_at in [heir.created_at, build::game(1).created_at] {
        heir.created_at = created_at;
        let games = [&build::game(1), &heir, &gone].map(game_change);
        let changes: Vec<Change> =
            [page_change(&build::page(0))].into_iter().chain(games).collect();
        for snapshot in [build::writer(&changes), build::built(&changes)].map(|w| w.snapshot()) {
            let rows = rows(&snapshot);
            assert!(rows.starts_with(r#"{"slug":"game-1","title":"Heir""#), "{rows}");
            let games = &snapshot.dataset(Mode::Live).games;
            assert_eq!((games.len(), games.get("game-1").is_some()), (1, true));
        }
    }
}

#[test]
fn lists_are_ordered_by_first_publication() {
    let published = |number, seconds| listings::Game {
        first_published_at: Some(build::at(seconds)),
        ..build::game(number)
    };
    // Game 70 was published when it was submitted.
    let games = [published(1, 100), published(2, 50), build::game(70)];
    let page = |number, seconds| listings::Page {
        first_published_at: Some(build::at(seconds)),
        ..build::page(number)
    };
    let pages = [page(0, 0), page(5, 9), page(6, 10)].map(|page| page_change(&page));
    let changes = [pages, games.map(|game| game_change(&game))].concat();
    let snapshot = build::writer(&changes).snapshot();
    let dataset = snapshot.dataset(Mode::Live);
    let games: Vec<&str> = dataset.games.rows().map(|row| &*row.key.slug).collect();
    assert_eq!(games, ["game-1", "game-70", "game-2"]);
    let creators: Vec<&str> = dataset.creators.rows().map(|row| &*row.key.handle).collect();
    assert_eq!(creators, ["maker-6", "maker-5", "maker-0"]);
}

/// The slugs of a list of games, read in pages of three rows.
fn slugs(snapshot: &Snapshot, mut query: Query<GameKey>) -> Vec<String> {
    query.limit = 3;
    let mut slugs = Vec::new();
    loop {
        let page = snapshot.dataset(Mode::Live).games.search(&query);
        slugs.extend(page.rows.iter().map(|row| row.key.slug.to_string()));
        if !page.more {
            assert_eq!(page.total, slugs.len() as u64);
            return slugs;
        }
        query.after = page.rows.last().map(|row| row.key.clone());
    }
}

/// Doc ids follow the sort order only for rows of the first build, not for rows that were added or re-sorted later.
#[test]
fn hits_are_listed_in_sort_order() {
    for mut writer in [build::writer(&many()), build::built(&many())] {
        // A puzzle that sorts between the others.
        let between = listings::Game {
            first_published_at: Some(build::at(105)),
            genres: vec!["puzzle".to_owned()],
            ..build::game(400)
        };
        let moved = listings::Game {
            first_published_at: Some(build::at(195)),
            genres: vec!["puzzle".to_owned()],
            ..build::game(20)
        };
        for game in [between, moved] {
            writer.apply(entity(&game_change(&game)));
        }
        writer.flush(1).unwrap();
        let snapshot = writer.snapshot();
        let puzzle = || vec![Facet::genre("puzzle").unwrap()];
        let tens = (0..30_u32).rev().map(|ten| ten * 10);
        let puzzles = tens.flat_map(|number| match number {
            20 => vec![],
            200 => vec![200, 20],
            110 => vec![110, 400],
            _ => vec![number],
        });
        let mut expected: Vec<String> = puzzles.map(|number| format!("game-{number}")).collect();
        let query = Query { facets: puzzle(), ..Query::default() };
        assert_eq!(slugs(&snapshot, query), expected);
        let few = Query { facets: puzzle(), ..words("word1") };
        let tens = (10..20).rev().map(|ten| format!("game-{}", ten * 10));
        assert_eq!(slugs(&snapshot, few), tens.collect::<Vec<_>>());
        let backwards = Query { facets: puzzle(), backwards: true, ..Query::default() };
        expected.reverse();
        assert_eq!(slugs(&snapshot, backwards), expected);
    }
}

#[test]
fn at_most_two_words_of_a_query_are_corrected() {
    let snapshot = build::built(&many()).snapshot();
    for (q, expected, similar) in [
        ("word001 lute", 1, false),
        // A single word needs five letters to be corrected.
        ("luet", 0, false),
        ("luet mkaer", 299, true),
        ("word001 luet", 1, true),
        // Three unknown words are not corrected.
        ("luet mkaer kroa", 0, false),
        // A number is never corrected.
        ("luet 2026", 0, false),
    ] {
        assert_eq!(total(&snapshot, words(q)), expected, "{q}");
        let everything = Search { words: words::from_query(q, 10), limit: 20, ..Search::default() };
        let hits = snapshot.dataset(Mode::Live).search(&everything);
        assert_eq!(hits.similar, similar, "{q}");
    }
}
