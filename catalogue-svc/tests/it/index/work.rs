//! How much of the index a query walks.

use super::*;

/// Three hundred games in chunks of four, each a word of its own; every tenth is a puzzle.
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

fn search(snapshot: &Snapshot, query: Query<GameKey>) -> (u64, Work) {
    let query = Query { limit: 3, ..query };
    let page = snapshot.dataset(Mode::Live).games.search(&query);
    (page.total, page.work)
}

fn words(q: &str) -> Query<GameKey> {
    Query {
        words: words::of_query(q, 10),
        ..Query::default()
    }
}

#[test]
fn a_page_walks_no_chunk_that_it_does_not_need() {
    for snapshot in [build::writer(&many()), build::built(&many())].map(|w| w.snapshot()) {
        let (total, work) = search(&snapshot, Query::default());
        assert_eq!((total, work.chunks), (300, 1));
        // What words find is in two chunks, and a page that is full ends the walk.
        let (total, work) = search(&snapshot, words("word001"));
        assert_eq!((total, work.chunks), (1, 1));
        let (total, work) = search(&snapshot, words("lute"));
        assert_eq!(total, 299);
        assert!(work.chunks <= 2, "{work:?}");
        let mut behind = words("word2");
        let games = &snapshot.dataset(Mode::Live).games;
        behind.after = Some(games.get("game-210").unwrap().key.clone());
        let (total, work) = search(&snapshot, behind);
        assert_eq!(total, 100);
        assert!(work.chunks <= 2, "{work:?}");
        // An exact total with another filter needs the chunks that have both.
        let mut both = words("word01");
        both.facets = vec![snapshot.genres.facet("puzzle").unwrap()];
        let (total, work) = search(&snapshot, both);
        assert_eq!(total, 1);
        assert!(work.chunks <= 3, "{work:?}");
        // Nothing is walked for what nothing has.
        for q in ["zebra", "?!", "lute zebra", "kora word008"] {
            let (total, work) = search(&snapshot, words(q));
            assert_eq!((total, work.chunks), (0, 0), "{q}");
        }
    }
}

#[test]
fn chunks_whose_rows_have_gone_merge() {
    for mut writer in [build::writer(&many()), build::built(&many())] {
        let removed = (0..300).filter(|number| number % 10 != 0);
        for number in removed {
            let mut game = build::game(number);
            game.state = listings::State::Removed.into();
            writer.apply(entity(&game_change(&game)));
        }
        let snapshot = writer.snapshot();
        // Every row that is left is a puzzle; the total is counted chunk by chunk.
        let mut counted = words("wo");
        counted.facets = vec![snapshot.genres.facet("puzzle").unwrap()];
        let (total, work) = search(&snapshot, counted);
        assert_eq!(total, 30);
        // Without merging each would be in a chunk of its own.
        assert!(work.chunks <= 15, "{work:?}");
        let rows = paged(&snapshot, &everything(Mode::Live));
        let slugs: Vec<String> = rows.into_iter().map(|row| row.slug).collect();
        let left: Vec<String> = (0..30).rev().map(|n| format!("game-{}", n * 10)).collect();
        assert_eq!(slugs, left);
    }
}

#[test]
fn a_query_ends_when_no_row_is_left_and_short_prefixes_are_ready() {
    let snapshot = build::built(&many()).snapshot();
    for (q, postings) in [
        // Of a prefix that 300 words have, there is one posting, not 300.
        ("w", 1),
        ("wo", 1),
        ("l wo", 2),
        ("wor", 300),
        // The most selective word comes first, and leaves nothing for the others.
        // Then it is asked again with typos forgiven.
        ("kora word008 word00", 4),
        ("kora word008 word00 wo", 4),
        ("word0 zebra", 0),
    ] {
        let (_, work) = search(&snapshot, words(q));
        assert_eq!(work.postings, postings, "{q}");
    }
    let search = Search {
        words: words::of_query("w kora", 10).unwrap(),
        limit: 20,
        ..Search::default()
    };
    let hits = snapshot.dataset(Mode::Live).search(&search);
    assert_eq!(hits.total, 1);
    assert!(hits.work.postings <= 8, "{:?}", hits.work);
    assert_eq!(hits.work.chunks, 1);
}

#[test]
fn a_query_forgives_two_words_at_most() {
    let snapshot = build::built(&many()).snapshot();
    // Long words that nothing begins with, each with a letter of its own; two edits are forgiven in each.
    let long = |words: usize| {
        let letters = ('a'..='j').take(words);
        let words = letters.map(|letter| format!("{letter}{}", "qxz".repeat(7)));
        words.collect::<Vec<_>>().join(" ")
    };
    for (q, automata) in [
        (long(1), 3),
        (long(2), 3),
        // What three unknown words ask for is nowhere.
        (long(3), 0),
        (long(10), 0),
        ("luet mkaer kroa".to_owned(), 0),
        // One of them is never forgiven.
        (format!("{} 2026", long(1)), 0),
        ("word001 lute".to_owned(), 0),
        // Nothing has both, so that the words are forgiven again, the rare one too.
        ("lutes kora".to_owned(), 5),
        ("luet kroa".to_owned(), 4),
        ("word lutes kora".to_owned(), 5),
    ] {
        let (_, work) = search(&snapshot, words(&q));
        assert_eq!(work.automata, automata, "{q}");
        let everything = Search {
            words: words::of_query(&q, 10).unwrap(),
            limit: 20,
            ..Search::default()
        };
        let work = snapshot.dataset(Mode::Live).search(&everything).work;
        assert_eq!(work.automata, automata, "{q}");
    }
    let (found, _) = search(&snapshot, words("luet mkaer"));
    assert_eq!(found, 299);
}

#[test]
fn events_outside_the_days_that_are_asked_for_are_not_walked() {
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
    assert!(page.work.chunks <= 4, "{:?}", page.work);
}
