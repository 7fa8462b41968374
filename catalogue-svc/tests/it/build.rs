//! Listings to test with, and ways to bring them in.

use std::sync::{Arc, LazyLock};

use catalogue::boards::Boards;
use catalogue::index::entity::Entity;
use catalogue::index::{Catalogue, IndexWriter};
use catalogue::service::Reads;
use contracts::common::v1::{Change, Mode};
use contracts::listings::v1::{self as listings, State};
use kit::Clock;
use kit::feed::Position;
use uuid::Uuid;

pub(crate) const EPOCH: Uuid = Uuid::from_u128(0xe0);
/// The base URL of the public pages.
pub(crate) const SITE: &str = "https://mchezo.example";

/// Boards that were never sorted.
pub(crate) fn boards(catalogue: &Arc<Catalogue>) -> Arc<Boards> {
    Arc::new(Boards::new(Arc::clone(catalogue)).unwrap())
}

/// Boards of no listings, for reads that do not look at them.
static NO_BOARDS: LazyLock<Arc<Boards>> = LazyLock::new(|| boards(&Arc::default()));

/// The reads of a catalogue, but for boards.
pub(crate) fn reads(catalogue: Arc<Catalogue>) -> Reads {
    Reads {
        boards: Arc::clone(&NO_BOARDS),
        catalogue,
        clock: Clock::system(),
        public_url: SITE.to_owned(),
    }
}

/// The id of the page, game or event with this number.
pub(crate) fn id(number: u32) -> String {
    Uuid::from_u128(u128::from(number) + 1).to_string()
}

pub(crate) fn at(seconds: i64) -> prost_types::Timestamp {
    prost_types::Timestamp { seconds, nanos: 0 }
}

/// A published live page.
pub(crate) fn page(number: u32) -> listings::Page {
    listings::Page {
        id: id(number),
        mode: Mode::Live.into(),
        state: State::Published.into(),
        revision: 1,
        handle: format!("maker-{number}"),
        name: format!("Maker {number}"),
        kind: "studio".to_owned(),
        country_code: "KE".to_owned(),
        city: "Nairobi".to_owned(),
        city_slug: "nairobi".to_owned(),
        created_at: Some(at(0)),
        updated_at: Some(at(0)),
        ..listings::Page::default()
    }
}

/// A published live game of page 0, listed `number` seconds after the epoch.
pub(crate) fn game(number: u32) -> listings::Game {
    listings::Game {
        id: id(number),
        mode: Mode::Live.into(),
        state: State::Published.into(),
        revision: 1,
        slug: format!("game-{number}"),
        title: format!("Game {number}"),
        stage: "released".to_owned(),
        release_year: 2026,
        page_id: id(0),
        created_at: Some(at(number.into())),
        updated_at: Some(at(number.into())),
        ..listings::Game::default()
    }
}

/// A published live event of a day in March 2026.
pub(crate) fn event(number: u32) -> listings::Event {
    listings::Event {
        id: id(number),
        mode: Mode::Live.into(),
        state: State::Published.into(),
        revision: 1,
        slug: format!("event-{number}"),
        title: format!("Event {number}"),
        kind: "jam".to_owned(),
        starts_at: format!("2026-03-{:02}", number % 31 + 1),
        country_code: "KE".to_owned(),
        city: "Nairobi".to_owned(),
        city_slug: "nairobi".to_owned(),
        created_at: Some(at(number.into())),
        updated_at: Some(at(number.into())),
        ..listings::Event::default()
    }
}

/// A change that carries a listing's state; its place in the feed is given later.
pub(crate) fn change(entity: &str, id: &str, state: &impl prost::Message) -> Change {
    Change {
        entity: entity.to_owned(),
        id: id.to_owned(),
        revision: 1,
        event: "updated".to_owned(),
        state: state.encode_to_vec().into(),
        ..Change::default()
    }
}

/// A page as listings-svc publishes it: what is published is visible, and what was once has its date.
pub(crate) fn page_change(page: &listings::Page) -> Change {
    let published = page.created_at.filter(|_| was_published(page.state()));
    let page = listings::Page {
        visible: page.state() == State::Published,
        first_published_at: page.first_published_at.or(published),
        ..page.clone()
    };
    change("page", &page.id, &page)
}

/// A game likewise.
pub(crate) fn game_change(game: &listings::Game) -> Change {
    let published = game.created_at.filter(|_| was_published(game.state()));
    let game = listings::Game {
        visible: game.state() == State::Published,
        first_published_at: game.first_published_at.or(published),
        ..game.clone()
    };
    change("game", &game.id, &game)
}

/// An event likewise.
pub(crate) fn event_change(event: &listings::Event) -> Change {
    let published = event.created_at.filter(|_| was_published(event.state()));
    let event = listings::Event {
        visible: event.state() == State::Published,
        first_published_at: event.first_published_at.or(published),
        ..event.clone()
    };
    change("event", &event.id, &event)
}

fn was_published(state: State) -> bool {
    matches!(state, State::Published | State::Removed)
}

pub(crate) fn entity(change: &Change) -> Entity {
    let entity = Entity::read(&change.entity, &change.id, &change.state, SITE);
    entity.unwrap().unwrap()
}

/// A writer that has applied `changes`, one after the other.
pub(crate) fn writer(changes: &[Change]) -> IndexWriter {
    let mut writer = IndexWriter::new(Position {
        epoch: EPOCH,
        seq: 0,
    });
    for change in changes {
        writer.apply(entity(change));
    }
    writer.flush(i64::try_from(changes.len()).unwrap()).unwrap();
    writer
}

/// A writer that gathered what `changes` carry, and indexed it whole.
pub(crate) fn built(changes: &[Change]) -> IndexWriter {
    let position = Position {
        epoch: EPOCH,
        seq: i64::try_from(changes.len()).unwrap(),
    };
    let mut writer = IndexWriter::new(position);
    for change in changes {
        writer.store(entity(change));
    }
    writer.index_all(position).unwrap()
}
