//! The reads of the public site: the sitemap, the newest games, and games drawn at random.

use std::collections::BTreeSet;

use catalogue::service::Reads;
use contracts::catalogue::v1::site_service_server::SiteService as _;
use contracts::catalogue::v1::{
    DrawGamesRequest, ListNewGamesRequest, ListSitemapRequest, SitemapEntry,
};
use contracts::common::v1::{Change, Mode};
use contracts::listings::v1 as listings;
use contracts::public::GameRow;
use kit::Fault;
use tonic::Request;

use super::{catalogue, published};
use crate::build::{
    at, built, event, event_change, game, game_change, id, page, page_change, reads, writer,
};

/// A live page with 30 games, three events, and a sample game.
fn changes() -> Vec<Change> {
    let mut changes = vec![
        page_change(&page(0)),
        page_change(&listings::Page { mode: Mode::Test.into(), ..page(1) }),
        game_change(&listings::Game { mode: Mode::Test.into(), page_id: id(1), ..game(100) }),
        game_change(&listings::Game { state: listings::State::Pending.into(), ..game(101) }),
    ];
    changes.extend((0..30).map(|number| {
        game_change(&listings::Game {
            featured: number == 3,
            updated_at: Some(at(i64::from(number) + 1_000)),
            ..game(number)
        })
    }));
    changes.extend((200..203).map(|number| event_change(&event(number))));
    changes
}

/// The entries of a kind, and the number of pages.
async fn sitemap(site: &Reads, kind: &str) -> Result<(Vec<SitemapEntry>, usize), Fault> {
    let (mut entries, mut pages, mut cursor) = (Vec::new(), 0, String::new());
    loop {
        let request = ListSitemapRequest { kind: kind.to_owned(), at_least: None, cursor };
        let page = site.list_sitemap(Request::new(request)).await?.into_inner();
        entries.extend(page.entries);
        pages += 1;
        cursor = page.next_cursor;
        if cursor.is_empty() {
            return Ok((entries, pages));
        }
    }
}

fn addresses(entries: &[SitemapEntry]) -> Vec<&str> {
    entries.iter().map(|entry| &*entry.address).collect()
}

#[tokio::test]
async fn the_sitemap_has_each_live_listing_once() {
    let site = reads(catalogue(&changes()));
    let (games, _) = sitemap(&site, "games").await.unwrap();
    // The oldest come first, except that the featured game 3 is last.
    let expected = (0..30).filter(|number| *number != 3).chain([3]);
    let expected: Vec<String> = expected.map(|number| format!("game-{number}")).collect();
    assert_eq!(addresses(&games), expected);
    assert_eq!(games[0].updated_at, Some(at(1_000)));
    let (creators, _) = sitemap(&site, "creators").await.unwrap();
    assert_eq!(addresses(&creators), ["maker-0"]);
    let (events, _) = sitemap(&site, "events").await.unwrap();
    assert_eq!(addresses(&events), ["event-200", "event-201", "event-202"]);
    let (cities, _) = sitemap(&site, "cities").await.unwrap();
    assert_eq!(addresses(&cities), ["nairobi"]);
    assert_eq!(cities[0].updated_at, None);
    let fault = sitemap(&site, "plans").await.unwrap_err();
    assert!(fault.fields.contains_key("kind"), "{fault:?}");
    let nothing = reads(catalogue(&[]));
    assert_eq!(sitemap(&nothing, "games").await.unwrap(), (vec![], 1));
}

