//! Creators as readers meet them.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::Arc;

use contracts::listings::v1 as listings;
use contracts::public;
use serde::Deserialize;

use super::document::{Document, IndexedFields};
use super::rendered::Rendered;
use super::timestamp::microseconds;
use crate::domain::facet::Facet;
use crate::domain::keyword::Keyword;
use crate::domain::order::CreatorKey;
use crate::domain::words::{self, Field};

/// What the games of a creator show of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CreatorSummary {
    /// Handle of the page.
    pub handle: Arc<str>,
    /// Name of the studio or person.
    pub name: String,
    /// Two letters.
    pub country_code: String,
    /// Empty when not known.
    pub city: String,
    /// Empty when the city is.
    pub city_slug: Arc<str>,
}

impl CreatorSummary {
    /// Where it is, when that is known.
    pub(super) fn city_tag(&self) -> Option<Keyword> {
        (!self.city_slug.is_empty()).then(|| Keyword::City(Arc::clone(&self.city_slug)))
    }
}

/// A creator. Its JSON is the single read ([`public::Creator`]) without games: these are on a shelf of their own.
#[derive(Debug, Clone)]
pub struct Creator {
    /// Its place in the order.
    pub key: CreatorKey,
    /// What its games show of it.
    pub maker: Arc<CreatorSummary>,
    text: Rendered,
}

impl Creator {
    /// A page that the feed told of.
    pub(super) fn new(page: listings::Page) -> anyhow::Result<Self> {
        let maker = CreatorSummary {
            handle: page.handle.as_str().into(),
            name: page.name.clone(),
            country_code: page.country_code.clone(),
            city: page.city.clone(),
            city_slug: page.city_slug.as_str().into(),
        };
        let key = CreatorKey {
            created_at: Reverse(microseconds(page.created_at.as_ref())?),
            handle: Arc::clone(&maker.handle),
        };
        let creator = public_creator(page);
        Ok(Self {
            key,
            maker: Arc::new(maker),
            text: Rendered::new(&creator.row, &creator)?,
        })
    }
}

impl Document for Creator {
    type Key = CreatorKey;

    fn key(&self) -> &CreatorKey {
        &self.key
    }

    fn address(&self) -> &Arc<str> {
        &self.key.handle
    }

    fn text(&self) -> &Rendered {
        &self.text
    }

    fn terms(&self) -> anyhow::Result<IndexedFields> {
        let texts: Texts<'_> = self.text.parse()?;
        let roles = texts
            .roles
            .iter()
            .map(|key| Keyword::Role(key.as_ref().into()));
        let facets = Facet::creator_kind(&texts.kind).into_iter();
        Ok(IndexedFields {
            facets: facets
                .chain(Facet::country(&self.maker.country_code))
                .collect(),
            keywords: roles.chain(self.maker.city_tag()).collect(),
            words: words::of_texts([
                (Field::Title, &*self.maker.name),
                (Field::Title, &*self.maker.handle),
                (Field::Pitch, &*texts.tagline),
                (Field::Rest, &*self.maker.city),
            ]),
            days: None,
        })
    }
}

/// What the terms are taken from, beside what the maker has.
#[derive(Deserialize)]
struct Texts<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    roles: Vec<Cow<'a, str>>,
    #[serde(borrow)]
    tagline: Cow<'a, str>,
}

fn public_creator(page: listings::Page) -> public::Creator {
    public::Creator {
        row: public::CreatorRow {
            handle: page.handle,
            name: page.name,
            kind: page.kind,
            roles: page.roles,
            tagline: page.tagline,
            avatar_url: page.avatar_url,
            country_code: page.country_code,
            city: page.city,
            city_slug: page.city_slug,
            verified: page.verified,
            url: page.url,
        },
        bio: page.bio,
        links: page.links.into_iter().collect(),
        games: Vec::new(),
    }
}
