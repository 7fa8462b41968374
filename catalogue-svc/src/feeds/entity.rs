//! What a change on the listings feed, or a row of the schema, is about.

use anyhow::Context as _;
use bytes::Bytes;
use contracts::common::v1 as common;
use contracts::listings::v1 as listings;
use prost::Message as _;
use uuid::Uuid;

use crate::domain::listing::{Mode, State};

/// The whole state of one entity.
#[derive(Debug, Clone)]
pub struct Entity {
    /// The producer's id, unique within the kind.
    pub id: String,
    /// What it is.
    pub body: Body,
    /// The same, encoded.
    pub encoded: Bytes,
}

/// Kinds of entities, with what they are.
#[derive(Debug, Clone)]
pub enum Body {
    /// A genre.
    Genre(listings::Genre),
    /// A country.
    Country(listings::Country),
    /// A place of the gazetteer.
    City(listings::City),
    /// A creator.
    Page(Header, listings::Page),
    /// A game.
    Game(Header, listings::Game),
    /// An event.
    Event(Header, listings::Event),
}

/// What every listing has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The producer's id.
    pub id: Uuid,
    /// Its dataset.
    pub mode: Mode,
    /// Where it stands.
    pub state: State,
}

impl Entity {
    /// Reads an entity of the kind that the feed calls `kind`; `None` when it is of a kind that came after this version.
    ///
    /// What does not read is an error, never passed over: the follower says so and stays where it is, instead of losing a listing.
    pub fn read(kind: &str, id: &str, encoded: Bytes) -> anyhow::Result<Option<Self>> {
        let body = Body::read(kind, id, &encoded).with_context(|| format!("{kind} {id}"))?;
        Ok(body.map(|body| Self {
            id: id.to_owned(),
            body,
            encoded,
        }))
    }
}

impl Body {
    fn read(kind: &str, id: &str, encoded: &[u8]) -> anyhow::Result<Option<Self>> {
        Ok(Some(match kind {
            "genre" => Self::Genre(listings::Genre::decode(encoded)?),
            "country" => Self::Country(listings::Country::decode(encoded)?),
            "city" => Self::City(listings::City::decode(encoded)?),
            "page" => {
                let page = listings::Page::decode(encoded)?;
                Self::Page(Header::read(id, page.mode, page.state)?, page)
            }
            "game" => {
                let game = listings::Game::decode(encoded)?;
                Self::Game(Header::read(id, game.mode, game.state)?, game)
            }
            "event" => {
                let event = listings::Event::decode(encoded)?;
                Self::Event(Header::read(id, event.mode, event.state)?, event)
            }
            _ => return Ok(None),
        }))
    }
}

impl Header {
    fn read(id: &str, mode: i32, state: i32) -> anyhow::Result<Self> {
        let mode = match common::Mode::try_from(mode) {
            Ok(common::Mode::Live) => Mode::Live,
            Ok(common::Mode::Test) => Mode::Test,
            Ok(common::Mode::Unspecified) | Err(_) => anyhow::bail!("{mode} is not a mode"),
        };
        let state = match listings::State::try_from(state) {
            Ok(listings::State::Pending) => State::Pending,
            Ok(listings::State::Published) => State::Published,
            Ok(listings::State::Rejected) => State::Rejected,
            Ok(listings::State::Removed) => State::Removed,
            Ok(listings::State::Unspecified) | Err(_) => anyhow::bail!("{state} is not a state"),
        };
        let id = id.parse().context("the id is not a UUID")?;
        Ok(Self { id, mode, state })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_read_is_an_error_and_what_is_new_is_passed_over() {
        assert!(Entity::read("board", "1", Bytes::new()).unwrap().is_none());
        let id = "018f2f3e-0000-7000-8000-000000000001";
        let mut game = listings::Game {
            mode: common::Mode::Test.into(),
            state: listings::State::Pending.into(),
            ..listings::Game::default()
        };
        let entity = Entity::read("game", id, game.encode_to_vec().into()).unwrap();
        assert!(matches!(
            entity.unwrap().body,
            Body::Game(
                Header {
                    mode: Mode::Test,
                    state: State::Pending,
                    ..
                },
                _
            )
        ));
        game.state = 99;
        for (id, encoded) in [
            (id, game.encode_to_vec()),
            ("7", Vec::new()),
            (id, vec![255]),
        ] {
            let error = Entity::read("game", id, encoded.into()).unwrap_err();
            assert!(error.to_string().contains(id), "{error:#}");
        }
    }
}
