//! Cities in the index: those that have creators, with counts of creators and games.

use std::cmp::Reverse;
use std::sync::Arc;

use contracts::public;

use super::document::{Document, IndexedFields, document_parts};
use super::rendered::Rendered;
use crate::domain::collation::Name;
use crate::domain::facet::Facet;
use crate::domain::order::CityKey;
use crate::domain::words::Field;

#[derive(Debug, Clone)]
pub struct City {
    /// Its sort key, which includes its counts.
    pub key: CityKey,
    country: Option<Facet>,
    /// Its row ([`public::CityRow`]).
    text: Rendered,
}

impl City {
    pub(super) fn new(row: &public::CityRow) -> anyhow::Result<Self> {
        Ok(Self {
            key: CityKey {
                creators: Reverse(row.creators),
                games: Reverse(row.games),
                name: Name::new(&row.name),
                slug: row.slug.as_str().into(),
            },
            country: Facet::country(&row.country_code),
            text: Rendered::new(row)?,
        })
    }
}

impl Document for City {
    document_parts!(Arc<str>, CityKey, key.slug, key.slug);

    fn fields(&self) -> IndexedFields {
        IndexedFields::new(
            self.country.clone().into_iter(),
            [(Field::Title, self.key.name.as_str())],
        )
    }
}
