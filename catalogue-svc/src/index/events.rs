//! Events in the index.

use std::sync::Arc;

use anyhow::Context as _;
use contracts::addresses;
use contracts::listings::v1 as listings;
use contracts::public;
use time::Date;
use uuid::Uuid;

use super::document::{Document, IndexedFields, document_parts};
use super::rendered::Rendered;
use super::timestamp::{Times, point_in_time};
use crate::domain::days::{self, Days};
use crate::domain::facet::Facet;
use crate::domain::order::EventKey;
use crate::domain::words::Field;

#[derive(Debug, Clone)]
pub struct Event {
    pub id: Uuid,
    pub key: EventKey,
    /// The listing's revision, which its `ETag` names.
    pub revision: i64,
    /// The time of its last change, in microseconds since 1970.
    updated_at: i64,
    /// The time when it became public, in microseconds since 1970.
    pub published_at: i64,
    pub last_day: Date,
    /// Its kind, its country and its city.
    facets: Box<[Facet]>,
    /// The row, which is also the single read ([`public::Event`]).
    text: Rendered,
}

impl Event {
    pub(crate) fn new(id: Uuid, event: listings::Event, site: &str) -> anyhow::Result<Self> {
        let day = |text: &str| days::read(text).context("a day is no YYYY-MM-DD");
        let starts_at = day(&event.starts_at)?;
        let last_day = event.ends_at.as_deref().map_or(Ok(starts_at), day)?;
        let key = EventKey { starts_at, slug: event.slug.as_str().into() };
        let kind = Facet::event_kind(&event.kind).into_iter();
        let city = Some(event.city_slug.as_str()).filter(|slug| !slug.is_empty());
        let facets = kind
            .chain(Facet::country(&event.country_code))
            .chain(city.map(|slug| Facet::City(slug.into())))
            .collect();
        let revision = event.revision;
        let times = Times::from(&event);
        let event = public_event(event, site)?;
        Ok(Self {
            id,
            key,
            revision,
            updated_at: times.latest()?,
            published_at: times.published()?,
            last_day,
            facets,
            text: Rendered::new(&event)?,
        })
    }
}

impl Document for Event {
    document_parts!(Uuid, EventKey, id, key.slug);

    fn fields(&self) -> IndexedFields {
        let [title, city] = ["title", "city"].map(|name| self.text.text(name));
        IndexedFields::new(
            self.facets.iter().cloned(),
            [(Field::Title, &*title), (Field::Associated, &*city)],
        )
    }

    fn days(&self) -> Option<Days> {
        Some(Days { first: self.key.starts_at, last: self.last_day })
    }

    fn updated_at(&self) -> i64 {
        self.updated_at
    }
}

fn public_event(event: listings::Event, site: &str) -> anyhow::Result<public::Event> {
    Ok(public::Event {
        created_at: public::Timestamp(point_in_time(event.created_at.as_ref())?),
        url: addresses::listing(site, "events", &event.slug),
        slug: event.slug,
        title: event.title,
        kind: event.kind,
        starts_at: event.starts_at,
        ends_at: event.ends_at,
        country_code: event.country_code,
        city: event.city,
        city_slug: event.city_slug,
        online: event.online,
        website: event.website,
        description: event.description,
    })
}
