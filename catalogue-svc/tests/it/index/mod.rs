//! The catalogue in memory against a plain model: a list, a filter and a sort.

mod many;

use std::collections::BTreeMap;

use catalogue::domain::collation::Name;
use catalogue::domain::days::{Span, When};
use catalogue::domain::facet::Facet;
use catalogue::domain::listing::Mode;
use catalogue::domain::order::GameKey;
use catalogue::domain::words::{self, Field};
use catalogue::index::{Document as _, Game, IndexWriter, Query, Search, Snapshot};
use contracts::common::v1::Change;
use contracts::listings::v1 as listings;
use contracts::public;
use futures::FutureExt as _;
use kit::feed::Position;
use proptest::prelude::*;
use proptest::sample::select;
use sqlx::PgPool;

use crate::build::{self, EPOCH, SITE, entity, game_change, page_change};
use crate::universe::{COUNTRIES, GENRES, PLATFORMS, QUESTIONS, STAGES, a_game, a_page, handle};

/// What a list is asked for, in the words of the contract.
#[derive(Debug, Clone)]
struct Asked {
    mode: Mode,
    genre: Option<&'static str>,
    platform: Option<&'static str>,
    country: Option<&'static str>,
    stage: Option<&'static str>,
    creator: Option<String>,
    q: Option<&'static str>,
    limit: usize,
}

prop_compose! {
    fn asked()(
        test in any::<bool>(),
        genre in prop::option::weighted(0.3, select(&GENRES)),
        platform in prop::option::weighted(0.3, select(&PLATFORMS)),
        country in prop::option::weighted(0.2, select(&COUNTRIES[..2])),
        stage in prop::option::weighted(0.2, select(&STAGES)),
        creator in prop::option::weighted(0.2, handle()),
        q in prop::option::weighted(0.4, select(&QUESTIONS)),
        limit in 1..5_usize,
    ) -> Asked {
        Asked {
            mode: if test { Mode::Test } else { Mode::Live },
            genre, platform, country, stage, creator, q, limit,
        }
    }
}

/// The rows as a reader of the whole directory would list them.
fn model(changes: &[Change], asked: &Asked) -> Vec<public::GameRow> {
    let mut pages = BTreeMap::new();
    let mut games = BTreeMap::new();
    for change in changes {
        let known = if change.entity == "page" {
            &mut pages
        } else {
            &mut games
        };
        known.insert(change.id.clone(), change.clone());
    }
    let mut rows: Vec<public::GameRow> = games
        .values()
        .filter_map(|change| model_row(change, &pages, asked))
        .collect();
    rows.sort_by_key(|row| {
        (
            !row.featured,
            -row.created_at.0.unix_timestamp(),
            row.slug.clone(),
        )
    });
    rows
}

fn model_row(
    change: &Change,
    pages: &BTreeMap<String, Change>,
    asked: &Asked,
) -> Option<public::GameRow> {
    use prost::Message as _;
    let game = listings::Game::decode(change.state.clone()).unwrap();
    let page = listings::Page::decode(pages.get(&game.page_id)?.state.clone()).unwrap();
    let mode = if game.mode == 2 {
        Mode::Test
    } else {
        Mode::Live
    };
    let texts = [&*game.title, &*game.tagline, &*page.name];
    let held = words::of_texts(texts.map(|text| (Field::Rest, text)));
    let passes = game.state == 2
        && page.state == 2
        && mode == asked.mode
        && asked
            .genre
            .is_none_or(|key| game.genres.iter().any(|g| g == key))
        && asked
            .platform
            .is_none_or(|key| game.platforms.iter().any(|p| p == key))
        && asked.country.is_none_or(|code| page.country_code == code)
        && asked.stage.is_none_or(|stage| game.stage == stage)
        && asked
            .creator
            .as_ref()
            .is_none_or(|handle| page.handle == *handle)
        && asked.q.is_none_or(|q| {
            let begins = |prefix: &String| held.keys().any(|word| word.starts_with(prefix));
            let asked = words::of_query(q, 10);
            !asked.is_empty() && asked.iter().all(begins)
        });
    let created_at = game.created_at.unwrap().seconds;
    let created_at = time::OffsetDateTime::from_unix_timestamp(created_at).unwrap();
    passes.then_some(public::GameRow {
        url: contracts::addresses::listing(SITE, "games", &game.slug),
        slug: game.slug,
        title: game.title,
        tagline: game.tagline,
        cover_url: game.cover_url,
        genres: game.genres,
        platforms: game.platforms,
        stage: game.stage,
        release_year: game.release_year,
        featured: game.featured,
        creator: public::GameCreator {
            handle: page.handle,
            name: page.name,
        },
        country_code: page.country_code,
        city: page.city,
        created_at: public::Timestamp(created_at),
    })
}

