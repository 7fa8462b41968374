//! Creators in the index.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::Arc;

use contracts::addresses;
use contracts::listings::v1 as listings;
use contracts::public;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::document::{Document, IndexedFields, document_parts};
use super::rendered::Rendered;
use super::timestamp::Times;
use crate::domain::facet::Facet;
use crate::domain::order::CreatorKey;
use crate::domain::words::{self, Field};

/// The fields that the games of a creator show of it.
#[derive(Debug, PartialEq, Eq)]
pub struct CreatorSummary {
    /// Handle of the page.
    pub handle: Arc<str>,
    /// Name of the studio or person.
    pub name: Box<str>,
    /// Two letters.
    pub country_code: Box<str>,
    /// Empty when not known.
    pub city: Box<str>,
    /// Empty when the city is.
    pub city_slug: Arc<str>,
    /// These fields as they stand in the JSON of a game.
    json: Box<[u8]>,
}

/// The fields of a game that come from its creator; in [`public::GameRow`] they follow each other in this order.
#[derive(Serialize)]
struct InGame<'a> {
    creator: GameCreator<'a>,
    country_code: &'a str,
    city: &'a str,
}

#[derive(Serialize)]
struct GameCreator<'a> {
    handle: &'a str,
    name: &'a str,
}

impl CreatorSummary {
    fn new(
        handle: &str,
        name: &str,
        country_code: &str,
        city: &str,
        city_slug: &str,
    ) -> anyhow::Result<Self> {
        let json = serde_json::to_vec(&InGame {
            creator: GameCreator { handle, name },
            country_code,
            city,
        })?;
        Ok(Self {
            handle: handle.into(),
            name: name.into(),
            country_code: country_code.into(),
            city: city.into(),
            city_slug: city_slug.into(),
            // Without the braces.
            json: json[1..json.len() - 1].into(),
        })
    }

    /// The summary of a page that has not arrived yet.
    pub(super) fn unknown() -> anyhow::Result<Arc<Self>> {
        Self::new("", "", "", "", "").map(Arc::new)
    }

    /// Its fields in the JSON of its games.
    pub(super) fn json(&self) -> &[u8] {
        &self.json
    }

    /// Its city, if that is known.
    pub(super) fn city(&self) -> Option<Facet> {
        (!self.city_slug.is_empty()).then(|| Facet::City(Arc::clone(&self.city_slug)))
    }
}

/// A creator.
#[derive(Debug, Clone)]
pub struct Creator {
    /// The producer's id of the page.
    pub id: Uuid,
    /// Its sort key.
    pub key: CreatorKey,
    /// The fields that its games show of it.
    pub summary: Arc<CreatorSummary>,
    /// The time of its last change, in microseconds since 1970.
    updated_at: i64,
    /// Its kind and its roles.
    facets: Box<[Facet]>,
    /// The accounts that own the page.
    pub owners: Box<[Uuid]>,
    /// The single read ([`public::Creator`]) without games, which a read takes from the index of games.
    text: Rendered,
}

/// The fields of the row whose words are indexed, and which the summary does not have.
#[derive(Debug, Default, Deserialize)]
struct Texts<'a> {
    #[serde(borrow)]
    tagline: Cow<'a, str>,
}

impl Creator {
    /// Converts a page from the feed.
    pub(crate) fn new(id: Uuid, page: listings::Page, site: &str) -> anyhow::Result<Self> {
        let summary = CreatorSummary::new(
            &page.handle,
            &page.name,
            &page.country_code,
            &page.city,
            &page.city_slug,
        )?;
        let times = Times::from(&page);
        let key = CreatorKey {
            published_at: Reverse(times.published()?),
            handle: Arc::clone(&summary.handle),
        };
        let roles = page.roles.iter();
        let roles = roles.map(|key| Facet::Role(key.as_str().into()));
        let facets = roles.chain(Facet::creator_kind(&page.kind)).collect();
        let owners = page.owners.iter().filter_map(|id| id.parse().ok());
        let owners = owners.collect();
        let creator = public_creator(page, site);
        Ok(Self {
            id,
            key,
            summary: Arc::new(summary),
            updated_at: times.latest()?,
            facets,
            owners,
            text: Rendered::new(&creator.row, &creator)?,
        })
    }

    /// Moves the part that only a single read needs out of memory.
    pub(super) fn store_text(&mut self) {
        self.text.store_rest();
    }
}

impl Document for Creator {
    document_parts!(Uuid, CreatorKey, id, key.handle);

    fn fields(&self) -> IndexedFields {
        // The row was rendered with this field.
        let texts: Texts<'_> = self.text.parse_row().unwrap_or_default();
        // Nearly every handle has hyphens: its parts joined would be a word more for each creator.
        let handle = self.summary.handle.replace('-', " ");
        IndexedFields {
            facets: (self.facets.iter().cloned())
                .chain(Facet::country(&self.summary.country_code))
                .chain(self.summary.city())
                .chain([Facet::TitleWords(words::title_length(&self.summary.name))])
                .collect(),
            words: words::of_texts([
                (Field::Title, &*self.summary.name),
                (Field::Title, &*handle),
                (Field::Pitch, &*texts.tagline),
                (Field::Rest, &*self.summary.city),
            ]),
        }
    }

    fn updated_at(&self) -> i64 {
        self.updated_at
    }
}

fn public_creator(page: listings::Page, site: &str) -> public::Creator {
    public::Creator {
        row: public::CreatorRow {
            url: addresses::listing(site, "creators", &page.handle),
            handle: page.handle,
            name: page.name,
            kind: page.kind,
            roles: page.roles,
            tagline: page.tagline,
            avatar_url: page.avatar_url.map(|it| addresses::picture(site, &it)),
            country_code: page.country_code,
            city: page.city,
            city_slug: page.city_slug,
            verified: page.verified,
        },
        bio: page.bio,
        links: page.links.into_iter().collect(),
        games: Vec::new(),
    }
}
