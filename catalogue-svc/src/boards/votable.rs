//! Listings that are voted on: games and creators.

use contracts::public;
use contracts::public::RankingRow;
use uuid::Uuid;

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

/// The fields of a listing that boards and voters see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// `game`, `studio` or `person`.
    pub kind: String,
    /// Title or name.
    pub name: String,
    /// The pitch in one line.
    pub tagline: String,
    /// Genres or roles.
    pub tags: Vec<String>,
    /// Two letters.
    pub country_code: String,
    /// The public page.
    pub url: String,
    /// Cover or avatar.
    pub picture_url: Option<String>,
}

impl Card {
    /// The row of a board.
    pub fn into_row(self, rank: u64, previous_rank: u64, wins: u64) -> RankingRow {
        RankingRow {
            rank,
            previous_rank,
            wins,
            name: self.name,
            tagline: self.tagline,
            tags: self.tags,
            country_code: self.country_code,
            url: self.url,
        }
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
        let row: public::GameRow = self.text().parse_row()?;
        Ok(Card {
            kind: Self::ENTITY.to_owned(),
            name: row.title,
            tagline: row.tagline,
            tags: row.genres,
            country_code: row.country_code,
            url: row.url,
            picture_url: row.cover_url,
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
        let row: public::CreatorRow = self.text().parse_row()?;
        Ok(Card {
            kind: row.kind,
            name: row.name,
            tagline: row.tagline,
            tags: row.roles,
            country_code: row.country_code,
            url: row.url,
            picture_url: row.avatar_url,
        })
    }
}
