//! Creators in the index.

use std::cmp::Reverse;
use std::sync::{Arc, LazyLock};

use contracts::addresses;
use contracts::listings::v1 as listings;
use contracts::public;
use serde::Serialize;
use uuid::Uuid;

use super::document::{Document, IndexedFields, document_parts};
use super::rendered::Rendered;
use super::timestamp::Times;
use crate::domain::facet::Facet;
use crate::domain::order::CreatorKey;
use crate::domain::words::Field;

/// The fields that the games of a creator show of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CreatorSummary {
    pub handle: Arc<str>,
    pub name: Box<str>,
    /// Two letters.
    pub country_code: Box<str>,
    /// Empty when not known.
    pub city: Box<str>,
    /// Empty when the city is.
    pub city_slug: Arc<str>,
    /// These fields as they stand in the JSON of a game, with a comma at the end.
    json: Box<str>,
}

/// The fields of a game that come from its creator; in [`public::GameRow`] they follow each other in this order.
#[derive(Serialize)]
struct InGame<'a> {
    creator: public::GameCreator,
    country_code: &'a str,
    city: &'a str,
}

impl CreatorSummary {
    fn new(
        handle: &str,
        name: &str,
        country_code: &str,
        city: &str,
        city_slug: &str,
    ) -> anyhow::Result<Self> {
        let mut json = serde_json::to_string(&InGame {
            creator: public::GameCreator { handle: handle.to_owned(), name: name.to_owned() },
            country_code,
            city,
        })?;
        // Without the braces.
        json.pop();
        json.push(',');
        Ok(Self {
            handle: handle.into(),
            name: name.into(),
            country_code: country_code.into(),
            city: city.into(),
            city_slug: city_slug.into(),
            json: json[1..].into(),
        })
    }

    /// The summary of a page that has not arrived yet.
    pub(super) fn unknown() -> &'static Arc<Self> {
        static UNKNOWN: LazyLock<Arc<CreatorSummary>> = LazyLock::new(|| {
            let unknown = CreatorSummary::new("", "", "", "", "");
            Arc::new(unknown.unwrap_or_default())
        });
        &UNKNOWN
    }

    /// Its fields in the JSON of its games.
    pub(super) fn json(&self) -> &str {
        &self.json
    }

    pub(super) fn city(&self) -> Option<Facet> {
        (!self.city_slug.is_empty()).then(|| Facet::City(Arc::clone(&self.city_slug)))
    }
}

#[derive(Debug, Clone)]
pub struct Creator {
    pub id: Uuid,
    pub key: CreatorKey,
    /// The fields that its games show of it.
    pub summary: Arc<CreatorSummary>,
    /// The time of its last change, in microseconds since 1970.
    updated_at: i64,
    /// Its kind and its roles.
    facets: Box<[Facet]>,
    pub owners: Box<[Uuid]>,
    /// The single read ([`public::Creator`]) without games, which a read takes from the index of games.
    text: Rendered,
}

impl Creator {
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
        let roles = page.roles.iter().map(|key| Facet::Role(key.as_str().into()));
        let facets = roles.chain(Facet::creator_kind(&page.kind)).collect();
        let owners = page.owners.iter().filter_map(|id| id.parse().ok()).collect();
        let json = serde_json::to_string(&public_creator(page, site))?;
        Ok(Self {
            id,
            key,
            summary: Arc::new(summary),
            updated_at: times.latest()?,
            facets,
            owners,
            text: Rendered::with_rest(&json, "bio")?,
        })
    }
}

impl Document for Creator {
    document_parts!(Uuid, CreatorKey, id, key.handle);

    fn fields(&self) -> IndexedFields {
        let tagline = self.text.text("tagline");
        // Nearly every handle has hyphens: its parts joined would be a word more for each creator.
        let handle = self.summary.handle.replace('-', " ");
        let facets = (self.facets.iter().cloned())
            .chain(Facet::country(&self.summary.country_code))
            .chain(self.summary.city());
        IndexedFields::new(
            facets,
            [
                (Field::Title, &*self.summary.name),
                (Field::Title, &*handle),
                (Field::Tagline, &*tagline),
                (Field::Associated, &*self.summary.city),
            ],
        )
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
