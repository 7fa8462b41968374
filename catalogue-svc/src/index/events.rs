//! Events as readers meet them.

use std::borrow::Cow;
use std::sync::Arc;

use anyhow::Context as _;
use contracts::listings::v1 as listings;
use contracts::public;
use serde::Deserialize;
use time::Date;

use super::document::{Document, IndexedFields};
use super::rendered::Rendered;
use super::timestamp::moment;
use crate::domain::days::{self, Days};
use crate::domain::facet::Facet;
use crate::domain::keyword::Keyword;
use crate::domain::order::EventKey;
use crate::domain::words::{self, Field};

/// An event. Its JSON ([`public::Event`]) is row and single read at once.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its place in the order.
    pub key: EventKey,
    /// The listing's revision, which its `ETag` names.
    pub revision: i64,
    last_day: Date,
    text: Rendered,
}

impl Event {
    /// An event that the feed told of.
    pub(super) fn new(event: listings::Event) -> anyhow::Result<Self> {
        let day = |text: &str| days::read(text).context("a day is no YYYY-MM-DD");
        let starts_at = day(&event.starts_at)?;
        let last_day = event.ends_at.as_deref().map_or(Ok(starts_at), day)?;
        let key = EventKey {
            starts_at,
            slug: event.slug.as_str().into(),
        };
        let revision = event.revision;
        let event = public_event(event)?;
        Ok(Self {
            key,
            revision,
            last_day,
            text: Rendered::new(&event, &event)?,
        })
    }
}

impl Document for Event {
    type Key = EventKey;

    fn key(&self) -> &EventKey {
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
        let facets = Facet::event_kind(&texts.kind).into_iter();
        let city = Some(texts.city_slug).filter(|slug| !slug.is_empty());
        Ok(IndexedFields {
            facets: facets.chain(Facet::country(&texts.country_code)).collect(),
            keywords: city
                .map(|slug| Keyword::City(slug.into()))
                .into_iter()
                .collect(),
            words: words::of_texts([(Field::Title, &*texts.title), (Field::Rest, &*texts.city)]),
            days: Some(Days {
                first: self.key.starts_at,
                last: self.last_day,
            }),
        })
    }
}

/// What the terms are taken from.
#[derive(Deserialize)]
struct Texts<'a> {
    #[serde(borrow)]
    title: Cow<'a, str>,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    country_code: Cow<'a, str>,
    #[serde(borrow)]
    city: Cow<'a, str>,
    #[serde(borrow)]
    city_slug: Cow<'a, str>,
}

fn public_event(event: listings::Event) -> anyhow::Result<public::Event> {
    Ok(public::Event {
        created_at: public::Timestamp(moment(event.created_at.as_ref())?),
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
        url: event.url,
    })
}