/// A response has a bounded size.
#[tokio::test]
async fn a_large_sitemap_has_pages() {
    const GAMES: u32 = 12_000;
    let games = (0..GAMES).map(|number| game_change(&game(number)));
    let changes: Vec<_> = [page_change(&page(0))].into_iter().chain(games).collect();
    let site = reads(catalogue(&changes));
    let (games, pages) = sitemap(&site, "games").await.unwrap();
    assert_eq!(pages, 3);
    let expected: Vec<String> = (0..GAMES).map(|number| format!("game-{number}")).collect();
    assert_eq!(addresses(&games), expected);
    // A cursor is that of one kind.
    let page = async |kind: &str, cursor: &str| {
        let (kind, cursor) = (kind.to_owned(), cursor.to_owned());
        let request = ListSitemapRequest { kind, at_least: None, cursor };
        site.list_sitemap(Request::new(request)).await.map_err(Fault::from)
    };
    let cursor = page("games", "").await.unwrap().into_inner().next_cursor;
    for (kind, cursor) in [("creators", &*cursor), ("games", "made-up")] {
        let refused = page(kind, cursor).await.unwrap_err();
        assert!(refused.fields.contains_key("cursor"), "{refused:?}");
    }
}

#[tokio::test]
async fn the_newest_games_do_not_favour_featured_ones() {
    let site = reads(catalogue(&changes()));
    let newest = async |limit| {
        let request = Request::new(ListNewGamesRequest { limit, at_least: None });
        let games = site.list_new_games(request).await?.into_inner();
        let rows: Vec<GameRow> = serde_json::from_slice(&games.json).unwrap();
        let slugs: Vec<String> = rows.into_iter().map(|row| row.slug).collect();
        Ok::<_, Fault>((slugs, games.games))
    };
    let (slugs, games) = newest(2).await.unwrap();
    assert_eq!(slugs, ["game-29", "game-28"]);
    let updated = games.iter().map(|game| game.updated_at.unwrap());
    let published = games.iter().map(|game| game.first_published_at.unwrap());
    assert!(published.is_sorted_by(|newer, older| newer.seconds >= older.seconds));
    assert_eq!(updated.collect::<Vec<_>>(), [at(1_029), at(1_028)]);
    let (slugs, _) = newest(50).await.unwrap();
    assert_eq!(slugs.len(), 30);
    assert_eq!(slugs[26], "game-3");
    for limit in [0, 51] {
        let fault = newest(limit).await.unwrap_err();
        assert!(fault.fields.contains_key("limit"), "{fault:?}");
    }
}

/// The slugs of drawn games.
async fn draw(site: &Reads, seed: u64, limit: u32) -> Result<Vec<String>, Fault> {
    let request = Request::new(DrawGamesRequest { seed, limit, at_least: None });
    let json = site.draw_games(request).await?.into_inner().json;
    let rows: Vec<GameRow> = serde_json::from_slice(&json).unwrap();
    Ok(rows.into_iter().map(|row| row.slug).collect())
}

#[tokio::test]
async fn every_live_game_is_drawn_for_some_seed() {
    let site = reads(catalogue(&changes()));
    let mut all = BTreeSet::new();
    for seed in 0..100 {
        let drawn = draw(&site, seed, 8).await.unwrap();
        let different: BTreeSet<String> = drawn.iter().cloned().collect();
        assert_eq!((drawn.len(), different.len()), (8, 8), "{drawn:?}");
        all.extend(different);
    }
    assert_eq!(all.len(), 30, "{all:?}");
    // There are only 30 live games.
    assert_eq!(draw(&site, 1, 50).await.unwrap().len(), 30);
    for limit in [0, 51] {
        let fault = draw(&site, 1, limit).await.unwrap_err();
        assert!(fault.fields.contains_key("limit"), "{fault:?}");
    }
}

/// One replica has just started. The other one has seen the games come one by one, one of them being featured and one leaving for a while, so
/// that their doc ids are not their positions.
#[tokio::test]
async fn every_replica_draws_the_same_games() {
    let started = reads(published(&built(&changes())));
    let removed =
        game_change(&listings::Game { state: listings::State::Removed.into(), ..game(5) });
    let plain = game_change(&game(3));
    let mut history = changes();
    history.reverse();
    history.extend([plain, removed]);
    history.extend(changes());
    let followed = reads(published(&writer(&history)));
    for seed in 0..100 {
        assert_eq!(draw(&started, seed, 8).await.unwrap(), draw(&followed, seed, 8).await.unwrap());
    }
}
