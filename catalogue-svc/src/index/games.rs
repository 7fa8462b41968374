//! Games in the index.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::Arc;

use anyhow::Context as _;
use contracts::addresses;
use contracts::listings::v1 as listings;
use contracts::public;
use serde::Deserialize;
use uuid::Uuid;

use super::creators::CreatorSummary;
use super::document::{Document, IndexedFields, document_parts};
use super::rendered::Rendered;
use super::timestamp::{Times, point_in_time};
use crate::domain::facet::{self, Facet};
use crate::domain::order::GameKey;
use crate::domain::words::{self, Field};

/// A game with the fields that it shows of its creator.
#[derive(Debug, Clone)]
pub struct Game {
    /// The producer's id.
    pub id: Uuid,
    /// Its sort key.
    pub key: GameKey,
    /// The listing's revision, which its `ETag` names.
    pub revision: i64,
    /// The time of its last change, in microseconds since 1970.
    updated_at: i64,
    /// The fields that it shows of its creator.
    pub creator: Arc<CreatorSummary>,
    /// As a [`Facet`] has them.
    platforms: Box<[u8]>,
    /// As a [`Facet`] has it.
    stage: Option<u8>,
    /// As a [`Facet`] has them.
    genres: Box<[u8]>,
    /// The single read ([`public::Game`]).
    text: Rendered,
    /// The offset in the row of the fields that come from the creator.
    creator_in_text: u32,
}

/// The fields of the row whose words are indexed.
#[derive(Debug, Default, Deserialize)]
struct Texts<'a> {
    #[serde(borrow)]
    title: Cow<'a, str>,
    #[serde(borrow)]
    tagline: Cow<'a, str>,
}

impl Game {
    /// Converts a game from the feed. Its creator is not known yet.
    pub(crate) fn new(id: Uuid, game: listings::Game, site: &str) -> anyhow::Result<Self> {
        let times = Times::from(&game);
        let key = GameKey {
            featured: Reverse(game.featured),
            published_at: Reverse(times.published()?),
            slug: game.slug.as_str().into(),
        };
        let platforms = game.platforms.iter();
        let platforms = platforms.filter_map(|key| facet::platform(key)).collect();
        let genres = game.genres.iter();
        let genres = genres.filter_map(|key| facet::genre(key)).collect();
        let stage = facet::stage(&game.stage);
        let revision = game.revision;
        let game = public_game(game, site)?;
        let text = Rendered::new(&game.row, &game)?;
        let creator = CreatorSummary::unknown()?;
        let creator_in_text = text.find(creator.json());
        let creator_in_text = creator_in_text.context("the JSON of a game has no creator")?;
        Ok(Self {
            id,
            key,
            revision,
            updated_at: times.latest()?,
            platforms,
            stage,
            genres,
            creator_in_text: creator_in_text.try_into()?,
            text,
            creator,
        })
    }

    /// Moves the part that only a single read needs out of memory.
    pub(super) fn store_text(&mut self) {
        self.text.store_rest();
    }

    /// The same game with the fields of this creator.
    pub(super) fn with_creator(&self, creator: &Arc<CreatorSummary>) -> Self {
        let start = self.creator_in_text as usize;
        let at = start..start + self.creator.json().len();
        Self {
            text: self.text.splice(at, creator.json()),
            creator_in_text: self.creator_in_text,
            creator: Arc::clone(creator),
            id: self.id,
            key: self.key.clone(),
            revision: self.revision,
            updated_at: self.updated_at,
            platforms: self.platforms.clone(),
            stage: self.stage,
            genres: self.genres.clone(),
        }
    }
}

impl Document for Game {
    document_parts!(Uuid, GameKey, id, key.slug);

    fn fields(&self) -> IndexedFields {
        // The row was rendered with these fields.
        let texts: Texts<'_> = self.text.parse_row().unwrap_or_default();
        let platforms = self.platforms.iter();
        let genres = self.genres.iter();
        IndexedFields {
            facets: (platforms.map(|platform| Facet::Platform(*platform)))
                .chain(genres.map(|genre| Facet::Genre(*genre)))
                .chain(self.stage.map(Facet::Stage))
                .chain(Facet::country(&self.creator.country_code))
                .chain(self.creator.city())
                .chain([
                    Facet::Creator(Arc::clone(&self.creator.handle)),
                    Facet::TitleWords(words::title_length(&texts.title)),
                ])
                .collect(),
            words: words::of_texts([
                (Field::Title, &*texts.title),
                (Field::Pitch, &*texts.tagline),
                (Field::Rest, &*self.creator.name),
            ]),
        }
    }

    fn updated_at(&self) -> i64 {
        self.updated_at
    }
}

/// The public shape of a game, without the fields of its creator.
fn public_game(game: listings::Game, site: &str) -> anyhow::Result<public::Game> {
    let row = public::GameRow {
        created_at: public::Timestamp(point_in_time(game.created_at.as_ref())?),
        url: addresses::listing(site, "games", &game.slug),
        slug: game.slug,
        title: game.title,
        tagline: game.tagline,
        cover_url: game.cover_url.map(|it| addresses::picture(site, &it)),
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
    };
    Ok(public::Game {
        row,
        description: game.description,
        screenshots: (game.screenshots.into_iter())
            .map(|shot| screenshot(shot, site))
            .collect(),
        links: game.links.into_iter().collect(),
        credits: game.credits.into_iter().map(credit).collect(),
        trailer_url: game.trailer_url,
        updated_at: public::Timestamp(point_in_time(game.updated_at.as_ref())?),
    })
}

fn screenshot(shot: listings::Screenshot, site: &str) -> public::Screenshot {
    public::Screenshot {
        url: addresses::picture(site, &shot.url),
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
