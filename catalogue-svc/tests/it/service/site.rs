//! The reads of the public site: files of the sitemap, which together have every public listing once, and the newest games.

use std::sync::Arc;

use catalogue::index::{CHUNK_ROWS, Catalogue, IndexWriter};
use catalogue::service::{Reads, SITEMAP_FILE_ROWS};
use contracts::catalogue::v1::site_service_server::SiteService as _;
use contracts::catalogue::v1::{
    ListNewGamesRequest, ListSitemapFilesRequest, ReadSitemapFileRequest, ReadSitemapFileResponse,
    SitemapEntry, SitemapFile,
};
use contracts::common::v1::{Change, Mode};
use contracts::listings::v1 as listings;
use contracts::public::GameRow;
use kit::feed::Position;
use kit::{Code, Fault};
use tonic::Request;

use super::catalogue;
use crate::build::{
    EPOCH, at, entity, event, event_change, game, game_change, id, page, page_change, reads,
};

/// A live page with 30 games, three events, and a sample game.
fn changes() -> Vec<Change> {
    let mut changes = vec![
        page_change(&page(0)),
        page_change(&listings::Page {
            mode: Mode::Test.into(),
            ..page(1)
        }),
        game_change(&listings::Game {
            mode: Mode::Test.into(),
            page_id: id(1),
            ..game(100)
        }),
        game_change(&listings::Game {
            state: listings::State::Pending.into(),
            ..game(101)
        }),
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

/// The reads of a site whose files have eight listings.
fn files_of_eight(catalogue: Arc<Catalogue>) -> Reads {
    Reads {
        sitemap_file_rows: 8,
        ..reads(catalogue)
    }
}

async fn files(site: &Reads) -> Vec<SitemapFile> {
    let files = site.list_sitemap_files(Request::new(ListSitemapFilesRequest { at_least: None }));
    files.await.unwrap().into_inner().files
}

async fn part(
    site: &Reads,
    file: (&str, u32),
    cursor: &str,
) -> Result<ReadSitemapFileResponse, Fault> {
    let request = ReadSitemapFileRequest {
        kind: file.0.to_owned(),
        number: file.1,
        cursor: cursor.to_owned(),
        at_least: None,
    };
    let part = site.read_sitemap_file(Request::new(request)).await?;
    Ok(part.into_inner())
}

/// All entries of a file, its version, and the number of its parts.
async fn read(site: &Reads, file: (&str, u32)) -> (Vec<SitemapEntry>, u64, usize) {
    let first = part(site, file, "").await.unwrap();
    let (mut entries, version) = (first.entries, first.version);
    let (mut next, mut parts) = (first.next_cursor, 1);
    while let Some(cursor) = next {
        let part = part(site, file, &cursor).await.unwrap();
        assert!(!part.entries.is_empty(), "a part has entries");
        assert_eq!(part.version, 0);
        entries.extend(part.entries);
        next = part.next_cursor;
        parts += 1;
    }
    (entries, version, parts)
}

fn addresses(entries: &[SitemapEntry]) -> Vec<&str> {
    entries.iter().map(|entry| &*entry.address).collect()
}

#[tokio::test]
async fn files_have_each_live_listing_once() {
    let site = files_of_eight(catalogue(&changes()));
    let found = files(&site).await;
    let named: Vec<_> = found.iter().map(|it| (&*it.kind, it.number)).collect();
    assert_eq!(
        named,
        [
            ("games", 1),
            ("games", 2),
            ("games", 3),
            ("games", 4),
            ("creators", 1),
            ("events", 1),
            ("cities", 1),
        ]
    );
    let mut games = Vec::new();
    for number in 1..=4 {
        let (entries, _, _) = read(&site, ("games", number)).await;
        let latest = entries
            .iter()
            .filter_map(|it| it.updated_at)
            .max_by_key(|it| it.seconds);
        let file = &found[number as usize - 1];
        assert!(file.updated_at.unwrap().seconds >= latest.unwrap().seconds);
        games.extend(entries);
    }
    // The oldest come first; a featured one is the last.
    let expected = (0..30).filter(|number| *number != 3).chain([3]);
    let expected: Vec<String> = expected.map(|number| format!("game-{number}")).collect();
    assert_eq!(addresses(&games), expected);
    assert_eq!(games[0].updated_at, Some(at(1_000)));
    let (events, _, _) = read(&site, ("events", 1)).await;
    assert_eq!(addresses(&events), ["event-200", "event-201", "event-202"]);
    let (cities, _, _) = read(&site, ("cities", 1)).await;
    assert_eq!(addresses(&cities), ["nairobi"]);
    assert_eq!(cities[0].updated_at, None);
    assert_eq!(found[6].updated_at, None);
}

#[tokio::test]
async fn a_file_has_another_version_after_a_change_of_its_own() {
    let mut changes = changes();
    let site = files_of_eight(catalogue(&changes));
    let versions = async |site: &Reads| {
        let mut versions = Vec::new();
        for number in 1..=4 {
            versions.push(part(site, ("games", number), "").await.unwrap().version);
        }
        versions
    };
    let before = versions(&site).await;
    // A new game is in the last file only.
    changes.push(game_change(&game(31)));
    let after = versions(&files_of_eight(catalogue(&changes))).await;
    assert_eq!(before[..3], after[..3]);
    assert_ne!(before[3], after[3]);
    // An edit changes its own file.
    changes.push(game_change(&listings::Game {
        updated_at: Some(at(5_000)),
        ..game(10)
    }));
    let edited = versions(&files_of_eight(catalogue(&changes))).await;
    assert_eq!((edited[0], edited[3]), (after[0], after[3]));
    assert_ne!(edited[1], after[1]);
}

#[tokio::test]
async fn a_file_that_is_not_there_is_not_found() {
    let site = files_of_eight(catalogue(&changes()));
    for file in [
        ("games", 5),
        ("games", 0),
        ("games", u32::MAX),
        ("plans", 1),
    ] {
        let fault = part(&site, file, "").await.unwrap_err();
        assert_eq!(fault.code, Code::NotFound, "{file:?}");
    }
    let fault = part(&site, ("games", 1), "made-up").await.unwrap_err();
    assert!(fault.fields.contains_key("cursor"), "{fault:?}");
    let nothing = reads(catalogue(&[]));
    assert!(files(&nothing).await.is_empty());
}

/// Parts are small however many listings there are.
#[tokio::test]
async fn many_games_come_in_parts() {
    const GAMES: u32 = 120_000;
    let games = (0..GAMES).map(|number| game_change(&game(number)));
    let changes = [page_change(&page(0))].into_iter().chain(games);
    let entities = changes.map(|change| entity(&change)).collect();
    let position = Position {
        epoch: EPOCH,
        seq: 1,
    };
    let catalogue = Catalogue::default();
    let writer = IndexWriter::build(position, CHUNK_ROWS, entities).unwrap();
    catalogue.publish(writer.snapshot());
    let site = reads(Arc::new(catalogue));
    let mut all = Vec::new();
    for (number, rows, parts) in [
        (1, SITEMAP_FILE_ROWS, 10),
        (2, SITEMAP_FILE_ROWS, 10),
        (3, 20_000, 4),
    ] {
        let (entries, _, read) = read(&site, ("games", number)).await;
        assert_eq!((entries.len() as u64, read), (rows, parts), "{number}");
        all.extend(entries.into_iter().map(|entry| entry.address));
    }
    assert_eq!(all[1], "game-1");
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), GAMES as usize);
}

#[tokio::test]
async fn featured_games_are_not_newer_than_others() {
    let site = reads(catalogue(&changes()));
    let newest = async |limit| {
        let request = Request::new(ListNewGamesRequest {
            limit,
            at_least: None,
        });
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
