//! Builders of listings, and ways to index them.

use std::sync::{Arc, LazyLock, mpsc};

use catalogue::boards::Boards;
use catalogue::index::entity::Entity;
use catalogue::index::{Catalogue, IndexWriter};
use catalogue::service::{Reads, SlowSearches};
use contracts::common::v1::{Change, Mode};
use contracts::listings::v1::{self as listings, State};
use kit::Clock;
use kit::feed::Position;
use tokio::runtime::Runtime;
use uuid::Uuid;

pub(crate) const EPOCH: Uuid = Uuid::from_u128(0xe0);
/// The base URL of the public pages.
pub(crate) const SITE: &str = "https://mchezo.example";

pub(crate) fn boards(catalogue: &Arc<Catalogue>) -> Arc<Boards> {
    Arc::new(Boards::new(Arc::clone(catalogue)).unwrap())
}

/// Boards without listings, for reads that use no boards.
static NO_BOARDS: LazyLock<Arc<Boards>> = LazyLock::new(|| boards(&Arc::default()));

/// The reads of a catalogue; its boards are empty.
pub(crate) fn reads(catalogue: Arc<Catalogue>) -> Reads {
    Reads {
        boards: Arc::clone(&NO_BOARDS),
        catalogue,
        clock: Clock::system(),
        public_url: SITE.to_owned(),
        typo_searches: SlowSearches::default(),
        polls: SlowSearches::default(),
    }
}

/// The id of the page, game or event with this number, which is never nil.
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

/// A change that carries a listing's state; the caller sets its `seq`.
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

/// A page as listings-svc publishes it: visible when published, with a date of first publication if it ever was.
pub(crate) fn page_change(page: &listings::Page) -> Change {
    let published = page.created_at.filter(|_| was_published(page.state()));
    let page = listings::Page {
        visible: page.state() == State::Published,
        first_published_at: page.first_published_at.or(published),
        ..page.clone()
    };
    change("page", &page.id, &page)
}

/// The same for a game.
pub(crate) fn game_change(game: &listings::Game) -> Change {
    let published = game.created_at.filter(|_| was_published(game.state()));
    let game = listings::Game {
        visible: game.state() == State::Published,
        first_published_at: game.first_published_at.or(published),
        ..game.clone()
    };
    change("game", &game.id, &game)
}

/// The same for an event.
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

/// A runtime with one blocking thread.
pub(crate) fn one_blocking_thread() -> Runtime {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().max_blocking_threads(1);
    runtime.build().unwrap()
}

/// Occupies the blocking thread until the returned sender is dropped.
pub(crate) fn keep_busy() -> mpsc::Sender<()> {
    let (release, held) = mpsc::channel();
    drop(tokio::task::spawn_blocking(move || held.recv()));
    release
}

/// A writer that has applied `changes` one by one.
pub(crate) fn writer(changes: &[Change]) -> IndexWriter {
    let mut writer = IndexWriter::new(Position { epoch: EPOCH, seq: 0 });
    for change in changes {
        writer.apply(entity(change));
    }
    writer.flush(i64::try_from(changes.len()).unwrap()).unwrap();
    writer
}

/// A writer that has stored `changes` and then indexed them all at once.
pub(crate) fn built(changes: &[Change]) -> IndexWriter {
    let position = Position { epoch: EPOCH, seq: i64::try_from(changes.len()).unwrap() };
    let mut writer = IndexWriter::new(position);
    for change in changes {
        writer.store(entity(change));
    }
    writer.index_all(position).unwrap()
}
