//! Games as readers meet them.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::Arc;

use contracts::listings::v1 as listings;
use contracts::public;
use serde::Deserialize;

use super::creators::CreatorSummary;
use super::document::{Document, IndexedFields};
use super::rendered::Rendered;
use super::timestamp::{microseconds, moment};
use crate::domain::facet::Facet;
use crate::domain::keyword::Keyword;
use crate::domain::order::GameKey;
use crate::domain::words::{self, Field};

/// A game with its maker. The one thing kept of the game itself is the JSON of the single read ([`public::Game`]).
#[derive(Debug, Clone)]
pub struct Game {
    /// Its place in the order.
    pub key: GameKey,
    /// The listing's revision, which its `ETag` names.
    pub revision: i64,
    /// Whose it is.
    pub maker: Arc<CreatorSummary>,
    /// Its genres, as they are numbered.
    genres: Box<[Facet]>,
    text: Rendered,
}

impl Game {
    /// A game that the feed told of, whose `genres` are numbered already.
    pub(super) fn new(
        game: listings::Game,
        genres: Box<[Facet]>,
        maker: Arc<CreatorSummary>,
    ) -> anyhow::Result<Self> {
        let key = GameKey {
            featured: Reverse(game.featured),
            created_at: Reverse(microseconds(game.created_at.as_ref())?),
            slug: game.slug.as_str().into(),
        };
        let revision = game.revision;
        Self::render(key, revision, genres, public_game(game)?, maker)
    }

    fn render(
        key: GameKey,
        revision: i64,
        genres: Box<[Facet]>,
        mut game: public::Game,
        maker: Arc<CreatorSummary>,
    ) -> anyhow::Result<Self> {
        game.row.creator = public::GameCreator {
            handle: maker.handle.as_ref().to_owned(),
            name: maker.name.clone(),
        };
        game.row.country_code.clone_from(&maker.country_code);
        game.row.city.clone_from(&maker.city);
        Ok(Self {
            key,
            revision,
            genres,
            text: Rendered::new(&game.row, &game)?,
            maker,
        })
    }

    /// The same game of another maker.
    pub(super) fn with_maker(&self, maker: Arc<CreatorSummary>) -> anyhow::Result<Self> {
        let game = self.text.parse()?;
        let (key, genres) = (self.key.clone(), self.genres.clone());
        Self::render(key, self.revision, genres, game, maker)
    }
}

impl Document for Game {
    type Key = GameKey;

    fn key(&self) -> &GameKey {
        &self.key
    }

    fn address(&self) -> &Arc<str> {
        &self.key.slug
    }

    fn text(&self) -> &Rendered {
        &self.text
    }

    fn terms(&self) -> anyhow::Result<IndexedFields> {
        let texts: Texts<'_> = self.text.parse()?;
        let platforms = texts.platforms.iter();
        let facets = (self.genres.iter().copied())
            .chain(platforms.filter_map(|key| Facet::platform(key)))
            .chain(Facet::stage(&texts.stage))
            .chain(Facet::country(&self.maker.country_code));
        Ok(IndexedFields {
            facets: facets.collect(),
            keywords: [Keyword::Creator(Arc::clone(&self.maker.handle))]
                .into_iter()
                .chain(self.maker.city_tag())
                .collect(),
            words: words::of_texts([
                (Field::Title, &*texts.title),
                (Field::Pitch, &*texts.tagline),
                (Field::Rest, &*self.maker.name),
            ]),
            days: None,
        })
    }

    /// New games come behind the featured ones.
    fn is_apart(key: &GameKey) -> bool {
        key.featured.0
    }
}

/// What the terms are taken from.
#[derive(Deserialize)]
struct Texts<'a> {
    #[serde(borrow)]
    title: Cow<'a, str>,
    #[serde(borrow)]
    tagline: Cow<'a, str>,
    #[serde(borrow)]
    platforms: Vec<Cow<'a, str>>,
    #[serde(borrow)]
    stage: Cow<'a, str>,
}

/// The public shape of a game, without what its maker gives to it.
fn public_game(game: listings::Game) -> anyhow::Result<public::Game> {
    let row = public::GameRow {
        created_at: public::Timestamp(moment(game.created_at.as_ref())?),
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
            handle: String::new(),
            name: String::new(),
        },
        country_code: String::new(),
        city: String::new(),
        url: game.url,
    };
    Ok(public::Game {
        row,
        description: game.description,
        screenshots: game.screenshots.into_iter().map(screenshot).collect(),
        links: game.links.into_iter().collect(),
        credits: game.credits.into_iter().map(credit).collect(),
        trailer_url: game.trailer_url,
        updated_at: public::Timestamp(moment(game.updated_at.as_ref())?),
    })
}

fn screenshot(shot: listings::Screenshot) -> public::Screenshot {
    public::Screenshot {
        url: shot.url,
        width: shot.width,
        height: shot.height,
        alt: shot.alt,
    }
}

fn credit(credit: listings::Credit) -> public::Credit {
    public::Credit {
        handle: credit.handle,
        name: credit.name,
        role: credit.role,
    }
}
