//! GET /search.

use std::sync::Arc;

use catalogue::index::Catalogue;
use catalogue::service::Reads;
use contracts::catalogue::v1::SearchRequest;
use contracts::catalogue::v1::search_service_server::SearchService as _;
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
use super::tables;
use crate::build::reads;
use crate::universe::{QUESTIONS, a_day};

#[derive(Debug, Clone, Serialize)]
pub(super) struct Asked {
    mode: i32,
    #[serde(skip)]
    day: Date,
    today: String,
    q: &'static str,
    r#type: Option<&'static str>,
    country: Option<&'static str>,
    limit: u32,
}

prop_compose! {
    pub(super) fn asked()(
        mode in 1..=2,
        day in a_day(),
        q in select(&QUESTIONS),
        r#type in prop::option::weighted(0.3, select(&["games", "creators", "events", "cities"])),
        country in prop::option::weighted(0.3, select(&["KE", "ng", "SN"])),
        limit in 1..8_u32,
    ) -> Asked {
        Asked { today: day.to_string(), mode, day, q, r#type, country, limit }
    }
}

impl Asked {
    pub(super) async fn call(&self, catalogue: &Arc<Catalogue>) -> Vec<Value> {
        pages::all(self.limit, async |page| self.page(catalogue, page).await).await
    }

    pub(super) fn unfiltered(self) -> Self {
        Self { r#type: None, country: None, ..self }
    }

    pub(super) async fn page(&self, catalogue: &Arc<Catalogue>, page: PageRequest) -> ResultPage {
        let url = "https://mchezo.example".to_owned();
        let searches = Reads {
            public_url: url,
            clock: Clock::fixed(self.day.midnight().assume_utc()),
            ..reads(Arc::clone(catalogue))
        };
        let request = SearchRequest {
            mode: self.mode,
            page: Some(page),
            at_least: None,
            q: self.q.to_owned(),
            r#type: self.r#type.map(Into::into),
            country: self.country.map(Into::into),
            with_details: false,
        };
        let response = searches.search(Request::new(request)).await.unwrap().into_inner();
        (response.json, response.page)
    }

    pub(super) async fn query(&self, connection: &mut PgConnection) -> Vec<Value> {
        tables::select(
            connection,
            "with hit (mode, type, kind, object, country, rank, place) as (
                 select mode, 'games', 1,
                     jsonb_build_object('slug', slug, 'name', title, 'tagline', tagline),
                     country, rank(title_words, tagline_words, name_words, length, $1),
                     row_number() over (order by featured desc, created desc, slug)
                 from public_game
                 union all
                 select mode, 'creators', 2,
                     jsonb_build_object('handle', handle, 'name', name, 'tagline', tagline),
                     country, rank(title_words, tagline_words, city_words, length, $1),
                     row_number() over (order by created desc, handle)
                 from public_creator
                 union all
                 select mode, 'events', 3,
                     jsonb_build_object('slug', slug, 'name', title, 'tagline', '', 'starts_at', starts_at),
                     country, rank(title_words, '{}', city_words, length, $1),
                     row_number() over (order by last_day < ($1->>'today')::date,
                         case when last_day >= ($1->>'today')::date then starts_at end,
                         case when last_day >= ($1->>'today')::date then slug end,
                         starts_at desc, slug desc)
                 from public_event
                 union all
                 select mode, 'cities', 4,
                     jsonb_build_object('slug', slug, 'name', name, 'tagline', '',
                         'url', 'https://mchezo.example/cities/' || slug),
                     country, rank(title_words, '{}', '{}', length, $1),
                     row_number() over (order by creators desc, games desc, name collate \"und-x-icu\", slug)
                 from public_city
             )
             select object || jsonb_build_object('type', type, 'country_code', country)
             from hit
             where mode = ($1->>'mode')::int
                 and rank[1] is not null
                 and ($1->>'type' is null or $1->>'type' = type)
                 and ($1->>'country' is null or upper($1->>'country') = country)
             order by rank, kind, place",
            self,
        )
        .await
    }
}
