//! Decodes and converts the entities of the listings feed.

use std::sync::Arc;

use anyhow::Context as _;
use contracts::common::v1 as common;
use contracts::listings::v1 as listings;
use prost::Message as _;
use uuid::Uuid;

use crate::index::{Creator, Event, Game};
use kit::Mode;

/// The whole state of one entity, converted: the producer's id, and the content with its dataset. A listing that the public does not see has no
/// content. Applying it cannot fail.
#[derive(Debug, Clone)]
pub enum Entity {
    Page(Uuid, Option<(Mode, Arc<Creator>)>),
    Game(Uuid, Option<(Mode, Box<NewGame>)>),
    Event(Uuid, Option<(Mode, Arc<Event>)>),
}

/// A game of the feed, with the reference to its page.
#[derive(Debug, Clone)]
pub struct NewGame {
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
        Self::convert(kind, id, encoded, site).with_context(|| format!("{kind} {id}"))
    }

    fn convert(kind: &str, id: &str, encoded: &[u8], site: &str) -> anyhow::Result<Option<Self>> {
        let uuid = || id.parse::<Uuid>().context("the id is not a UUID");
        Ok(Some(match kind {
            "page" => {
                let (id, page) = (uuid()?, listings::Page::decode(encoded)?);
                let content =
                    shown(page.visible, page.mode, || Ok(Arc::new(Creator::new(id, page, site)?)));
                Self::Page(id, content?)
            }
            "game" => {
                let (id, game) = (uuid()?, listings::Game::decode(encoded)?);
                let content = shown(game.visible, game.mode, || {
                    Ok(Box::new(NewGame {
                        page: game.page_id.parse().context("the page is not a UUID")?,
                        game: Game::new(id, game, site)?,
                    }))
                });
                Self::Game(id, content?)
            }
            "event" => {
                let (id, event) = (uuid()?, listings::Event::decode(encoded)?);
                let content =
                    shown(event.visible, event.mode, || Ok(Arc::new(Event::new(id, event, site)?)));
                Self::Event(id, content?)
            }
            _ => return Ok(None),
        }))
    }
}

/// The content of a listing if it is `visible`. Nothing else of a hidden listing is read: whatever a later release writes there, the listing is hidden.
fn shown<T>(
    visible: bool,
    mode: i32,
    content: impl FnOnce() -> anyhow::Result<T>,
) -> anyhow::Result<Option<(Mode, T)>> {
    if !visible {
        return Ok(None);
    }
    let mode = match common::Mode::try_from(mode) {
        Ok(common::Mode::Live) => Mode::Live,
        Ok(common::Mode::Test) => Mode::Test,
        Ok(common::Mode::Unspecified) | Err(_) => anyhow::bail!("{mode} is not a mode"),
    };
    Ok(Some((mode, content()?)))
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    const ID: &str = "018f2f3e-0000-7000-8000-000000000001";
    const SITE: &str = "https://mchezo.example";

    fn game() -> listings::Game {
        let at = prost_types::Timestamp::default();
        listings::Game {
            mode: common::Mode::Test.into(),
            visible: true,
            page_id: ID.to_owned(),
            created_at: Some(at),
            updated_at: Some(at),
            first_published_at: Some(at),
            ..listings::Game::default()
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_an_entity_or_refused(encoded in vec(any::<u8>(), 0..200)) {
            for kind in ["page", "game", "event"] {
                let _read = Entity::read(kind, ID, &encoded, SITE);
            }
        }
    }

    #[test]
    fn an_unknown_kind_is_none() {
        assert!(Entity::read("board", "1", &[255], SITE).unwrap().is_none());
        let entity = Entity::read("game", ID, &game().encode_to_vec(), SITE).unwrap();
        let Some(Entity::Game(_, Some((mode, _)))) = entity else {
            panic!("it is a public game");
        };
        assert_eq!(mode, Mode::Test);
    }

    #[test]
    fn a_listing_that_is_not_visible_needs_only_its_id_and_its_kind() {
        let hidden = listings::Game { state: 99, ..listings::Game::default() };
        let read = |kind, encoded: Vec<u8>| {
            let entity = Entity::read(kind, ID, &encoded, SITE).unwrap();
            entity.unwrap()
        };
        let id: Uuid = ID.parse().unwrap();
        let game = read("game", hidden.encode_to_vec());
        assert!(matches!(game, Entity::Game(it, None) if it == id));
        let page = read("page", listings::Page::default().encode_to_vec());
        assert!(matches!(page, Entity::Page(it, None) if it == id));
        let event = read("event", listings::Event::default().encode_to_vec());
        assert!(matches!(event, Entity::Event(it, None) if it == id));
    }

    #[test]
    fn an_entity_that_does_not_convert_is_an_error_with_its_name() {
        let far = prost_types::Timestamp { seconds: i64::MAX, nanos: 0 };
        // Before the year 0, which RFC 3339 (§2) cannot express.
        let early = prost_types::Timestamp { seconds: -70_000_000_000, nanos: 0 };
        let with = |change: fn(&mut listings::Game)| {
            let mut game = game();
            change(&mut game);
            game
        };
        let bad = [
            with(|game| game.mode = 99),
            with(|game| game.page_id.clear()),
            with(|game| game.created_at = None),
            listings::Game { updated_at: Some(far), ..game() },
            listings::Game { created_at: Some(early), ..game() },
        ];
        let bad = bad.map(|game| (ID, game.encode_to_vec()));
        let unreadable = [("7", game().encode_to_vec()), (ID, vec![255])];
        for (id, encoded) in bad.into_iter().chain(unreadable) {
            let error = Entity::read("game", id, &encoded, SITE).unwrap_err();
            assert!(error.to_string().contains(id), "{error:#}");
        }
    }
}
