//! GET /creators, and GET /creators/{handle} with the creator's games.

use std::sync::Arc;

use catalogue::index::Catalogue;
use contracts::catalogue::v1::creators_service_server::CreatorsService as _;
use contracts::catalogue::v1::{GetCreatorRequest, ListCreatorsRequest};
use contracts::common::v1::PageRequest;
use kit::{Code, Fault};
use proptest::prelude::*;
use proptest::sample::select;
use serde::Serialize;
use serde_json::Value;
use sqlx::PgConnection;
use tonic::Request;

use super::pages::{self, ResultPage};
use super::{moment, tables};
use crate::build::reads;
use crate::universe::{CITIES, KINDS, QUESTIONS, ROLES, handle};

#[derive(Debug, Clone, Serialize)]
pub(super) struct Asked {
    mode: i32,
    kind: Option<&'static str>,
    role: Option<&'static str>,
    country: Option<&'static str>,
    city: Option<&'static str>,
    q: Option<&'static str>,
    /// Seconds since 1970.
    since: Option<i64>,
    limit: u32,
}

prop_compose! {
    pub(super) fn asked()(
        mode in 1..=2,
        kind in prop::option::weighted(0.3, select(&KINDS)),
        role in prop::option::weighted(0.3, select(&ROLES)),
        country in prop::option::weighted(0.3, select(&["KE", "ng", "SN"])),
        city in prop::option::weighted(0.3, select(&CITIES).prop_map(|(_, slug)| slug)),
        q in prop::option::weighted(0.4, select(&QUESTIONS)),
        since in prop::option::weighted(0.3, 0..4_i64),
        limit in 1..4_u32,
    ) -> Asked {
        Asked { mode, kind, role, country, city, q, since, limit }
    }
}

impl Asked {
    pub(super) async fn call(&self, catalogue: &Arc<Catalogue>) -> Vec<Value> {
        pages::all(self.limit, async |page| self.page(catalogue, page).await).await
    }

    pub(super) fn unfiltered(self) -> Self {
        Self { kind: None, role: None, country: None, city: None, q: None, since: None, ..self }
    }

    pub(super) async fn page(&self, catalogue: &Arc<Catalogue>, page: PageRequest) -> ResultPage {
        let creators = reads(Arc::clone(catalogue));
        let request = ListCreatorsRequest {
            mode: self.mode,
            page: Some(page),
            at_least: None,
            kind: self.kind.map(Into::into),
            role: self.role.map(Into::into),
            country: self.country.map(Into::into),
            city: self.city.map(Into::into),
            q: self.q.map(Into::into),
            updated_since: self.since.map(moment),
        };
        let response = creators.list_creators(Request::new(request)).await.unwrap().into_inner();
        (response.json, response.page)
    }

    pub(super) async fn query(&self, connection: &mut PgConnection) -> Vec<Value> {
        tables::select(
            connection,
            "select jsonb_build_object(
                 'handle', handle, 'name', name, 'kind', kind, 'roles', roles, 'tagline', tagline,
                 'country_code', country, 'city', city, 'city_slug', city_slug)
             from public_creator
             where mode = ($1->>'mode')::int
                 and ($1->>'kind' is null or $1->>'kind' = kind)
                 and ($1->>'role' is null or $1->>'role' = any(roles))
                 and ($1->>'country' is null or upper($1->>'country') = country)
                 and coalesce($1->>'city', '') in ('', city_slug)
                 and ($1->>'since' is null or updated >= ($1->>'since')::bigint)
                 and matches(title_words || tagline_words || city_words, $1)
             order by created desc, handle",
            self,
        )
        .await
    }
}

/// One creator; no row if there is none with the handle.
#[derive(Debug, Clone, Serialize)]
pub(super) struct One {
    mode: i32,
    handle: String,
}

prop_compose! {
    pub(super) fn one()(mode in 1..=2, handle in handle()) -> One {
        One { mode, handle }
    }
}

impl One {
    pub(super) async fn call(&self, catalogue: &Arc<Catalogue>) -> Vec<Value> {
        let creators = reads(Arc::clone(catalogue));
        let request = GetCreatorRequest {
            mode: self.mode,
            handle: self.handle.clone(),
            at_least: None,
            max_games: None,
        };
        match creators.get_creator(Request::new(request)).await {
            Ok(response) => {
                let mut creator: Value = serde_json::from_slice(&response.get_ref().json).unwrap();
                for game in creator["games"].as_array_mut().unwrap() {
                    *game = game["slug"].take();
                }
                vec![creator]
            }
            Err(status) => {
                assert_eq!(Fault::from(status).code, Code::NotFound);
                Vec::new()
            }
        }
    }

    pub(super) async fn query(&self, connection: &mut PgConnection) -> Vec<Value> {
        tables::select(
            connection,
            "select jsonb_build_object(
                 'handle', c.handle, 'name', c.name,
                 'games', coalesce(
                     (select jsonb_agg(slug order by featured desc, g.created desc, slug)
                      from public_game g where (g.mode, g.handle) = (c.mode, c.handle)),
                     '[]'))
             from public_creator c
             where mode = ($1->>'mode')::int and handle = $1->>'handle'",
            self,
        )
        .await
    }
}
