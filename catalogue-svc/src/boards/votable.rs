//! Listings that are voted on: games and creators.

use uuid::Uuid;

use crate::domain::card::Card;
use crate::domain::order::BoardKey;
use crate::domain::rankings::BoardKind;
use crate::domain::tally::Record;
use crate::index::{Creator, Dataset, Document, Game, Index};

/// A listing that is voted on.
pub trait Votable: Document<Id = Uuid> + 'static {
    /// The kind of its boards.
    const KIND: BoardKind;
    /// Its entity type on the listings feed.
    const ENTITY: &'static str;

    /// The listings of its kind.
    fn index(dataset: &Dataset) -> &Index<Self>;

    /// When it was first published, in microseconds since 1970.
    fn published_at(&self) -> i64;

    /// The handle of its creator; `None` for a creator.
    fn creator(&self) -> Option<&str>;

    /// The accounts that own it. `dataset` is the dataset that contains it.
    fn owners<'a>(&'a self, dataset: &'a Dataset) -> &'a [Uuid];

    /// The fields that boards and voters see.
    ///
    /// # Errors
    /// The rendered row does not parse.
    fn card(&self) -> anyhow::Result<Card>;

    /// The sort key on a board.
    fn board_key(&self, record: Record) -> BoardKey<'_> {
        BoardKey::new(record, self.published_at(), self.address())
    }
}

impl Votable for Game {
    const KIND: BoardKind = BoardKind::Games;
    const ENTITY: &'static str = "game";

    fn index(dataset: &Dataset) -> &Index<Self> {
        &dataset.games
    }

    fn published_at(&self) -> i64 {
        self.key.published_at.0
    }

    fn creator(&self) -> Option<&str> {
        Some(&self.creator.handle)
    }

    fn owners<'a>(&'a self, dataset: &'a Dataset) -> &'a [Uuid] {
        let creator = dataset.creators.get(&self.creator.handle);
        creator.map_or(&[], |creator| &creator.owners)
    }

    fn card(&self) -> anyhow::Result<Card> {
        let row = self.text();
        Ok(Card {
            kind: Self::ENTITY.to_owned(),
            name: row.field("title")?,
            tagline: row.field("tagline")?,
            tags: row.field("genres")?,
            country_code: self.creator.country_code.clone().into(),
            url: row.field("url")?,
            picture_url: row.field("cover_url")?,
        })
    }
}

impl Votable for Creator {
    const KIND: BoardKind = BoardKind::Creators;
    const ENTITY: &'static str = "page";

    fn index(dataset: &Dataset) -> &Index<Self> {
        &dataset.creators
    }

    fn published_at(&self) -> i64 {
        self.key.published_at.0
    }

    fn creator(&self) -> Option<&str> {
        None
    }

    fn owners<'a>(&'a self, _: &'a Dataset) -> &'a [Uuid] {
        &self.owners
    }

    fn card(&self) -> anyhow::Result<Card> {
        let row = self.text();
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
