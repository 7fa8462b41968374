//! Many rows: exact totals, pages of few and of many hits, and how many words are forgiven.

use super::*;

/// Three hundred games, each with a word of its own; every tenth is a puzzle.
fn many() -> Vec<Change> {
    let mut changes = vec![page_change(&build::page(0))];
    changes.extend((0..300).map(|number| {
        let mut game = build::game(number);
        game.title = format!(
            "Word{number:03} {}",
            if number == 7 { "kora" } else { "lute" }
        );
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
    Query {
        words: Some(words::of_query(q, 10)),
        ..Query::default()
    }
}

#[test]
fn totals_are_exact() {
    for snapshot in [build::writer(&many()), build::built(&many())].map(|w| w.snapshot()) {
        assert_eq!(total(&snapshot, Query::default()), 300);
        for (q, expected) in [
            ("word001", 1),
            ("lute", 299),
            ("zebra", 0),
            ("?!", 0),
            ("lute zebra", 0),
            ("kora word008", 0),
        ] {
            assert_eq!(total(&snapshot, words(q)), expected, "{q}");
        }
        let mut behind = words("word2");
        let games = &snapshot.dataset(Mode::Live).games;
        behind.after = Some(games.get("game-210").unwrap().key.clone());
        assert_eq!(total(&snapshot, behind), 100);
        let mut both = words("word01");
        both.facets = vec![Facet::genre("puzzle").unwrap()];
        assert_eq!(total(&snapshot, both), 1);
        let search = Search {
            words: words::of_query("w kora", 10),
            limit: 20,
            ..Search::default()
        };
        assert_eq!(snapshot.dataset(Mode::Live).search(&search).total, 1);
    }
}

#[test]
fn rows_that_are_left_keep_their_order() {
    for mut writer in [build::writer(&many()), build::built(&many())] {
        let removed = (0..300).filter(|number| number % 10 != 0);
        for number in removed {
            let mut game = build::game(number);
            game.state = listings::State::Removed.into();
            writer.apply(entity(&game_change(&game)));
        }
        let snapshot = writer.snapshot();
        // Every row that is left is a puzzle.
        let mut counted = words("wo");
        counted.facets = vec![Facet::genre("puzzle").unwrap()];
        assert_eq!(total(&snapshot, counted), 30);
        let rows = paged(&snapshot, &everything(Mode::Live));
        let slugs: Vec<String> = rows.into_iter().map(|row| row.slug).collect();
        let left: Vec<String> = (0..30).rev().map(|n| format!("game-{}", n * 10)).collect();
        assert_eq!(slugs, left);
    }
}

/// The slugs of all pages of a list of games, each of three rows.
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

/// Rows with which an index was built are numbered in their order; rows that came later, or have got another key, are not.
#[test]
fn few_hits_and_many_are_listed_in_their_order() {
    for mut writer in [build::writer(&many()), build::built(&many())] {
        // Between the others by its time, and a puzzle.
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
        let query = Query {
            facets: puzzle(),
            ..Query::default()
        };
        assert_eq!(slugs(&snapshot, query), expected);
        let few = Query {
            facets: puzzle(),
            ..words("word1")
        };
        let tens = (10..20).rev().map(|ten| format!("game-{}", ten * 10));
        assert_eq!(slugs(&snapshot, few), tens.collect::<Vec<_>>());
        let backwards = Query {
            facets: puzzle(),
            backwards: true,
            ..Query::default()
        };
        expected.reverse();
        assert_eq!(slugs(&snapshot, backwards), expected);
    }
}

#[test]
fn a_query_forgives_two_words_at_most() {
    let snapshot = build::built(&many()).snapshot();
    for (q, expected, similar) in [
        ("word001 lute", 1, false),
        // A word alone needs five letters.
        ("luet", 0, false),
        ("luet mkaer", 299, true),
        ("word001 luet", 1, true),
        // Three unknown words are too many.
        ("luet mkaer kroa", 0, false),
        // A number is never forgiven.
        ("luet 2026", 0, false),
    ] {
        assert_eq!(total(&snapshot, words(q)), expected, "{q}");
        let everything = Search {
            words: words::of_query(q, 10),
            limit: 20,
            ..Search::default()
        };
        let hits = snapshot.dataset(Mode::Live).search(&everything);
        assert_eq!(hits.similar, similar, "{q}");
    }
}

#[test]
fn events_outside_the_days_that_are_asked_for_are_not_listed() {
    let events = (0..300).map(|number| {
        let day = time::macros::date!(2026 - 01 - 01) + time::Duration::days(number.into());
        build::event_change(&listings::Event {
            starts_at: day.to_string(),
            ..build::event(number)
        })
    });
    let snapshot = build::writer(&events.collect::<Vec<_>>()).snapshot();
    let today = time::macros::date!(2026 - 01 - 01) + time::Duration::days(290);
    let query = Query {
        span: Some(Span::new(When::Upcoming, today, None, None)),
        limit: 20,
        ..Query::default()
    };
    let page = snapshot.dataset(Mode::Live).events.search(&query);
    assert_eq!((page.total, page.rows.len()), (10, 10));
}
