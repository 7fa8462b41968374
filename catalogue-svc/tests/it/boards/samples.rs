//! The boards that test keys see: the bundled sample votes on the sample listings.

use std::collections::{BTreeMap, BTreeSet};

use contracts::common::v1::Mode;
use contracts::listings::v1 as listings;
use serde_json::Value;
use sqlx::PgPool;
use time::Duration;

use super::support::Replica;
use crate::build::{at, game, game_change, id, page, page_change};

/// The lines of a bundled NDJSON file.
fn lines(file: &str) -> Vec<Value> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(root.join(file)).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

fn text<'a>(row: &'a Value, field: &str) -> &'a str {
    row[field].as_str().unwrap()
}

/// The sample pages and games as changes of the feed.
fn samples() -> Vec<contracts::common::v1::Change> {
    let mut pages = BTreeMap::new();
    let mut changes = Vec::new();
    for (row, number) in lines("listings-svc/sample/creators.ndjson").iter().zip(1_000..) {
        pages.insert(text(row, "handle").to_owned(), number);
        changes.push(page_change(&listings::Page {
            mode: Mode::Test.into(),
            handle: text(row, "handle").to_owned(),
            name: text(row, "name").to_owned(),
            created_at: Some(at(number.into())),
            ..page(number)
        }));
    }
    for (row, number) in lines("listings-svc/sample/games.ndjson").iter().zip(2_000..) {
        changes.push(game_change(&listings::Game {
            mode: Mode::Test.into(),
            slug: text(row, "slug").to_owned(),
            title: text(row, "title").to_owned(),
            page_id: id(pages[text(row, "creator")]),
            ..game(number)
        }));
    }
    changes
}

#[test]
fn sample_votes_are_about_samples_of_different_creators() {
    let games = lines("listings-svc/sample/games.ndjson");
    let games: BTreeMap<&str, &str> =
        (games.iter()).map(|row| (text(row, "slug"), text(row, "creator"))).collect();
    let pages = lines("listings-svc/sample/creators.ndjson");
    let creators: BTreeSet<&str> = pages.iter().map(|row| text(row, "handle")).collect();
    for vote in lines("catalogue-svc/sample/votes.ndjson") {
        let pair = [text(&vote, "winner"), text(&vote, "loser")];
        assert_ne!(pair[0], pair[1]);
        match text(&vote, "kind") {
            "games" => assert_ne!(games[pair[0]], games[pair[1]], "{vote}"),
            _ => assert!(pair.iter().all(|one| creators.contains(one)), "{vote}"),
        }
        assert!(vote["hours_ago"].as_u64().unwrap() >= 1, "{vote}");
    }
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn every_sample_board_is_filled_at_any_time(pool: PgPool) {
    let mut replica = Replica::start(&pool).await;
    replica.list(&samples());
    replica.vote(1, 1, 2).await;
    for _ in 0..3 {
        let mut sizes = Vec::new();
        for kind in ["games", "creators"] {
            for board in ["week", "month", "all"] {
                let rows = replica.rows(Mode::Test, kind, board).await;
                assert!(rows.len() > 15, "{kind}/{board}: {}", rows.len());
                // Some rows moved and some did not, and every row is a sample.
                let moved = rows.iter().filter(|row| row.rank != row.previous_rank).count();
                assert!(moved > 0 && moved < rows.len(), "{kind}/{board}: {moved}");
                assert!(rows.iter().all(|row| row.name.contains("Sample")));
                assert!(rows.is_sorted_by_key(|row| std::cmp::Reverse(row.wins)));
                sizes.push(rows.len());
            }
        }
        assert!(sizes[0] <= sizes[1] && sizes[1] <= sizes[2], "{sizes:?}");
        replica.clock.advance(Duration::hours(31));
    }
    // The sample votes do not reach the live boards.
    assert_eq!(replica.board("all").await.len(), 2);
}