/// All pages of a list, put together; checks totals on the way.
fn paged(state: &Snapshot, asked: &Asked) -> Vec<public::GameRow> {
    let mut question = Query {
        facets: (asked.genre.and_then(Facet::genre).into_iter())
            .chain(asked.platform.and_then(Facet::platform))
            .chain(asked.country.and_then(Facet::country))
            .chain(asked.stage.and_then(Facet::stage))
            .chain((asked.creator.iter()).map(|handle| Facet::Creator(handle.as_str().into())))
            .collect(),
        words: asked.q.map(|q| words::of_query(q, 10)),
        limit: asked.limit,
        ..Query::default()
    };
    let mut rows = Vec::new();
    let mut totals = Vec::new();
    loop {
        let page = state.dataset(asked.mode).games.search(&question);
        assert!(page.rows.len() <= asked.limit);
        totals.push(page.total);
        rows.extend(page.rows.iter().map(|row| list_row(row)));
        if !page.more {
            assert_eq!(totals, vec![rows.len() as u64; totals.len()]);
            return rows;
        }
        question.after = Some(page.rows.last().unwrap().key.clone());
    }
}

/// The single read of a game that is held in memory.
fn single(game: &Game) -> Vec<u8> {
    game.text().json().now_or_never().unwrap().unwrap()
}

/// What a list says of a game; the single read must say the same.
fn list_row(game: &Game) -> public::GameRow {
    let mut json = Vec::new();
    game.text().push_row(&mut json);
    assert_eq!(json.len(), game.text().row_len());
    let read: public::GameRow = serde_json::from_slice(&json).unwrap();
    let single: public::Game = serde_json::from_slice(&single(game)).unwrap();
    assert_eq!(read, single.row);
    read
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn paging_equals_filter_and_sort(
        changes in prop::collection::vec(prop_oneof![1 => a_page(), 4 => a_game()], 1..160),
        published in prop::collection::vec(0..160_usize, 3),
        questions in prop::collection::vec(asked(), 8),
    ) {
        let mut writer = IndexWriter::new(Position { epoch: EPOCH, seq: 0 });
        let mut states = Vec::new();
        for (place, change) in changes.iter().enumerate() {
            writer.apply(entity(change));
            if published.contains(&place) || place + 1 == changes.len() {
                states.push((place + 1, writer.snapshot()));
            }
        }
        let rebuilt = build::built(&changes).snapshot();
        for asked in &questions {
            // States that were published earlier still say what they said.
            for (known, state) in &states {
                let expected = model(&changes[..*known], asked);
                prop_assert_eq!(&paged(state, asked), &expected);
            }
            prop_assert_eq!(paged(&rebuilt, asked), model(&changes, asked));
        }
        for row in model(&changes, &everything(Mode::Live)) {
            let state = writer.snapshot();
            let found = state.dataset(Mode::Live).games.get(&row.slug).unwrap();
            prop_assert_eq!(list_row(found), row);
        }
    }
}

fn everything(mode: Mode) -> Asked {
    Asked {
        mode,
        genre: None,
        platform: None,
        country: None,
        stage: None,
        creator: None,
        q: None,
        limit: 100,
    }
}

#[test]
fn a_cursor_outlives_its_row() {
    let mut changes = vec![page_change(&build::page(0))];
    changes.extend((0..30).map(|number| game_change(&build::game(number))));
    let mut writer = build::writer(&changes);
    let mut question = Query {
        limit: 10,
        ..Query::default()
    };
    let page = writer
        .snapshot()
        .dataset(Mode::Live)
        .games
        .search(&question);
    let last = page.rows.last().unwrap();
    assert_eq!(
        (&*last.key.slug, page.total, page.more),
        ("game-20", 30, true)
    );
    question.after = Some(last.key.clone());

    // The row that the cursor points at goes; another comes before it, one changes its key and moves before it.
    let mut gone = build::game(20);
    gone.state = listings::State::Removed.into();
    let mut moved = build::game(15);
    moved.featured = true;
    for game in [gone, build::game(99), moved] {
        writer.apply(entity(&game_change(&game)));
    }
    let page = writer
        .snapshot()
        .dataset(Mode::Live)
        .games
        .search(&question);
    let slugs: Vec<&str> = page.rows.iter().map(|row| &*row.key.slug).collect();
    let expected = ["19", "18", "17", "16", "14", "13", "12", "11", "10", "9"];
    assert_eq!(slugs, expected.map(|number| format!("game-{number}")));
    assert_eq!((page.total, page.more), (30, true));
}

