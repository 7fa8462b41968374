//! Genres, countries and cities, with counts of published listings (§2.3, §2.5, §4.2).

use contracts::catalogue::v1::places_service_server::PlacesService;
use contracts::catalogue::v1::{
    GetCityRequest, GetCityResponse, GetCountryRequest, GetCountryResponse, ListCitiesRequest,
    ListCitiesResponse, ListCountriesRequest, ListCountriesResponse, ListGenresRequest,
    ListGenresResponse,
};
use contracts::common::v1::PageInfo;
use contracts::{public, reference_data};
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::api::cursor::Binding;
use tonic::{Request, Response, Status};

use super::Reads;
use super::answer;
use super::query_params::{ListParams, ListQuery};
use crate::domain::collation::Name;
use crate::domain::facet::Facet;
use crate::domain::order::{CityKey, CountryKey};
use crate::index::{Document as _, Query};
use kit::Mode;

#[tonic::async_trait]
impl PlacesService for Reads {
    async fn list_genres(
        &self,
        request: Request<ListGenresRequest>,
    ) -> Result<Response<ListGenresResponse>, Status> {
        let request = request.into_inner();
        let snapshot = self.snapshot_at(request.at_least.as_ref()).await?;
        let rows = snapshot.genre_rows(Mode::try_from(request.mode)?);
        Ok(Response::new(ListGenresResponse {
            json: answer::json(&rows)?.into(),
            page: Some(PageInfo { total: rows.len() as u64, ..PageInfo::default() }),
            position: Some(snapshot.position.into()),
        }))
    }

    async fn list_countries(
        &self,
        request: Request<ListCountriesRequest>,
    ) -> Result<Response<ListCountriesResponse>, Status> {
        let request = request.into_inner();
        let snapshot = self.snapshot_at(request.at_least.as_ref()).await?;
        let mut bad = BadFields::default();
        let mode = bad.mode(request.mode);
        let empty = request.empty.then_some("empty");
        let with_events = request.with_events.then_some("events");
        let binding = Binding::new("countries", [Some(mode.as_str()), empty, with_events]);
        let page = bad.read_public_page::<CountryKey>(binding, request.page);
        bad.check()?;

        let mut rows = snapshot.country_rows(mode);
        let events = &snapshot.dataset(mode).events;
        let has_events = |row: &public::CountryRow| {
            Facet::country(&row.code).is_some_and(|country| events.count(&country) > 0)
        };
        rows.retain(|row| {
            let has_listings = row.creators > 0 || row.games > 0;
            request.empty || has_listings || (request.with_events && has_events(row))
        });
        let total = rows.len() as u64;
        rows.retain(|row| page.after.as_ref().is_none_or(|after| key(row) > *after));
        let more = rows.len() > page.limit;
        rows.truncate(page.limit);
        let last = rows.last().filter(|_| more).map(key);
        Ok(Response::new(ListCountriesResponse {
            json: answer::json(&rows)?.into(),
            page: Some(answer::page_info_after(total, last.as_ref(), binding)?),
            position: Some(snapshot.position.into()),
        }))
    }

    async fn get_country(
        &self,
        request: Request<GetCountryRequest>,
    ) -> Result<Response<GetCountryResponse>, Status> {
        let request = request.into_inner();
        let snapshot = self.snapshot_at(request.at_least.as_ref()).await?;
        let mode = Mode::try_from(request.mode)?;
        let code = request.code.to_ascii_uppercase();
        let country = reference_data::country(&code).ok_or_else(unknown)?;
        let row = snapshot.country_row(mode, country);
        let cities = snapshot.dataset(mode).cities.search(&Query {
            facets: Facet::country(&code).into_iter().collect(),
            limit: usize::MAX,
            ..Query::default()
        });
        let country = answer::json(&public::Country { row, cities: Vec::new() })?;
        Ok(Response::new(GetCountryResponse {
            json: answer::with_rows(&country, &cities.rows)?.into(),
            position: Some(snapshot.position.into()),
        }))
    }

    async fn list_cities(
        &self,
        request: Request<ListCitiesRequest>,
    ) -> Result<Response<ListCitiesResponse>, Status> {
        let request = request.into_inner();
        let snapshot = self.snapshot_at(request.at_least.as_ref()).await?;
        let list = read_cities(request)?;
        let page = snapshot.dataset(list.mode).cities.search(&list.query);
        Ok(Response::new(ListCitiesResponse {
            json: answer::rows(&page.rows),
            page: Some(answer::page_info(&page, list.binding)?),
            position: Some(snapshot.position.into()),
        }))
    }

    async fn get_city(
        &self,
        request: Request<GetCityRequest>,
    ) -> Result<Response<GetCityResponse>, Status> {
        let request = request.into_inner();
        let snapshot = self.snapshot_at(request.at_least.as_ref()).await?;
        let mode = Mode::try_from(request.mode)?;
        let city = snapshot.dataset(mode).cities.get(&request.slug);
        let city = city.ok_or_else(|| Fault::not_found("No creator is in a city of this name."))?;
        let mut json = Vec::new();
        city.json().push_row(&mut json);
        Ok(Response::new(GetCityResponse {
            json: json.into(),
            position: Some(snapshot.position.into()),
        }))
    }
}

fn read_cities(request: ListCitiesRequest) -> Result<ListQuery<CityKey>, Fault> {
    let mut params = ListParams::new(request.mode);
    params.country(request.country);
    params.finish("cities", request.page)
}

fn key(row: &public::CountryRow) -> CountryKey {
    CountryKey { name: Name::new(&row.name), code: row.code.clone() }
}

fn unknown() -> Fault {
    Fault::not_found(
        "No African country has this code. GET /countries?empty=true lists all that there are.",
    )
}
