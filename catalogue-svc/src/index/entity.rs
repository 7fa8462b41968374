//! Decodes and converts the entities of the listings feed.

use std::sync::Arc;

use anyhow::Context as _;
use contracts::common::v1 as common;
use contracts::listings::v1 as listings;
use prost::Message as _;
use uuid::Uuid;

use crate::domain::listing::{Header, Mode};
use crate::index::texts::Text;
use crate::index::{Creator, Event, Game};

/// The whole state of one entity, converted. Applying it cannot fail.
#[derive(Debug, Clone)]
pub struct Entity {
    /// The producer's id, unique within the kind.
    pub id: String,
    /// Its kind and its content.
    pub body: Body,
}

/// The content of an entity, by kind.
#[derive(Debug, Clone)]
pub enum Body {
    /// A creator.
    Page(Header, Arc<Creator>),
    /// A game.
    Game(Header, Box<NewGame>),
    /// An event.
    Event(Header, Arc<Event>),
}

/// A game of the feed, with the reference to its page.
#[derive(Debug, Clone)]
pub struct NewGame {
    /// The id of its page.
    pub page: Uuid,
    /// The game, without the fields of its creator.
    pub game: Game,
}

impl Entity {
    /// Decodes and converts an entity of the kind that the feed calls `kind`; `None` for a kind that the catalogue does not know. `site` is the
    /// base URL of the public pages.
    ///
    /// # Errors
    /// The entity cannot be converted. It is skipped then, and the others go on.
    pub fn read(kind: &str, id: &str, encoded: &[u8], site: &str) -> anyhow::Result<Option<Self>> {
        let body = Body::read(kind, id, encoded, site).with_context(|| format!("{kind} {id}"))?;
        Ok(body.map(|body| Self {
            id: id.to_owned(),
            body,
        }))
    }
}

impl Body {
    /// The part that only a single read needs.
    pub(super) fn rest_mut(&mut self) -> Option<&mut Text> {
        match self {
            Self::Page(_, creator) => Arc::get_mut(creator).map(Creator::rest_mut),
            Self::Game(_, new) => Some(new.game.rest_mut()),
            // The row of an event is its single read.
            Self::Event(..) => None,
        }
    }

    fn read(kind: &str, id: &str, encoded: &[u8], site: &str) -> anyhow::Result<Option<Self>> {
        Ok(Some(match kind {
            "page" => {
                let page = listings::Page::decode(encoded)?;
                let header = header(id, page.mode, page.state(), page.visible)?;
                Self::Page(header, Arc::new(Creator::new(header.id, page, site)?))
            }
            "game" => {
                let game = listings::Game::decode(encoded)?;
                let header = header(id, game.mode, game.state(), game.visible)?;
                let new = NewGame {
                    page: game.page_id.parse().context("the page is not a UUID")?,
                    game: Game::new(header.id, game, site)?,
                };
                Self::Game(header, Box::new(new))
            }
            "event" => {
                let event = listings::Event::decode(encoded)?;
                let header = header(id, event.mode, event.state(), event.visible)?;
                Self::Event(header, Arc::new(Event::new(header.id, event, site)?))
            }
            _ => return Ok(None),
        }))
    }
}

/// The header of a listing.
fn header(id: &str, mode: i32, state: listings::State, visible: bool) -> anyhow::Result<Header> {
    let mode = match common::Mode::try_from(mode) {
        Ok(common::Mode::Live) => Mode::Live,
        Ok(common::Mode::Test) => Mode::Test,
        Ok(common::Mode::Unspecified) | Err(_) => anyhow::bail!("{mode} is not a mode"),
    };
    anyhow::ensure!(
        state != listings::State::Unspecified,
        "the state is unknown"
    );
    Ok(Header {
        id: id.parse().context("the id is not a UUID")?,
        mode,
        visible,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "018f2f3e-0000-7000-8000-000000000001";
    const SITE: &str = "https://mchezo.example";

    fn game() -> listings::Game {
        let at = prost_types::Timestamp::default();
        listings::Game {
            mode: common::Mode::Test.into(),
            state: listings::State::Pending.into(),
            page_id: ID.to_owned(),
            created_at: Some(at),
            updated_at: Some(at),
            ..listings::Game::default()
        }
    }

    #[test]
    fn an_unknown_kind_is_none() {
        assert!(Entity::read("board", "1", &[255], SITE).unwrap().is_none());
        let entity = Entity::read("game", ID, &game().encode_to_vec(), SITE).unwrap();
        let Body::Game(header, _) = entity.unwrap().body else {
            panic!("it is a game");
        };
        assert_eq!((header.mode, header.visible), (Mode::Test, false));
    }

    #[test]
    fn an_entity_that_does_not_convert_is_an_error_with_its_name() {
        let far = prost_types::Timestamp {
            seconds: i64::MAX,
            nanos: 0,
        };
        // Before the year 0, which RFC 3339 (§2) cannot express.
        let early = prost_types::Timestamp {
            seconds: -70_000_000_000,
            nanos: 0,
        };
        let with = |change: fn(&mut listings::Game)| {
            let mut game = game();
            change(&mut game);
            game
        };
        let bad = [
            with(|game| game.state = 99),
            with(|game| game.page_id.clear()),
            with(|game| game.created_at = None),
            listings::Game {
                updated_at: Some(far),
                ..game()
            },
            listings::Game {
                created_at: Some(early),
                ..game()
            },
        ];
        let bad = bad.map(|game| (ID, game.encode_to_vec()));
        let unreadable = [("7", game().encode_to_vec()), (ID, vec![255])];
        for (id, encoded) in bad.into_iter().chain(unreadable) {
            let error = Entity::read("game", id, &encoded, SITE).unwrap_err();
            assert!(error.to_string().contains(id), "{error:#}");
        }
    }
}
