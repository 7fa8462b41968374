//! Games in the index.

use std::cmp::Reverse;
use std::sync::Arc;

use anyhow::Context as _;
use contracts::addresses;
use contracts::listings::v1 as listings;
use contracts::public::{self, PLATFORMS};
use contracts::reference_data::GENRES;
use uuid::Uuid;

use super::creators::CreatorSummary;
use super::document::{Document, IndexedFields, document_parts};
use super::rendered::{Json, Rendered};
use super::timestamp::{Times, point_in_time};
use crate::domain::facet::{self, Facet};
use crate::domain::order::GameKey;
use crate::domain::words::Field;

/// A game with the fields that it shows of its creator.
#[derive(Debug, Clone)]
pub struct Game {
    pub id: Uuid,
    pub key: GameKey,
    /// The listing's revision, which its `ETag` names.
    pub revision: u32,
    /// The time of its last change, in microseconds since 1970.
    updated_at: i64,
    /// The fields that it shows of its creator.
    pub creator: Arc<CreatorSummary>,
    /// A bit for each platform, at the index that a [`Facet`] has.
    platforms: u32,
    /// The same for genres.
    genres: u32,
    /// As a [`Facet`] has it.
    stage: Option<u8>,
    /// The single read ([`public::Game`]) without the fields that come from the creator.
    text: Rendered,
    /// Where these fields stand in the list row.
    creator_at: u16,
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
        let platforms = bits(platforms.filter_map(|key| facet::platform(key)));
        let genres = game.genres.iter();
        let genres = bits(genres.filter_map(|key| facet::genre(key)));
        let stage = facet::stage(&game.stage);
        let revision = game.revision.try_into()?;
        let mut json = serde_json::to_string(&public_game(game, site)?)?;
        let creator = CreatorSummary::unknown();
        let at = json.find(creator.json()).context("the JSON of a game has no creator")?;
        json.replace_range(at..at + creator.json().len(), "");
        Ok(Self {
            id,
            key,
            revision,
            updated_at: times.latest()?,
            creator: Arc::clone(creator),
            platforms,
            stage,
            genres,
            text: Rendered::with_rest(&json, "description")?,
            creator_at: at.try_into()?,
        })
    }
}

impl Document for Game {
    document_parts!(Uuid, GameKey, id, key.slug);

    fn json(&self) -> Json<'_> {
        Json::with_shared(&self.text, self.creator_at.into(), self.creator.json())
    }

    fn fields(&self) -> IndexedFields {
        let [title, tagline] = ["title", "tagline"].map(|name| self.text.text(name));
        let facets = (numbers(self.platforms).map(Facet::Platform))
            .chain(numbers(self.genres).map(Facet::Genre))
            .chain(self.stage.map(Facet::Stage))
            .chain(Facet::country(&self.creator.country_code))
            .chain(self.creator.city())
            .chain([Facet::Creator(Arc::clone(&self.creator.handle))]);
        IndexedFields::new(
            facets,
            [
                (Field::Title, &*title),
                (Field::Tagline, &*tagline),
                (Field::Associated, &*self.creator.name),
            ],
        )
    }

    fn updated_at(&self) -> i64 {
        self.updated_at
    }
}

/// A set of numbers below 32.
fn bits(numbers: impl Iterator<Item = u8>) -> u32 {
    const { assert!(PLATFORMS.len() <= 32 && GENRES.len() <= 32) };
    numbers.fold(0, |bits, number| bits | 1 << number)
}

/// The numbers in such a set.
fn numbers(bits: u32) -> impl Iterator<Item = u8> {
    (0..32).filter(move |number| bits >> number & 1 == 1)
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
        creator: public::GameCreator { handle: String::new(), name: String::new() },
        country_code: String::new(),
        city: String::new(),
    };
    Ok(public::Game {
        row,
        description: game.description,
        screenshots: (game.screenshots.into_iter()).map(|shot| screenshot(shot, site)).collect(),
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
    public::Credit { handle: credit.handle, name: credit.name, role: credit.role }
}
