//! GET /genres, /countries, /countries/{code} and /cities.

use std::sync::Arc;

use catalogue::index::Catalogue;
use contracts::catalogue::v1::places_service_server::PlacesService as _;
use contracts::catalogue::v1::{
    GetCountryRequest, ListCitiesRequest, ListCountriesRequest, ListGenresRequest,
};
use contracts::common::v1::PageRequest;
use proptest::prelude::*;
use proptest::sample::select;
use serde::Serialize;
use serde_json::Value;
use sqlx::PgConnection;
use tonic::Request;

use super::pages::{self, ResultPage};
use super::tables;
use crate::build::reads;

#[derive(Debug, Clone, Serialize)]
pub(super) struct Asked {
    mode: i32,
    what: What,
    limit: u32,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "snake_case")]
enum What {
    Genres,
    Countries { empty: bool },
    Country(&'static str),
    Cities { country: Option<&'static str> },
}

pub(super) fn asked() -> impl Strategy<Value = Asked> {
    let code = || select(&["KE", "ng", "SN"]);
    let what = prop_oneof![
        Just(What::Genres),
        any::<bool>().prop_map(|empty| What::Countries { empty }),
        code().prop_map(What::Country),
        prop::option::of(code()).prop_map(|country| What::Cities { country }),
    ];
    (1..=2, what, 1..3_u32).prop_map(|(mode, what, limit)| Asked { mode, what, limit })
}

/// Lists of places with pages.
pub(super) fn paged() -> impl Strategy<Value = Asked> {
    let what = prop_oneof![
        1 => any::<bool>().prop_map(|empty| What::Countries { empty }),
        3 => prop::option::of(select(&["KE", "ng", "SN"])).prop_map(|country| What::Cities { country }),
    ];
    (1..=2, what, 1..3_u32).prop_map(|(mode, what, limit)| Asked { mode, what, limit })
}

impl Asked {
    pub(super) async fn call(&self, catalogue: &Arc<Catalogue>) -> Vec<Value> {
        let places = reads(Arc::clone(catalogue));
        let (mode, at_least) = (self.mode, None);
        match self.what {
            What::Genres => {
                let request = ListGenresRequest { mode, at_least };
                let response = places.list_genres(Request::new(request)).await.unwrap();
                let rows: Vec<Value> = serde_json::from_slice(&response.get_ref().json).unwrap();
                let page = response.into_inner().page.unwrap();
                assert_eq!((page.total, page.next_cursor), (rows.len() as u64, None));
                rows
            }
            What::Country(code) => {
                let request = GetCountryRequest { mode, code: code.to_owned(), at_least };
                let response = places.get_country(Request::new(request)).await.unwrap();
                vec![serde_json::from_slice(&response.get_ref().json).unwrap()]
            }
            What::Countries { .. } | What::Cities { .. } => {
                pages::all(self.limit, async |page| self.page(catalogue, page).await).await
            }
        }
    }

    pub(super) async fn page(&self, catalogue: &Arc<Catalogue>, page: PageRequest) -> ResultPage {
        let places = reads(Arc::clone(catalogue));
        let (mode, page) = (self.mode, Some(page));
        match self.what {
            What::Countries { empty } => {
                let request =
                    ListCountriesRequest { mode, page, at_least: None, empty, with_events: false };
                let response =
                    places.list_countries(Request::new(request)).await.unwrap().into_inner();
                (response.json, response.page)
            }
            What::Cities { country } => {
                let request = ListCitiesRequest {
                    mode,
                    page,
                    at_least: None,
                    country: country.map(Into::into),
                };
                let response =
                    places.list_cities(Request::new(request)).await.unwrap().into_inner();
                (response.json, response.page)
            }
            What::Genres | What::Country(_) => panic!("{self:?} has no pages"),
        }
    }

    pub(super) async fn query(&self, connection: &mut PgConnection) -> Vec<Value> {
        let query = match self.what {
            What::Genres => {
                "select jsonb_build_object('key', key, 'name', name, 'games', (
                     select count(*) from public_game where mode = ($1->>'mode')::int and key = any(genres)))
                 from genre order by name collate \"und-x-icu\", key"
            }
            What::Countries { .. } => {
                "select jsonb_build_object('code', code, 'name', name, 'creators', creators, 'games', games)
                 from counted(($1->>'mode')::int)
                 where creators > 0 or games > 0 or ($1->'what'->'countries'->>'empty')::bool
                 order by name collate \"und-x-icu\", code"
            }
            What::Country(_) => {
                "select jsonb_build_object('code', code, 'name', name, 'creators', creators, 'games', games,
                     'cities', coalesce(
                         (select jsonb_agg(
                              jsonb_build_object('slug', slug, 'name', c.name, 'country_code', country,
                                  'creators', c.creators, 'games', c.games)
                              order by c.creators desc, c.games desc, c.name collate \"und-x-icu\", slug)
                          from public_city c where mode = ($1->>'mode')::int and country = code),
                         '[]'))
                 from counted(($1->>'mode')::int)
                 where code = upper($1->'what'->>'country')"
            }
            What::Cities { .. } => {
                "select jsonb_build_object('slug', slug, 'name', name, 'country_code', country,
                     'creators', creators, 'games', games)
                 from public_city
                 where mode = ($1->>'mode')::int
                     and ($1->'what'->'cities'->>'country' is null
                          or upper($1->'what'->'cities'->>'country') = country)
                 order by creators desc, games desc, name collate \"und-x-icu\", slug"
            }
        };
        tables::select(connection, query, self).await
    }
}