#[test]
fn a_question_without_a_word_finds_nothing() {
    let state =
        build::writer(&[page_change(&build::page(0)), game_change(&build::game(1))]).snapshot();
    let question = |q| Query {
        words: Some(words::of_query(q, 10)),
        limit: 20,
        ..Query::default()
    };
    let shelf = &state.dataset(Mode::Live).games;
    assert_eq!(shelf.search(&question("game")).total, 1);
    assert_eq!(shelf.search(&question("?!")).total, 0);
}

#[test]
fn what_goes_takes_nothing_along_that_has_its_address() {
    let mut changes = vec![page_change(&build::page(0)), game_change(&build::game(1))];
    // Another game has the address now; then the first is removed.
    let mut heir = build::game(2);
    heir.slug = "game-1".to_owned();
    heir.title = "Heir".to_owned();
    let mut gone = build::game(1);
    gone.state = listings::State::Removed.into();
    changes.extend([game_change(&heir), game_change(&gone)]);
    for snapshot in [build::writer(&changes), build::built(&changes)].map(|w| w.snapshot()) {
        let games = &snapshot.dataset(Mode::Live).games;
        assert_eq!(games.len(), 1);
        let game: public::Game =
            serde_json::from_slice(&single(games.get("game-1").unwrap())).unwrap();
        assert_eq!(game.row.title, "Heir");
    }
    // The same with one sort key, so that only the id tells them apart.
    heir.created_at = build::game(1).created_at;
    changes[2] = game_change(&heir);
    let snapshot = build::writer(&changes).snapshot();
    let games = &snapshot.dataset(Mode::Live).games;
    assert_eq!((games.len(), games.get("game-1").is_some()), (1, true));
}

#[test]
fn the_newest_is_what_was_published_last() {
    let mut early = build::game(1);
    early.first_published_at = Some(build::at(100));
    let mut late = build::game(2);
    late.first_published_at = Some(build::at(50));
    // Published as soon as it was sent in.
    let at_once = build::game(70);
    let mut changes = vec![page_change(&build::page(0))];
    changes.extend([late, at_once, early].map(|game| game_change(&game)));
    let mut old = build::page(5);
    old.created_at = Some(build::at(9));
    old.first_published_at = Some(build::at(9));
    let mut new = build::page(6);
    new.first_published_at = Some(build::at(10));
    changes.extend([old, new].map(|page| page_change(&page)));
    let snapshot = build::writer(&changes).snapshot();
    let dataset = snapshot.dataset(Mode::Live);
    let all = Query {
        limit: 9,
        ..Query::default()
    };
    let games = dataset.games.search(&all).rows;
    let games: Vec<&str> = games.iter().map(|row| &*row.key.slug).collect();
    assert_eq!(games, ["game-1", "game-70", "game-2"]);
    let all = Query {
        limit: 9,
        ..Query::default()
    };
    let creators = dataset.creators.search(&all).rows;
    let creators: Vec<&str> = creators.iter().map(|row| &*row.key.handle).collect();
    assert_eq!(creators, ["maker-6", "maker-5", "maker-0"]);
}

/// Names of the directory's own data sort as PostgreSQL sorts them by Unicode's root collation.
#[testing::database_test]
#[expect(clippy::disallowed_methods, reason = "a query of no table")]
async fn names_sort_by_unicode_collation(pool: PgPool) {
    let files = [
        include_str!("../../../../deploy/data/countries.ndjson"),
        include_str!("../../../../deploy/data/cities.ndjson"),
    ];
    let lines = files.iter().flat_map(|file| file.lines());
    let named = lines.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    // PostgreSQL's Unicode is older, and sorts by the shape of an apostrophe.
    let mut names: Vec<String> = named
        .map(|line| line["name"].as_str().unwrap().replace(['‘', '’'], "'"))
        .collect();
    names.sort_by_cached_key(|name| Name::new(name));
    names.dedup();
    let sorted: Vec<String> = sqlx::query_scalar(
        "select name from unnest($1::text[]) name order by name collate \"und-x-icu\"",
    )
    .bind(&names)
    .fetch_all(&pool)
    .await
    .unwrap();
    assert!(names.len() > 54);
    for (ours, theirs) in names.iter().zip(&sorted) {
        assert_eq!(ours, theirs);
    }
}
