//! GET /games.

use std::sync::Arc;

use catalogue::index::Catalogue;
use contracts::catalogue::v1::ListGamesRequest;
use contracts::catalogue::v1::games_service_server::GamesService as _;
use contracts::common::v1::PageRequest;
use proptest::prelude::*;
use proptest::sample::select;
use serde::Serialize;
use serde_json::Value;
use sqlx::PgConnection;
use tonic::Request;

use super::pages::{self, ResultPage};
use super::{moment, tables};
use crate::build::reads;
use crate::universe::{CITIES, GENRES, PLATFORMS, QUESTIONS, STAGES, handle};

#[derive(Debug, Clone, Serialize)]
pub(super) struct Asked {
    mode: i32,
    genre: Option<&'static str>,
    platform: Option<&'static str>,
    country: Option<&'static str>,
    stage: Option<&'static str>,
    creator: Option<String>,
    city: Option<&'static str>,
    q: Option<&'static str>,
    /// Seconds since 1970.
    since: Option<i64>,
    limit: u32,
}

prop_compose! {
    pub(super) fn asked()(
        mode in 1..=2,
        genre in prop::option::weighted(0.3, select(&GENRES)),
        platform in prop::option::weighted(0.3, select(&PLATFORMS)),
        country in prop::option::weighted(0.2, select(&["KE", "ng", "SN"])),
        stage in prop::option::weighted(0.2, select(&STAGES)),
        creator in prop::option::weighted(0.2, handle()),
        city in prop::option::weighted(0.2, select(&CITIES).prop_map(|(_, slug)| slug)),
        q in prop::option::weighted(0.4, select(&QUESTIONS)),
        since in prop::option::weighted(0.3, 0..40_i64),
        limit in 1..6_u32,
    ) -> Asked {
        Asked { mode, genre, platform, country, stage, creator, city, q, since, limit }
    }
}

impl Asked {
    pub(super) async fn call(&self, catalogue: &Arc<Catalogue>) -> Vec<Value> {
        pages::all(self.limit, async |page| self.page(catalogue, page).await).await
    }

    pub(super) fn unfiltered(self) -> Self {
        Self {
            genre: None,
            platform: None,
            country: None,
            stage: None,
            creator: None,
            city: None,
            q: None,
            since: None,
            ..self
        }
    }

    pub(super) async fn page(&self, catalogue: &Arc<Catalogue>, page: PageRequest) -> ResultPage {
        let games = reads(Arc::clone(catalogue));
        let request = ListGamesRequest {
            mode: self.mode,
            page: Some(page),
            genre: self.genre.map(Into::into),
            platform: self.platform.map(Into::into),
            country: self.country.map(Into::into),
            stage: self.stage.map(Into::into),
            creator: self.creator.clone(),
            q: self.q.map(Into::into),
            updated_since: self.since.map(moment),
            at_least: None,
            city: self.city.map(Into::into),
        };
        let response = games.list_games(Request::new(request)).await.unwrap().into_inner();
        (response.json, response.page)
    }

    pub(super) async fn query(&self, connection: &mut PgConnection) -> Vec<Value> {
        tables::select(
            connection,
            "select jsonb_build_object(
                 'slug', slug, 'title', title, 'tagline', tagline, 'genres', genres, 'platforms', platforms,
                 'stage', stage, 'featured', featured, 'country_code', country, 'city', city,
                 'creator', jsonb_build_object('handle', handle, 'name', maker))
             from public_game
             where mode = ($1->>'mode')::int
                 and ($1->>'genre' is null or $1->>'genre' = any(genres))
                 and ($1->>'platform' is null or $1->>'platform' = any(platforms))
                 and ($1->>'country' is null or upper($1->>'country') = country)
                 and ($1->>'stage' is null or $1->>'stage' = stage)
                 and ($1->>'creator' is null or $1->>'creator' = handle)
                 and coalesce($1->>'city', '') in ('', city_slug)
                 and ($1->>'since' is null or updated >= ($1->>'since')::bigint)
                 and matches(title_words || tagline_words || name_words, $1)
             order by featured desc, created desc, slug",
            self,
        )
        .await
    }
}
