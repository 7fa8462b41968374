//! GET /events.

use std::sync::Arc;

use catalogue::index::Catalogue;
use catalogue::service::Reads;
use contracts::catalogue::v1::ListEventsRequest;
use contracts::catalogue::v1::events_service_server::EventsService as _;
use contracts::common::v1::PageRequest;
use kit::Clock;
use proptest::prelude::*;
use proptest::sample::select;
use serde::Serialize;
use serde_json::Value;
use sqlx::PgConnection;
use time::Date;
use tonic::Request;

use super::pages::{self, ResultPage};
use super::{moment, tables};
use crate::build::reads;
use crate::universe::{CITIES, EVENT_KINDS, QUESTIONS, a_day};

#[derive(Debug, Clone, Serialize)]
pub(super) struct Asked {
    mode: i32,
    #[serde(skip)]
    day: Date,
    today: String,
    kind: Option<&'static str>,
    country: Option<&'static str>,
    city: Option<&'static str>,
    when: Option<&'static str>,
    from: Option<String>,
    to: Option<String>,
    q: Option<&'static str>,
    /// Seconds since 1970.
    since: Option<i64>,
    limit: u32,
}

prop_compose! {
    pub(super) fn asked()(
        mode in 1..=2,
        day in a_day(),
        kind in prop::option::weighted(0.2, select(&EVENT_KINDS)),
        country in prop::option::weighted(0.2, select(&["KE", "ng", "SN"])),
        city in prop::option::weighted(0.2, select(&CITIES).prop_map(|(_, slug)| slug)),
        when in prop::option::of(select(&["upcoming", "past", "all"])),
        (one, other) in (a_day(), a_day()),
        (is_from, is_to) in (prop::bool::weighted(0.3), prop::bool::weighted(0.3)),
        q in prop::option::weighted(0.3, select(&QUESTIONS)),
        since in prop::option::weighted(0.3, 0..20_i64),
        limit in 1..4_u32,
    ) -> Asked {
        Asked {
            today: day.to_string(),
            from: is_from.then(|| one.min(other).to_string()),
            to: is_to.then(|| one.max(other).to_string()),
            mode, day, kind, country, city, when, q, since, limit,
        }
    }
}

impl Asked {
    pub(super) async fn call(&self, catalogue: &Arc<Catalogue>) -> Vec<Value> {
        pages::all(self.limit, async |page| self.page(catalogue, page).await).await
    }

    pub(super) fn unfiltered(self) -> Self {
        Self {
            kind: None,
            country: None,
            city: None,
            from: None,
            to: None,
            q: None,
            since: None,
            ..self
        }
    }

    pub(super) async fn page(&self, catalogue: &Arc<Catalogue>, page: PageRequest) -> ResultPage {
        let clock = Clock::fixed(self.day.midnight().assume_utc());
        let events = Reads { clock, ..reads(Arc::clone(catalogue)) };
        let request = ListEventsRequest {
            mode: self.mode,
            page: Some(page),
            at_least: None,
            kind: self.kind.map(Into::into),
            country: self.country.map(Into::into),
            city: self.city.map(Into::into),
            when: self.when.map(Into::into),
            from: self.from.clone(),
            to: self.to.clone(),
            q: self.q.map(Into::into),
            updated_since: self.since.map(moment),
            with_times: false,
        };
        let response = events.list_events(Request::new(request)).await.unwrap().into_inner();
        (response.json, response.page)
    }

    pub(super) async fn query(&self, connection: &mut PgConnection) -> Vec<Value> {
        // Dates sort like their texts.
        let is_past = self.to.as_ref().is_some_and(|to| *to < self.today);
        let when = match self.when {
            None if self.from.is_some() || is_past => Some("all"),
            when => when,
        };
        let query = match when {
            Some("past") => {
                "select jsonb_build_object('slug', slug, 'title', title, 'kind', kind, 'starts_at', starts_at)
                 from wanted_events($1)
                 where last_day < ($1->>'today')::date
                 order by starts_at desc, slug desc"
            }
            Some("all") => {
                "select jsonb_build_object('slug', slug, 'title', title, 'kind', kind, 'starts_at', starts_at)
                 from wanted_events($1)
                 order by starts_at, slug"
            }
            _ => {
                "select jsonb_build_object('slug', slug, 'title', title, 'kind', kind, 'starts_at', starts_at)
                 from wanted_events($1)
                 where last_day >= ($1->>'today')::date
                 order by starts_at, slug"
            }
        };
        tables::select(connection, query, self).await
    }
}
