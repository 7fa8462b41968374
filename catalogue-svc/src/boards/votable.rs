//! Listings that are voted on: games and creators.

use std::sync::Arc;

use uuid::Uuid;

use crate::domain::card::Card;
use crate::domain::order::BoardKey;
use crate::domain::rankings::BoardKind;
use crate::domain::tally::Record;
use crate::index::{Creator, Dataset, Document as _, Game};

#[derive(Debug, Clone, Copy)]
pub enum Votable<'a> {
    Game(&'a Game),
    Creator(&'a Creator),
}

impl Dataset {
    /// The listing of a kind with this slug or handle.
    pub fn votable(&self, kind: BoardKind, address: &str) -> Option<Votable<'_>> {
        match kind {
            BoardKind::Games => self.games.get(address).map(|it| Votable::Game(it)),
            BoardKind::Creators => self.creators.get(address).map(|it| Votable::Creator(it)),
        }
    }

    /// The listings of a kind in the order of their list.
    pub fn votables(&self, kind: BoardKind) -> Box<dyn Iterator<Item = Votable<'_>> + '_> {
        match kind {
            BoardKind::Games => Box::new(self.games.rows().map(|it| Votable::Game(it))),
            BoardKind::Creators => Box::new(self.creators.rows().map(|it| Votable::Creator(it))),
        }
    }

    /// The listing at this position of the list of its kind, from 0.
    pub fn votable_at(&self, kind: BoardKind, position: u64) -> Option<Votable<'_>> {
        match kind {
            BoardKind::Games => self.games.nth(position).map(|it| Votable::Game(it)),
            BoardKind::Creators => self.creators.nth(position).map(|it| Votable::Creator(it)),
        }
    }

    /// How many listings of a kind there are.
    pub fn count_votables(&self, kind: BoardKind) -> u64 {
        match kind {
            BoardKind::Games => self.games.len(),
            BoardKind::Creators => self.creators.len(),
        }
    }
}

impl<'a> Votable<'a> {
    pub fn id(self) -> Uuid {
        match self {
            Self::Game(game) => game.id,
            Self::Creator(creator) => creator.id,
        }
    }

    /// The slug or handle.
    pub fn address(self) -> &'a Arc<str> {
        match self {
            Self::Game(game) => game.address(),
            Self::Creator(creator) => creator.address(),
        }
    }

    /// When it was first published, in microseconds since 1970.
    pub fn published_at(self) -> i64 {
        match self {
            Self::Game(game) => game.key.published_at.0,
            Self::Creator(creator) => creator.key.published_at.0,
        }
    }

    pub fn board_key(self, record: Record) -> BoardKey<'a> {
        BoardKey::new(record, self.published_at(), self.address())
    }

    /// The accounts that own it. `dataset` is the dataset that contains it.
    pub fn owners(self, dataset: &'a Dataset) -> &'a [Uuid] {
        match self {
            Self::Game(game) => {
                let creator = dataset.creators.get(&game.creator.handle);
                creator.map_or(&[], |creator| &creator.owners)
            }
            Self::Creator(creator) => &creator.owners,
        }
    }

    /// Whether it may be compared with `other`: they are neither the same listing nor games of one creator.
    pub(super) fn may_meet(self, other: Self) -> bool {
        let share_creator = match (self, other) {
            (Self::Game(one), Self::Game(other)) => one.creator.handle == other.creator.handle,
            _ => false,
        };
        self.id() != other.id() && !share_creator
    }

    /// The fields that boards and voters see.
    ///
    /// # Errors
    /// The rendered row does not parse.
    pub fn card(self) -> anyhow::Result<Card> {
        match self {
            Self::Game(game) => {
                let row = game.text();
                Ok(Card {
                    kind: BoardKind::Games.entity().to_owned(),
                    name: row.field("title")?,
                    tagline: row.field("tagline")?,
                    tags: row.field("genres")?,
                    country_code: game.creator.country_code.clone().into(),
                    url: row.field("url")?,
                    picture_url: row.field("cover_url")?,
                })
            }
            Self::Creator(creator) => {
                let row = creator.text();
                Ok(Card {
                    kind: row.field("kind")?,
                    name: row.field("name")?,
                    tagline: row.field("tagline")?,
                    tags: row.field("roles")?,
                    country_code: row.field("country_code")?,
                    url: row.field("url")?,
                    picture_url: row.field("avatar_url")?,
                })
            }
        }
    }
}
