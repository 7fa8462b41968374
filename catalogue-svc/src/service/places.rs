//! Genres, countries and cities, with counts of published listings (§2.3, §2.5, §4.2).

use std::sync::Arc;

use contracts::catalogue::v1::places_service_server::PlacesService;
use contracts::catalogue::v1::{
    GetCountryRequest, GetCountryResponse, ListCitiesRequest, ListCitiesResponse,
    ListCountriesRequest, ListCountriesResponse, ListGenresRequest, ListGenresResponse,
};
use contracts::common::v1::PageInfo;
use contracts::public;
use kit::Fault;
use kit::cursor::Binding;
use tonic::{Request, Response, Status};

use super::answer;
use super::ask::{self, Ask, Fields};
use super::typed;
use crate::domain::facet::Facet;
use crate::domain::order::{CityKey, CountryKey};
use crate::memory::{Catalogue, Question, State};

/// Answers calls about genres, countries and cities.
#[derive(Debug)]
pub struct Places {
    catalogue: Arc<Catalogue>,
}

impl Places {
    /// Answers from `catalogue`.
    pub fn new(catalogue: Arc<Catalogue>) -> Self {
        Self { catalogue }
    }

    async fn genres(&self, request: ListGenresRequest) -> Result<ListGenresResponse, Fault> {
        let state = self.catalogue.state_at(request.at_least.as_ref()).await?;
        let (mode, form) = ask::single(request.mode, request.form)?;
        let rows = state.genre_rows(mode);
        let page = PageInfo {
            total: rows.len() as u64,
            next_cursor: None,
        };
        let (json, genres) = answer::made(rows, form, typed::places::genre)?;
        Ok(ListGenresResponse {
            genres,
            json,
            page: Some(page),
            position: Some(state.position.into()),
        })
    }

    async fn countries(
        &self,
        request: ListCountriesRequest,
    ) -> Result<ListCountriesResponse, Fault> {
        let state = self.catalogue.state_at(request.at_least.as_ref()).await?;
        let mut fields = Fields::default();
        let mode = fields.mode(request.mode);
        let form = fields.form(request.form);
        let empty = request.empty.then_some("empty");
        let binding = Binding::new("countries", [Some(mode.as_str()), empty]);
        let (limit, after) = fields.page::<CountryKey>(request.page, binding);
        fields.finish()?;

        let mut rows = state.country_rows(mode);
        rows.retain(|row| request.empty || row.creators > 0 || row.games > 0);
        let total = rows.len() as u64;
        rows.retain(|row| after.as_ref().is_none_or(|after| key(row) > *after));
        let more = rows.len() > limit;
        rows.truncate(limit);
        let last = rows.last().filter(|_| more).map(key);
        let (json, countries) = answer::made(rows, form, typed::places::country_row)?;
        Ok(ListCountriesResponse {
            countries,
            json,
            page: Some(answer::info(total, last.as_ref(), binding)?),
            position: Some(state.position.into()),
        })
    }

    async fn country(&self, request: GetCountryRequest) -> Result<GetCountryResponse, Fault> {
        let state = self.catalogue.state_at(request.at_least.as_ref()).await?;
        let (mode, form) = ask::single(request.mode, request.form)?;
        let code = request.code.to_ascii_uppercase();
        let row = state.country_row(mode, &code).ok_or_else(unknown)?;
        let cities = state.world(mode).cities.search(&Question {
            facets: Facet::country(&code).into_iter().collect(),
            limit: usize::MAX,
            ..Question::default()
        });
        let country = answer::json(&public::Country {
            row,
            cities: Vec::new(),
        })?;
        let json = answer::with_rows(&country, &cities.rows)?;
        let (json, country) = answer::single(json, form, typed::places::country)?;
        Ok(GetCountryResponse {
            country,
            json,
            position: Some(state.position.into()),
        })
    }

    async fn cities(&self, request: ListCitiesRequest) -> Result<ListCitiesResponse, Fault> {
        let state = self.catalogue.state_at(request.at_least.as_ref()).await?;
        let ask = read_cities(request, &state)?;
        let page = state.world(ask.mode).cities.search(&ask.question);
        let (json, cities) = answer::rows(&page.rows, ask.form, typed::places::city)?;
        Ok(ListCitiesResponse {
            cities,
            json,
            page: Some(answer::page_info(&page, ask.binding)?),
            position: Some(state.position.into()),
        })
    }
}

#[tonic::async_trait]
impl PlacesService for Places {
    async fn list_genres(
        &self,
        request: Request<ListGenresRequest>,
    ) -> Result<Response<ListGenresResponse>, Status> {
        Ok(Response::new(self.genres(request.into_inner()).await?))
    }

    async fn list_countries(
        &self,
        request: Request<ListCountriesRequest>,
    ) -> Result<Response<ListCountriesResponse>, Status> {
        Ok(Response::new(self.countries(request.into_inner()).await?))
    }

    async fn get_country(
        &self,
        request: Request<GetCountryRequest>,
    ) -> Result<Response<GetCountryResponse>, Status> {
        Ok(Response::new(self.country(request.into_inner()).await?))
    }

    async fn list_cities(
        &self,
        request: Request<ListCitiesRequest>,
    ) -> Result<Response<ListCitiesResponse>, Status> {
        Ok(Response::new(self.cities(request.into_inner()).await?))
    }
}

/// Which countries there are, `state` says.
fn read_cities(request: ListCitiesRequest, state: &State) -> Result<Ask<CityKey>, Fault> {
    let mut fields = Fields::default();
    let mode = fields.mode(request.mode);
    let form = fields.form(request.form);
    let country = ask::code(request.country);
    let facet = fields.country(country.as_deref(), state);
    let binding = Binding::new("cities", [Some(mode.as_str()), country.as_deref()]);
    let (limit, after) = fields.page(request.page, binding);
    fields.finish()?;
    Ok(Ask {
        mode,
        form,
        question: Question {
            facets: facet.into_iter().collect(),
            after,
            limit,
            ..Question::default()
        },
        binding,
    })
}

fn key(row: &public::CountryRow) -> CountryKey {
    CountryKey {
        name: row.name.clone(),
        code: row.code.clone(),
    }
}

fn unknown() -> Fault {
    Fault::not_found(
        "no African country has this code; GET /countries?empty=true lists all that there are",
    )
}
