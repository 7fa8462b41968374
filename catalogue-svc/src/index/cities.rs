//! Cities as readers meet them: those that have creators, with what is counted there.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::Arc;

use contracts::public;
use serde::Deserialize;

use super::document::{Document, IndexedFields};
use super::rendered::Rendered;
use crate::domain::facet::Facet;
use crate::domain::order::CityKey;
use crate::domain::words::{self, Field};

/// A city. Its JSON is its row ([`public::CityRow`]).
#[derive(Debug, Clone)]
pub struct City {
    /// Its place in the order, which has its counts.
    pub key: CityKey,
    text: Rendered,
}

impl City {
    pub(super) fn new(row: &public::CityRow) -> anyhow::Result<Self> {
        Ok(Self {
            key: CityKey {
                creators: Reverse(row.creators),
                games: Reverse(row.games),
                name: row.name.as_str().into(),
                slug: row.slug.as_str().into(),
            },
            text: Rendered::new(row, row)?,
        })
    }
}

impl Document for City {
    type Key = CityKey;

    fn key(&self) -> &CityKey {
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
        Ok(IndexedFields {
            facets: Facet::country(&texts.country_code).into_iter().collect(),
            words: words::of_texts([(Field::Title, &*self.key.name)]),
            ..IndexedFields::default()
        })
    }
}

/// What the terms are taken from, beside the name.
#[derive(Deserialize)]
struct Texts<'a> {
    #[serde(borrow)]
    country_code: Cow<'a, str>,
}
