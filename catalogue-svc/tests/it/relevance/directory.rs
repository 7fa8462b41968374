//! The directory's own data (`deploy/data`), as changes of the listings feed.

use std::collections::BTreeMap;

use catalogue::index::IndexWriter;
use contracts::common::v1::Change;
use contracts::listings::v1::{self as listings, State};
use kit::feed::Position;
use serde::Deserialize;

use crate::build::{EPOCH, at, entity, event_change, game_change, page_change};

#[derive(Deserialize)]
struct Game {
    slug: String,
    title: String,
    tagline: String,
    creator: String,
}

#[derive(Deserialize)]
struct Creator {
    handle: String,
    name: String,
    tagline: String,
    country_code: String,
    city: Option<String>,
    city_slug: Option<String>,
}

#[derive(Deserialize)]
struct Event {
    slug: String,
    title: String,
    starts_at: String,
    country_code: String,
    city: String,
    city_slug: String,
}

fn read<T: for<'a> Deserialize<'a>>(file: &'static str) -> impl Iterator<Item = T> {
    file.lines().map(|line| serde_json::from_str(line).unwrap())
}

fn pages() -> Vec<listings::Page> {
    let creators = read(include_str!("../../../../deploy/data/creators.ndjson"));
    (0..).zip(creators).map(|(number, creator)| page(number, creator)).collect()
}

fn games() -> Vec<listings::Game> {
    let pages: BTreeMap<String, String> =
        pages().into_iter().map(|page| (page.handle, page.id)).collect();
    let games = read(include_str!("../../../../deploy/data/games.ndjson"));
    (0..).zip(games).map(|(number, new)| game(number, new, &pages)).collect()
}

fn events() -> Vec<listings::Event> {
    let events = read(include_str!("../../../../deploy/data/events.ndjson"));
    (0..).zip(events).map(|(number, new)| event(number, new)).collect()
}

fn page(number: u32, creator: Creator) -> listings::Page {
    listings::Page {
        handle: creator.handle,
        name: creator.name,
        tagline: creator.tagline,
        country_code: creator.country_code,
        city: creator.city.unwrap_or_default(),
        city_slug: creator.city_slug.unwrap_or_default(),
        created_at: Some(at(number.into())),
        ..crate::build::page(number)
    }
}

fn game(number: u32, game: Game, pages: &BTreeMap<String, String>) -> listings::Game {
    listings::Game {
        slug: game.slug,
        title: game.title,
        tagline: game.tagline,
        page_id: pages[&game.creator].clone(),
        ..crate::build::game(number)
    }
}

fn event(number: u32, event: Event) -> listings::Event {
    listings::Event {
        slug: event.slug,
        title: event.title,
        starts_at: event.starts_at,
        country_code: event.country_code,
        city: event.city,
        city_slug: event.city_slug,
        ..crate::build::event(number)
    }
}

/// A writer with all of the data, in file order.
pub(super) fn writer() -> IndexWriter {
    let pages = pages().iter().map(page_change).collect::<Vec<Change>>();
    let games = games().iter().map(game_change).collect();
    let events = events().iter().map(event_change).collect();
    let position = Position { epoch: EPOCH, seq: 0 };
    let mut writer = IndexWriter::new(position);
    for change in [pages, games, events].concat() {
        writer.store(entity(&change));
    }
    writer.index_all(position).unwrap()
}

pub(super) fn game_texts() -> impl Iterator<Item = (String, String)> {
    games().into_iter().map(|game| (game.title, game.tagline))
}

/// The change that takes a game down.
pub(super) fn game_removed(slug: &str) -> Change {
    let game = games().into_iter().find(|game| game.slug == slug).unwrap();
    game_change(&listings::Game { state: State::Removed.into(), ..game })
}

/// The change that takes a page down.
pub(super) fn page_removed(handle: &str) -> Change {
    let page = pages().into_iter().find(|page| page.handle == handle).unwrap();
    page_change(&listings::Page { state: State::Removed.into(), ..page })
}
