//! A game as readers meet it: JSON, rendered once when the game or its page changes.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::Context as _;
use contracts::listings::v1 as listings;
use contracts::public;
use serde::Deserialize;
use time::OffsetDateTime;

use super::state::Genres;
use crate::domain::facet::Facet;
use crate::domain::order::Key;
use crate::domain::words;

/// What a game's row takes from the page it stands under.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Maker {
    /// Handle of the page.
    pub handle: Arc<str>,
    /// Name of the studio or person.
    pub name: String,
    /// Two letters.
    pub country_code: String,
    /// Empty when not known.
    pub city: String,
}

/// A game with its maker. It never changes; a change of either makes a new one.
///
/// The one thing kept of the game is the JSON of the single read ([`public::Game`]). It begins with the fields of the list row, so
/// the row is a prefix of it, and both reads are of one moment and cost no SQL.
#[derive(Debug)]
pub struct Row {
    /// Its place in the order.
    pub key: Key,
    /// Whose it is.
    pub maker: Arc<Maker>,
    json: Box<[u8]>,
    /// Up to here are the fields of the list row; with a brace, they are the row.
    fields_end: usize,
}

/// What a game is found by.
#[derive(Debug)]
pub(super) struct Terms {
    /// In their order, each once.
    pub(super) facets: BTreeSet<Facet>,
    pub(super) words: BTreeSet<String>,
}

impl Row {
    pub(super) fn render(key: Key, game: &public::Game, maker: Arc<Maker>) -> anyhow::Result<Self> {
        let row = serde_json::to_vec(&game.row)?;
        // Copied, for allocators leave a vector that is shrunk where it is, with the room it had.
        let json: Box<[u8]> = serde_json::to_vec(game)?.as_slice().into();
        let fields_end = row.len() - 1;
        anyhow::ensure!(
            json.starts_with(&row[..fields_end]),
            "the JSON of a game does not begin with its row"
        );
        Ok(Self {
            key,
            maker,
            json,
            fields_end,
        })
    }

    /// The same game of another maker.
    pub(super) fn with_maker(&self, maker: Arc<Maker>) -> anyhow::Result<Self> {
        let mut game = self.game()?;
        set_maker(&mut game.row, &maker);
        Self::render(self.key.clone(), &game, maker)
    }

    /// The single game ([`public::Game`]).
    pub fn json(&self) -> &[u8] {
        &self.json
    }

    /// Appends the list row ([`public::GameRow`]).
    pub fn push_row(&self, json: &mut Vec<u8>) {
        json.extend_from_slice(&self.json[..self.fields_end]);
        json.push(b'}');
    }

    /// How many bytes [`Row::push_row`] appends.
    pub fn row_len(&self) -> usize {
        self.fields_end + 1
    }

    /// The single game, parsed.
    pub fn game(&self) -> anyhow::Result<public::Game> {
        serde_json::from_slice(&self.json).context("a rendered game does not parse")
    }

    /// The words by which it is found: of title, tagline and its maker's name.
    pub(super) fn words(&self) -> anyhow::Result<BTreeSet<String>> {
        Ok(self.words_of(&self.texts()?))
    }

    /// All by which it is found.
    pub(super) fn terms(&self, genres: &mut Genres) -> anyhow::Result<Terms> {
        let texts = self.texts()?;
        let facets = (texts.genres.iter().map(|key| genres.note(key)))
            .chain(
                texts
                    .platforms
                    .iter()
                    .filter_map(|key| Facet::platform(key)),
            )
            .chain(Facet::stage(&texts.stage))
            .chain(Facet::country(&self.maker.country_code))
            .collect();
        Ok(Terms {
            facets,
            words: self.words_of(&texts),
        })
    }

    fn words_of(&self, texts: &Texts<'_>) -> BTreeSet<String> {
        words::of_text([&*texts.title, &*texts.tagline, &*self.maker.name])
    }

    fn texts(&self) -> anyhow::Result<Texts<'_>> {
        serde_json::from_slice(&self.json).context("a rendered game does not parse")
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
    genres: Vec<Cow<'a, str>>,
    #[serde(borrow)]
    platforms: Vec<Cow<'a, str>>,
    #[serde(borrow)]
    stage: Cow<'a, str>,
}

/// When something happened, as the feed says it.
pub(super) fn moment(at: Option<&prost_types::Timestamp>) -> anyhow::Result<OffsetDateTime> {
    let at = at.context("a time is missing")?;
    let nanos = i128::from(at.seconds) * 1_000_000_000 + i128::from(at.nanos);
    Ok(OffsetDateTime::from_unix_timestamp_nanos(nanos)?)
}

fn set_maker(row: &mut public::GameRow, maker: &Maker) {
    row.creator = public::GameCreator {
        handle: maker.handle.as_ref().to_owned(),
        name: maker.name.clone(),
    };
    row.country_code.clone_from(&maker.country_code);
    row.city.clone_from(&maker.city);
}

/// The public shape of a game that the feed told of.
pub(super) fn public_game(game: listings::Game, maker: &Maker) -> anyhow::Result<public::Game> {
    let mut row = public::GameRow {
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
    set_maker(&mut row, maker);
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
