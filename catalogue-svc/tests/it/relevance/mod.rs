//! What people search for and should find in the directory's own data (`queries.ndjson`).
//!
//! The queries and their right answers were written before the ranking. Every fourth query of a kind was held out while the ranking was tuned, so
//! that the score of these shows how the ranking does on queries it was not tuned on.

mod directory;

use std::collections::BTreeMap;

use catalogue::domain::words::{self, Field};
use catalogue::index::{Document as _, Hit, Search, Snapshot};
use kit::Mode;
use serde::Deserialize;

use crate::build::entity;

/// A query and the results that may come first; an empty list means that nothing may be found.
#[derive(Debug, Deserialize)]
struct Question {
    kind: String,
    q: String,
    first: Vec<String>,
    kept_aside: bool,
}

fn questions() -> Vec<Question> {
    let lines = include_str!("queries.ndjson").lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The first three results, as `type/slug`.
fn find(snapshot: &Snapshot, q: &str) -> Vec<String> {
    let search = Search { words: words::from_query(q, 10), limit: 3, ..Search::default() };
    let hits = snapshot.dataset(Mode::Live).search(&search).rows;
    let place = |hit: &Hit| match hit {
        Hit::Game(row) => format!("games/{}", row.address()),
        Hit::Creator(row) => format!("creators/{}", row.address()),
        Hit::Event(row) => format!("events/{}", row.address()),
        Hit::City(row) => format!("cities/{}", row.address()),
    };
    hits.iter().map(place).collect()
}

/// The number of queries, of those whose first result was right, and of those with a right one among the first three.
#[derive(Debug, Default, Clone, Copy)]
struct Score {
    asked: usize,
    first: usize,
    first_three: usize,
}

#[test]
fn people_find_what_they_mean() {
    let snapshot = directory::writer().snapshot();
    let mut scores: BTreeMap<bool, Score> = BTreeMap::new();
    let mut missed = Vec::new();
    for question in questions() {
        let found = find(&snapshot, &question.q);
        let is_right = |found: &String| question.first.contains(found);
        let nothing = question.first.is_empty() && found.is_empty();
        let first = nothing || found.first().is_some_and(is_right);
        let first_three = nothing || found.iter().any(is_right);
        let score = scores.entry(question.kept_aside).or_default();
        score.asked += 1;
        score.first += usize::from(first);
        score.first_three += usize::from(first_three);
        if !first {
            let Question { kind, q, first, .. } = question;
            missed.push(format!("{kind}: {q} finds {found:?}, not {first:?}"));
        }
    }
    let (ours, aside) = (scores[&false], scores[&true]);
    assert!(ours.asked >= 80 && aside.asked >= 20, "{scores:?}");
    // At least 96 % have a right first result, and 99 % a right one among the first three.
    for score in [ours, aside] {
        assert!(score.first * 100 >= score.asked * 96, "{scores:?}\n{missed:#?}");
        assert!(score.first_three * 100 >= score.asked * 99, "{scores:?}\n{missed:#?}");
    }
}

#[test]
fn random_consonants_find_nothing() {
    let snapshot = directory::writer().snapshot();
    let consonants = b"bcdfghjklmnpqrstvwxz";
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for n in 0..40 {
        let word: String = (0..6 + n % 5)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let letter = usize::try_from(state >> 33).unwrap() % consonants.len();
                char::from(consonants[letter])
            })
            .collect();
        assert_eq!(find(&snapshot, &word), [""; 0], "{word}");
    }
}

/// Indexing names without their punctuation as words too grows the index by at most 5 %.
#[test]
fn joined_names_grow_the_index_by_five_percent_at_most() {
    let is_mark = |c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '\u{2019}');
    let (mut joined, mut parts) = (0, 0);
    for (title, tagline) in directory::game_texts() {
        let count = |title: &str| {
            let texts = [(Field::Title, title), (Field::Tagline, &*tagline)];
            words::from_texts(texts).iter().count()
        };
        joined += count(&title);
        parts += count(&title.replace(is_mark, " "));
    }
    assert!(parts < joined, "{joined}");
    assert!(joined * 100 <= parts * 105, "{joined}, {parts}");
}

/// A word that only removed listings had is neither found nor a candidate for a typo.
#[test]
fn words_of_removed_listings_are_not_found() {
    let mut writer = directory::writer();
    assert_eq!(find(&writer.snapshot(), "gazkr"), ["games/gazkar", "creators/lomay"]);
    // The tagline of a creator has the word too.
    let changes = [
        (directory::game_removed("gazkar"), vec!["creators/lomay"]),
        (directory::page_removed("lomay"), vec![]),
    ];
    for (change, left) in changes {
        writer.apply(entity(&change));
        writer.flush(1).unwrap();
        for q in ["gazkr", "gazkar"] {
            assert_eq!(find(&writer.snapshot(), q), left, "{q}");
        }
    }
}
